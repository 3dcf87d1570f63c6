//! The agent that is measured.

use anyhow::Result;
use asyncai_e2e::fleet::{self, configmaps, relay};
use asyncai_e2e::story::Story;

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
