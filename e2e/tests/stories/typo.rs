//! A misspelt resource is named where people look, with what was probably meant, and can be put right.

use anyhow::Result;
use asyncai_e2e::fleet::{self, condition, relay};
use asyncai_e2e::story::story;

#[tokio::test]
async fn a_misspelt_resource_is_named_in_describe() -> Result<()> {
    story("typo", async |story| {
        let watch = |resource: &str| {
            let uri = format!("kcp-events://watch/local/{resource}?namespace={}", story.namespace);
            fleet::watch("cm", "alice", &uri, "")
        };
        story.apply(&[relay("alice"), watch("confgmaps")].join("---\n")).await?;
        let status = story.watch("cm", "Stalled", "True").await?.status.unwrap_or_default();
        assert_eq!(condition(&status.conditions, "Subscribed")?.reason, "SourceError");
        assert_eq!(condition(&status.conditions, "Ready")?.status, "False");

        let described = story.kubectl(&["describe", "watch", "cm"]).await?;
        assert!(described.contains("confgmaps"), "{described}");
        assert!(described.contains("did you mean: configmaps"), "{described}");

        story.apply(&watch("configmaps")).await?;
        story.watch("cm", "Ready", "True").await?;
        Ok(())
    })
    .await
}
