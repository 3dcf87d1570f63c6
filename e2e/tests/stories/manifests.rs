//! A wrong manifest is refused with a message that says what is wrong; what is not served yet is said in a condition.

use anyhow::{Context, Result, bail, ensure};
use asyncai_crds::Condition;
use asyncai_e2e::fleet::{self, condition, configmaps, relay};
use asyncai_e2e::story::{Story, story};
use futures::{StreamExt, stream};
use serde::Deserialize;
use serde_json::{Value, json};

/// Valid and invalid objects with what is said of them, which the offline check is held to as well.
const TABLE: &str = include_str!("../../../crds/tests/table.yaml");

#[derive(Deserialize)]
struct Table {
    valid: Vec<Case>,
    invalid: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(rename = "case")]
    name: String,
    object: Value,
    /// The object that it takes the place of.
    before: Option<Value>,
    /// A part of what a user reads; without it the API server lets the object pass.
    server: Option<String>,
    /// What of the object is written; all of it where this is absent.
    subresource: Option<String>,
}

#[tokio::test]
async fn each_wrong_manifest_gets_its_message() -> Result<()> {
    story("manifests", async |story| {
        let table: Table = serde_saphyr::from_str(TABLE)?;
        let (updates, creations): (Vec<_>, Vec<_>) =
            table.valid.iter().chain(&table.invalid).partition(|case| case.before.is_some());
        let verdict = async |case: &Case| check(story, case).await.with_context(|| case.name.clone()).err();
        let mut wrong: Vec<_> = stream::iter(creations).map(verdict).buffer_unordered(4).collect().await;
        // These need an object that is there, and all bear the same name.
        for case in updates {
            wrong.push(verdict(case).await);
        }
        let wrong: Vec<String> = wrong.into_iter().flatten().map(|error| format!("{error:#}")).collect();
        assert!(wrong.is_empty(), "{} of the table:\n{}", wrong.len(), wrong.join("\n"));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_is_not_served_yet_is_said() -> Result<()> {
    story("unserved", async |story| {
        let board = json!({"name": "board", "mark": {"url": "mark://board"}});
        let inbox = json!({"name": "inbox", "mailbox": {"server": "board", "id": "alice"}});
        for (spec, field) in
            [(json!({"mcpServers": [board]}), "mark"), (json!({"mcpServers": [board], "channels": [inbox]}), "mailbox")]
        {
            story.apply(&fleet::with(&relay("alice"), &spec)?).await?;
            let agent = story.agent("alice", "Accepted", "False").await?.status.unwrap_or_default();
            names(&agent.conditions, field)?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_watch_without_its_agent_says_so() -> Result<()> {
    story("orphan", async |story| {
        story.apply(&fleet::watch("cm", "nobody", &configmaps(&story.namespace), "")).await?;
        let watch = story.watch("cm", "ResolvedRefs", "False").await?.status.unwrap_or_default();
        let resolved = condition(&watch.conditions, "ResolvedRefs")?;
        assert_eq!(resolved.reason, "AgentNotFound");
        assert!(resolved.message.contains("nobody"), "{}", resolved.message);
        Ok(())
    })
    .await
}

/// Holds a case to what kubectl says of it.
async fn check(story: &Story, case: &Case) -> Result<()> {
    let reading = async |object: &Value, args: &[&str]| {
        let args = [&["--namespace", &story.namespace], args].concat();
        story.cluster.kubectl_reading(&here(story, object).to_string(), &args).await
    };
    let patch = async |object: &Value, more: &[&str]| {
        let (kind, name) = (text(&object["kind"]), text(&object["metadata"]["name"]));
        let status = json!({"status": object["status"]}).to_string();
        let args = [&["patch", kind, name, "--subresource=status", "--type=merge", "--patch", &status], more].concat();
        story.kubectl(&args).await
    };
    if let Some(before) = &case.before {
        reading(before, &["create", "-f", "-"]).await?;
        if before["status"].is_object() {
            patch(before, &[]).await?;
        }
    }
    let said = match case.subresource.as_deref() {
        Some("status") => patch(&case.object, &["--dry-run=server"]).await,
        Some(other) => bail!("no subresource {other}"),
        None => reading(&case.object, &["apply", "--dry-run=server", "-f", "-"]).await,
    };
    if let Some(before) = &case.before {
        reading(before, &["delete", "-f", "-"]).await?;
    }
    match (said, &case.server) {
        (Ok(_), None) => Ok(()),
        (Ok(_), Some(message)) => bail!("was let pass, not refused with {message:?}"),
        (Err(error), None) => Err(error.context("was refused")),
        (Err(error), Some(message)) => {
            ensure!(format!("{error:#}").contains(message), "expected {message:?}, was told {error:#}");
            Ok(())
        }
    }
}

/// The object in the story's namespace.
fn here(story: &Story, object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(namespace) = object.pointer_mut("/metadata/namespace") {
        *namespace = json!(story.namespace);
    }
    object
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn names(conditions: &[Condition], field: &str) -> Result<()> {
    let accepted = condition(conditions, "Accepted")?;
    assert_eq!(accepted.reason, "NotYetSupported");
    assert!(accepted.message.contains(field), "{}", accepted.message);
    Ok(())
}
