//! The agent that is measured.

use anyhow::Result;
use asyncai_e2e::fleet::{self, configmaps, relay};
use asyncai_e2e::story::Story;
use serde_json::json;

/// Its name.
pub(crate) const AGENT: &str = "bench";

/// An agent that tells each ConfigMap at once.
pub(crate) async fn agent(story: &Story) -> Result<()> {
    let limits = "  limits: {maxTurnsPerHour: 3600}\n---\n";
    let watch = fleet::watch("cm", AGENT, &configmaps(&story.namespace), "debounceSeconds: 0, maxNoticesPerHour: 3600");
    story.apply(&[relay(AGENT).replacen("---\n", limits, 1), watch].join("---\n")).await?;
    story.watch("cm", "Ready", "True").await?;
    Ok(())
}

/// Four more watches, five in all.
pub(crate) async fn further_watches(story: &Story) -> Result<()> {
    for resource in ["services", "pods", "deployments.apps", "jobs.batch"] {
        let name = resource.split('.').next().unwrap_or(resource);
        let uri = format!("kcp-events://watch/local/{resource}?namespace={}", story.namespace);
        story.apply(&fleet::watch(name, AGENT, &uri, "")).await?;
        story.watch(name, "Ready", "True").await?;
    }
    Ok(())
}

/// Name of an agent whose five watches have filters.
pub(crate) const FILTERED: &str = "filtered";

/// Starts it; each filter has seen an event, and so has its worker.
pub(crate) async fn filtered_watches(story: &Story) -> Result<()> {
    story.apply(&relay(FILTERED)).await?;
    for number in 1..=5 {
        let name = format!("filtered-{number}");
        let watch = fleet::watch(&name, FILTERED, &configmaps(&story.namespace), "debounceSeconds: 0");
        let filter = json!({"onEvent": "seen = event['object']['metadata']['name']\nf'{seen} {event[\"type\"]}'"});
        story.apply(&fleet::with(&watch, &filter)?).await?;
        story.watch(&name, "Ready", "True").await?;
    }
    let mut log = story.agent_log(FILTERED).await?;
    story.write("filtered", "a", "1").await?;
    for _ in 1..=5 {
        log.event("watch.notice").await?;
    }
    Ok(())
}
