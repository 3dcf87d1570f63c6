//! The model starts a watch with a filter of its own; what is wrong with it is told in the same turn, before anything
//! is watched.

use anyhow::Result;
use asyncai_crds::Watch;
use asyncai_e2e::fleet::{self, asking, configmaps};
use asyncai_e2e::model::Model;
use asyncai_e2e::story::{Story, story};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::ListParams;
use serde_json::{Value, json};

const WISH: &str = "Watch the configmaps of this namespace and tell me when one appears or disappears.";
const FILTER: &str = r#"
m = event["object"]["metadata"]
f'{event["type"].lower()} {m["namespace"]}/{m["name"]}' if event["type"] in ("ADDED", "DELETED") else None
"#;

#[tokio::test]
async fn the_model_starts_a_watch_and_puts_right_what_is_wrong() -> Result<()> {
    story("codemode", async |story| {
        let mut model = Model::start(story, &scenario(&story.namespace)).await?;
        story.apply(&fleet::with(&asking("alice"), &json!({"onStart": WISH}))?).await?;
        let first = model.request().await?;
        assert_eq!(first.messages().last(), Some(&("user", WISH)));
        let offered = first.body["tools"][0]["function"]["description"].to_string();
        assert!(
            offered.contains("watch_start(") && offered.contains("kcp.get("),
            "the first turn knows no functions: {offered}"
        );
        let filter_is_broken = result(&mut model).await?;
        assert!(
            filter_is_broken.contains("SyntaxError") && filter_is_broken.contains("on_event"),
            "{filter_is_broken}"
        );
        let function_is_refused = result(&mut model).await?;
        assert!(function_is_refused.contains("its source as text"), "{function_is_refused}");
        let uri_is_misspelt = result(&mut model).await?;
        assert!(uri_is_misspelt.contains("did you mean: configmaps"), "{uri_is_misspelt}");
        let watches: Api<Watch> = story.api();
        let started = result(&mut model).await?;
        assert!(started.contains("event-log") && started.contains("\"cm\""), "{started}");
        assert_eq!(watches.list(&ListParams::default()).await?.items.len(), 1, "failed attempts left watches");
        made_by_the_model(&watches.get("alice.cm").await?)?;
        story.watch("alice.cm", "Ready", "True").await?;
        appears_changes_and_goes(story, &mut model).await
    })
    .await
}

/// One notice for the first, one for the last; the changes between are dropped by the filter.
async fn appears_changes_and_goes(story: &Story, model: &mut Model) -> Result<()> {
    let notice = |line: &str| format!("id=\"[^\"]*\">\n{line} {}/watch-probe\n</watch-event>\n", story.namespace);
    let holds =
        |message: &str, line: &str| regex::Regex::new(&notice(line)).is_ok_and(|notice| notice.is_match(message));
    story.write("watch-probe", "a", "b").await?;
    for value in ["c", "d", "e"] {
        story.write("watch-probe", "a", value).await?;
    }
    let first = model.message().await?;
    assert!(holds(&first, "added"), "{first}");
    story.delete::<ConfigMap>("watch-probe").await?;
    let second = model.message().await?;
    assert!(holds(&second, "deleted"), "{second}");

    let mut log = story.agent_log("alice").await?;
    for text in ["You will be told.", "`watch-probe` appeared.", "`watch-probe` is gone."] {
        assert_eq!(log.event("reply.published").await?["text"], text);
    }
    assert_eq!(story.events("alice", "watch.notice").await?.len(), 2);
    assert_eq!(model.requests().await?.len(), 7, "five rounds to start the watch, one for each notice");
    Ok(())
}

fn scenario(namespace: &str) -> String {
    let start = |resource: &str, filter: &str| {
        let uri = configmaps(namespace).replace("configmaps", resource);
        format!("await watch_start(name=\"cm\", uri={uri:?}, on_event={filter})")
    };
    let function = format!("def fmt(event):\n    return event['type']\n\n{}", start("configmaps", "fmt"));
    let good = format!("'''{FILTER}'''");
    let rules = json!([
        {"contains": WISH, "code": start("configmaps", "'event[\"type\"'")},
        {"result": "SyntaxError", "code": function},
        {"result": "it is a function", "code": start("confgmaps", &good)},
        {"result": "did you mean", "code": start("configmaps", &good)},
        {"result": "event-log", "reply": "You will be told."},
        {"contains": "added ", "reply": "`watch-probe` appeared."},
        {"contains": "deleted ", "reply": "`watch-probe` is gone."},
    ]);
    json!({"rules": rules}).to_string()
}

async fn result(model: &mut Model) -> Result<String> {
    Ok(model.request().await?.result().unwrap_or_default())
}

fn made_by_the_model(watch: &Watch) -> Result<()> {
    let metadata = serde_json::to_value(&watch.metadata)?;
    assert_eq!(metadata["labels"], json!({"asyncai.dev/origin": "model"}));
    assert_eq!(metadata["ownerReferences"].as_array().map(Vec::len), Some(1));
    assert_eq!(metadata["ownerReferences"][0]["name"], "alice");
    assert_eq!(metadata.get("annotations"), None::<&Value>);
    assert_eq!(watch.spec.on_event.as_deref().map(str::trim), Some(FILTER.trim()));
    Ok(())
}
