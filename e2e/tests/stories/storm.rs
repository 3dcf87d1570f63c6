//! However many pods fail at once, the model is asked once or twice.

use anyhow::Result;
use asyncai_crds::Watch;
use asyncai_e2e::fleet::{self, asking};
use asyncai_e2e::model::{Model, notices};
use asyncai_e2e::story::{Story, story};
use asyncai_e2e::wait;
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::json;

const PODS: u64 = 200;

/// Case C4.
#[tokio::test]
async fn two_hundred_failing_pods_are_two_turns_at_most() -> Result<()> {
    story("storm", async |story| {
        let mut model = Model::start(story, "{}").await?;
        let uri =
            format!("kcp-events://watch/local/pods?namespace={}&fieldSelector=status.phase=Failed", story.namespace);
        story.apply(&[asking("alice"), fleet::watch("failed", "alice", &uri, "")].join("\n---\n")).await?;
        story.watch("failed", "Ready", "True").await?;
        stream::iter(0..PODS).map(|number| create(story, number)).buffer_unordered(20).try_collect::<()>().await?;
        stream::iter(0..PODS).map(|number| fail(story, number)).buffer_unordered(20).try_collect::<()>().await?;

        model.until("<watch-event").await?;
        wait::until(&story.api::<Watch>(), "failed", "all failures to be counted", |watch| {
            watch.status.as_ref().and_then(|status| status.counts).is_some_and(|counts| counts.events >= PODS)
        })
        .await?;
        let requests = model.requests().await?;
        assert!(requests.len() <= 2, "{} turns", requests.len());
        let told = requests.last().map(notices).unwrap_or_default();
        assert!(told.len() <= 2, "{told:?}");
        let mut sum = 0;
        for notice in &told {
            let more = notice.lines.iter().find_map(|line| line.strip_prefix('+')?.strip_suffix(" more")?.parse().ok());
            let shown = notice.lines.len() - usize::from(more.is_some());
            assert!(shown <= 20, "{notice:?}");
            sum += shown + more.unwrap_or(0);
        }
        assert_eq!(sum, 200, "{told:?}");
        let counts = story.api::<Watch>().get("failed").await?.status.and_then(|status| status.counts);
        assert_eq!(counts.map(|counts| counts.events), Some(PODS));
        Ok(())
    })
    .await
}

fn name(number: u64) -> String {
    format!("pod-{number}")
}

/// A pod that nobody schedules: it is not to run, only to fail.
async fn create(story: &Story, number: u64) -> Result<()> {
    let hardened = json!({"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}});
    let pod = serde_json::from_value(json!({"metadata": {"name": name(number)}, "spec": {
        "schedulingGates": [{"name": "asyncai.dev/never"}],
        "automountServiceAccountToken": false,
        "securityContext": {"runAsNonRoot": true, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [{"name": "none", "image": "none", "securityContext": hardened}],
    }}))?;
    story.api::<Pod>().create(&PostParams::default(), &pod).await?;
    Ok(())
}

async fn fail(story: &Story, number: u64) -> Result<()> {
    let failed = Patch::Merge(json!({"status": {"phase": "Failed", "reason": "Evicted"}}));
    story.api::<Pod>().patch_status(&name(number), &PatchParams::default(), &failed).await?;
    Ok(())
}
