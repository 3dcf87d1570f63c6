//! Watches outlive their agent's pod; what must be known of that comes with the first turn, not as one of its own.

use anyhow::{Context, Result};
use asyncai_crds::{Agent, Watch};
use asyncai_e2e::fleet::{self, asking, configmaps, pod};
use asyncai_e2e::model::Model;
use asyncai_e2e::story::{Story, story};
use asyncai_e2e::wait;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::json;

const WISH: &str = "Set up monitors for the shop.";

#[tokio::test]
async fn three_saved_watches_are_restored_and_told_with_the_first_turn() -> Result<()> {
    story("restored", async |story| {
        let mut model = Model::start(story, &scenario(&story.namespace)).await?;
        story.apply(&fleet::with(&asking("alice"), &json!({"onStart": WISH}))?).await?;
        assert_eq!(model.message().await?, WISH);
        let started = model.request().await?.result().unwrap_or_default();
        assert!(started.contains("started 3"), "{started}");
        for name in ["alice.one", "alice.two", "alice.three"] {
            story.watch(name, "Ready", "True").await?;
        }
        let uids = uids(story).await?;

        restart(story, "alice.two").await?;
        let request = model.request().await?;
        let messages = request.messages();
        let (_, first) = messages.iter().find(|(role, _)| *role == "user").context("no user message")?;
        let said = messages.iter().map(|(_, content)| *content).collect::<Vec<_>>().join("\n");
        assert_eq!(said.matches(WISH).count(), 1, "{said}");
        assert_eq!(said.matches("<watch-restore>").count(), 1, "{said}");
        let restored = said.split_once("<watch-restore>\n").and_then(|(_, rest)| rest.split_once("</watch-restore>"));
        let (lines, _) = restored.with_context(|| format!("no notice of the restore: {first}"))?;
        assert_eq!(lines.lines().count(), 1, "only what must be known is told: {lines}");
        assert!(lines.contains("two"), "{lines}");

        turns(story, 2).await?;
        for name in ["alice.one", "alice.two", "alice.three"] {
            story.watch(name, "Ready", "True").await?;
        }
        assert_eq!(self::uids(story).await?, uids, "watches were made anew");
        assert_eq!(model.requests().await?.len(), 3, "one turn after the restart");
        assert_eq!(story.events("alice", "reply.published").await?.len(), 0, "NO_REPLY is no reply");
        Ok(())
    })
    .await
}

/// Replaces the pod; while it is away, somebody lets a watch look at something else.
async fn restart(story: &Story, edited: &str) -> Result<()> {
    let pods: Api<Pod> = story.api();
    let uid = pods.get(&pod("alice")).await?.uid().unwrap_or_default();
    let log = story.agent_log("alice").await?;
    pods.delete(&pod("alice"), &DeleteParams::default()).await?;
    log.ended().await?;
    let uri = format!("{}&labelSelector=shop", configmaps(&story.namespace));
    let change = Patch::Merge(json!({"spec": {"uri": uri}}));
    story.api::<Watch>().patch(edited, &PatchParams::default(), &change).await?;
    wait::gone(&pods, &pod("alice"), &uid).await?;
    story.pod_ready(&pod("alice")).await?;
    Ok(())
}

/// Waits until so many turns have ended today.
async fn turns(story: &Story, turns: u64) -> Result<()> {
    wait::until(&story.api::<Agent>(), "alice", &format!("{turns} turns to end"), |agent| {
        agent.status.as_ref().and_then(|status| status.usage.as_ref()).is_some_and(|usage| usage.turns >= turns)
    })
    .await?;
    Ok(())
}

fn scenario(namespace: &str) -> String {
    let uri = configmaps(namespace);
    let code = format!(
        "for resource, name in (('configmaps', 'one'), ('pods', 'two'), ('services', 'three')):\n    \
         await watch_start(name=name, uri={uri:?}.replace('configmaps', resource))\nprint('started', len(watch_list()))"
    );
    let rules =
        json!([{"contains": WISH, "times": 1, "code": code}, {"result": "started 3", "reply": "Three monitors."}]);
    json!({"rules": rules}).to_string()
}

async fn uids(story: &Story) -> Result<Vec<Option<String>>> {
    let watches = story.api::<Watch>().list(&ListParams::default()).await?;
    assert_eq!(watches.items.len(), 3);
    Ok(watches.items.iter().map(ResourceExt::uid).collect())
}
