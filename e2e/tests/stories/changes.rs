//! Watches come, change, rest and go while the agent's pod runs on.

use anyhow::Result;
use asyncai_crds::{Agent, Watch};
use asyncai_e2e::fleet::{self, condition, configmaps, pod, relay};
use asyncai_e2e::log::Log;
use asyncai_e2e::story::{Story, story};
use asyncai_e2e::wait;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, Patch, PatchParams};
use kube::{Resource, ResourceExt};
use serde_json::{Value, json};

#[tokio::test]
async fn watches_change_without_a_restart() -> Result<()> {
    story("changes", async |story| {
        story.apply(&relay("alice")).await?;
        story.agent("alice", "Ready", "True").await?;
        let pods: Api<Pod> = story.api();
        let uid = pods.get(&pod("alice")).await?.uid();
        let mut log = story.agent_log("alice").await?;

        added(story, &mut log).await?;
        changed(story, &mut log).await?;
        suspended_and_resumed(story, &mut log).await?;
        deleted(story, &mut log).await?;

        let pod = pods.get(&pod("alice")).await?;
        assert_eq!(pod.uid(), uid, "the pod was replaced");
        let restarts = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
        assert!(restarts.into_iter().all(|container| container.restart_count == 0), "the agent was restarted");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_suspended_agent_frees_its_pod_and_tells_later() -> Result<()> {
    story("suspend", async |story| {
        let uri = configmaps(&story.namespace);
        story.apply(&[relay("alice"), fleet::watch("cm", "alice", &uri, "debounceSeconds: 0")].join("---\n")).await?;
        story.watch("cm", "Ready", "True").await?;
        let pods: Api<Pod> = story.api();
        let uid = pods.get(&pod("alice")).await?.uid().unwrap_or_default();

        patch::<Agent>(story, "alice", &json!({"spec": {"suspend": true}})).await?;
        wait::gone(&pods, &pod("alice"), &uid).await?;
        let agent = story.agent("alice", "Ready", "True").await?.status.unwrap_or_default();
        assert_eq!(condition(&agent.conditions, "Ready")?.reason, "Suspended");
        story.write("meanwhile", "a", "1").await?;

        patch::<Agent>(story, "alice", &json!({"spec": {"suspend": false}})).await?;
        let mut log = story.agent_log("alice").await?;
        assert_eq!(reply(&mut log).await?, format!("cm: ADDED {}/meanwhile", story.namespace));
        Ok(())
    })
    .await
}

async fn added(story: &Story, log: &mut Log) -> Result<()> {
    let uri = configmaps(&story.namespace);
    story.apply(&fleet::watch("cm", "alice", &uri, "debounceSeconds: 0")).await?;
    story.watch("cm", "Ready", "True").await?;
    story.write("first", "a", "1").await?;
    assert_eq!(reply(log).await?, format!("cm: ADDED {}/first", story.namespace));
    Ok(())
}

/// With a selector it tells of the chosen alone.
async fn changed(story: &Story, log: &mut Log) -> Result<()> {
    let uri = format!("{}&labelSelector=told=yes", configmaps(&story.namespace));
    story.apply(&fleet::watch("cm", "alice", &uri, "debounceSeconds: 0")).await?;
    story.watch("cm", "Ready", "True").await?;
    story.write("untold", "a", "1").await?;
    write_told(story, "chosen").await?;
    assert_eq!(reply(log).await?, format!("cm: ADDED {}/chosen", story.namespace));
    Ok(())
}

async fn suspended_and_resumed(story: &Story, log: &mut Log) -> Result<()> {
    patch::<Watch>(story, "cm", &json!({"spec": {"suspend": true}})).await?;
    let watch = story.watch("cm", "Suspended", "True").await?.status.unwrap_or_default();
    let ready = condition(&watch.conditions, "Ready")?;
    assert_eq!((ready.status.as_str(), ready.reason.as_str()), ("True", "Suspended"));
    write_told(story, "asleep").await?;

    patch::<Watch>(story, "cm", &json!({"spec": {"suspend": false}})).await?;
    assert_eq!(reply(log).await?, format!("cm: ADDED {}/asleep", story.namespace));
    Ok(())
}

/// What a deleted watch would have told comes from none: the next line is another watch's.
async fn deleted(story: &Story, log: &mut Log) -> Result<()> {
    let uri = configmaps(&story.namespace);
    story.delete::<Watch>("cm").await?;
    story.apply(&fleet::watch("other", "alice", &uri, "debounceSeconds: 0")).await?;
    story.watch("other", "Ready", "True").await?;
    write_told(story, "last").await?;
    assert_eq!(reply(log).await?, format!("other: ADDED {}/last", story.namespace));
    Ok(())
}

async fn reply(log: &mut Log) -> Result<String> {
    Ok(log.event("reply.published").await?["text"].as_str().unwrap_or_default().to_owned())
}

async fn write_told(story: &Story, name: &str) -> Result<()> {
    let metadata = json!({"name": name, "labels": {"told": "yes"}});
    story.apply(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}).to_string()).await?;
    Ok(())
}

async fn patch<K>(story: &Story, name: &str, change: &Value) -> Result<()>
where
    K: Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>
        + Clone
        + serde::de::DeserializeOwned
        + std::fmt::Debug,
{
    story.api::<K>().patch(name, &PatchParams::default(), &Patch::Merge(change)).await?;
    Ok(())
}
