//! An operator that restarts finds everything as it left it, and writes nothing.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use asyncai_crds::contract;
use asyncai_e2e::chart;
use asyncai_e2e::fleet::{self, configmaps, relay};
use asyncai_e2e::story::{Story, exclusive};
use asyncai_e2e::wait;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{Api, ListParams};
use serde_json::Value;

/// All that the operator writes.
const WRITTEN: &str = "agents,watches,statefulsets,serviceaccounts,roles,rolebindings";

#[tokio::test]
async fn a_restarted_operator_writes_nothing() -> Result<()> {
    exclusive("idle", async |story, _| {
        let uri = configmaps(&story.namespace);
        story.apply(&[relay("alice"), fleet::watch("cm", "alice", &uri, "")].join("---\n")).await?;
        story.watch("cm", "Ready", "True").await?;
        story.agent("alice", "Ready", "True").await?;
        let before = changes(story, "alice").await?;

        restart_operator(story).await?;
        // Objects are taken up in order: when the operator is done with a new one, it has seen all the others.
        story.apply(&relay("bob")).await?;
        story.agent("bob", "Ready", "True").await?;
        assert_eq!(changes(story, "alice").await?, before, "the operator wrote on its restart");
        // An apply that changes nothing leaves the times; it is a request all the same. Of each, bob's is one.
        let metrics = metrics(story).await?;
        // The StatefulSet may be asked for once more, before the first one has been seen.
        for (kind, least, most) in [
            ("ServiceAccount", 1, 1),
            ("Role", 1, 1),
            ("RoleBinding", 1, 1),
            ("StatefulSet", 1, 2),
            ("WatchStatus", 0, 0),
        ] {
            let count = writes(&metrics, kind);
            assert!((least..=most).contains(&count), "{count} writes of {kind} since the restart:\n{metrics}");
        }
        Ok(())
    })
    .await
}

async fn restart_operator(story: &Story) -> Result<()> {
    let args = ["-n", chart::NAMESPACE, "delete", "pods", "--wait", "-l", chart::OPERATOR_PODS];
    story.cluster.kubectl(&args).await?;
    let deployments: Api<Deployment> = Api::namespaced(story.cluster.client.clone(), chart::NAMESPACE);
    wait::until(&deployments, chart::OPERATOR, "the operator to be back", |deployment| {
        deployment.status.as_ref().is_some_and(|status| {
            status.ready_replicas == Some(1)
                && status.unavailable_replicas.is_none()
                && status.observed_generation == deployment.metadata.generation
        })
    })
    .await?;
    Ok(())
}

async fn metrics(story: &Story) -> Result<String> {
    let pods: Api<Pod> = Api::namespaced(story.cluster.client.clone(), chart::NAMESPACE);
    let operators = pods.list(&ListParams::default().labels(chart::OPERATOR_PODS)).await?;
    let pod = operators.items.first().context("there is no operator")?.name_any();
    let path = format!("/api/v1/namespaces/{}/pods/{pod}:{}/proxy/metrics", chart::NAMESPACE, contract::HTTP_PORT);
    story.cluster.kubectl(&["get", "--raw", &path]).await
}

/// How often the operator has written objects of a kind since it started.
fn writes(metrics: &str, kind: &str) -> u32 {
    let line = format!("asyncai_operator_writes_total{{kind=\"{kind}\"}} ");
    metrics.lines().find_map(|metric| metric.strip_prefix(&line)?.parse().ok()).unwrap_or(0)
}

/// When the operator last changed each object that belongs to an agent. Not the version: others write these too, the
/// agent its counts, Kubernetes the status of the StatefulSet.
async fn changes(story: &Story, agent: &str) -> Result<BTreeMap<String, Vec<String>>> {
    let list = story.kubectl(&["get", WRITTEN, "-o", "json", "--show-managed-fields"]).await?;
    let list: Value = serde_json::from_str(&list)?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut changes = BTreeMap::new();
    for object in list["items"].as_array().context("no items")? {
        let name = text(&object["metadata"]["name"]);
        if name != "cm" && !name.ends_with(agent) {
            continue;
        }
        let managers = object["metadata"]["managedFields"].as_array().context("no managedFields")?;
        let ours = managers.iter().filter(|entry| entry["manager"] == contract::OPERATOR_MANAGER);
        let times: Vec<String> = ours.map(|entry| text(&entry["time"])).collect();
        assert!(!times.is_empty(), "the operator has not written {name}: {object}");
        changes.insert(format!("{} {name}", text(&object["kind"])), times);
    }
    assert_eq!(changes.len(), 6, "{changes:?}");
    Ok(changes)
}
