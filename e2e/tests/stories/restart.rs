//! A change made while the agent's pod is away is told once by the next one, and nothing else is told again.

use anyhow::{Context, Result};
use asyncai_crds::Watch;
use asyncai_e2e::fleet::{self, configmaps, pod, relay};
use asyncai_e2e::log::Log;
use asyncai_e2e::story::{Story, story};
use asyncai_e2e::wait;
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams};

#[tokio::test]
async fn what_happens_while_the_pod_is_away_is_told_once() -> Result<()> {
    story("restart", async |story| {
        let uri = configmaps(&story.namespace);
        story.apply(&[relay("alice"), fleet::watch("cm", "alice", &uri, "debounceSeconds: 0")].join("---\n")).await?;
        story.watch("cm", "Ready", "True").await?;
        let mut log = story.agent_log("alice").await?;
        let seq = story.write("before", "a", "1").await?;
        let told = |name: &str| format!("cm: ADDED {}/{name}", story.namespace);
        assert_eq!(log.event("reply.published").await?["text"], told("before"));
        cursor_reaches(story, seq).await?;

        replace_pod(story, log, &DeleteParams::default(), "meanwhile").await?;
        let mut log = story.agent_log("alice").await?;
        assert_eq!(log.event("reply.published").await?["text"], told("meanwhile"));
        story.write("after", "a", "1").await?;
        assert_eq!(log.event("reply.published").await?["text"], told("after"), "more than what was new was told");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_killed_pod_loses_nothing() -> Result<()> {
    story("killed", async |story| {
        let uri = configmaps(&story.namespace);
        story.apply(&[relay("alice"), fleet::watch("cm", "alice", &uri, "debounceSeconds: 0")].join("---\n")).await?;
        story.watch("cm", "Ready", "True").await?;
        let mut log = story.agent_log("alice").await?;
        let told = |name: &str| format!("cm: ADDED {}/{name}", story.namespace);
        let seq = story.write("before", "a", "1").await?;
        assert_eq!(log.event("reply.published").await?["text"], told("before"));
        cursor_reaches(story, seq).await?;

        let kill = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
        replace_pod(story, log, &kill, "meanwhile").await?;
        let mut log = story.agent_log("alice").await?;
        assert_eq!(log.event("reply.published").await?["text"], told("meanwhile"));
        Ok(())
    })
    .await
}

/// Waits until the Watch's status says that everything up to `seq` has been told.
async fn cursor_reaches(story: &Story, seq: u64) -> Result<()> {
    let watches: Api<Watch> = story.api();
    wait::until(&watches, "cm", &format!("the cursor to reach {seq}"), |watch| {
        watch.status.as_ref().and_then(|status| status.cursor.as_ref()).is_some_and(|cursor| cursor.seq >= seq)
    })
    .await?;
    Ok(())
}

/// Deletes alice's pod, writes a ConfigMap when its process has ended, and waits for the next pod.
async fn replace_pod(story: &Story, log: Log, how: &DeleteParams, configmap: &str) -> Result<()> {
    let pods: Api<Pod> = story.api();
    let name = pod("alice");
    let uid = pods.get(&name).await?.uid().context("the pod has no uid")?;
    pods.delete(&name, how).await?;
    log.ended().await?;
    story.write(configmap, "a", "1").await?;
    wait::gone(&pods, &name, &uid).await?;
    story.pod_ready(&name).await?;
    Ok(())
}
