//! The chart can be taken away in any order: nothing waits for an operator that is gone.

use anyhow::Result;
use asyncai_crds::{Agent, Watch};
use asyncai_e2e::fleet::{self, configmaps, pod, relay};
use asyncai_e2e::story::exclusive;
use asyncai_e2e::wait;
use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::ResourceExt;
use kube::api::{Api, DeleteParams};

#[tokio::test]
async fn uninstalling_leaves_nothing_stuck() -> Result<()> {
    exclusive("uninstall", async |story, chart| {
        let uri = configmaps(&story.namespace);
        let watch = fleet::watch("cm", "alice", &uri, "debounceSeconds: 0");
        story.apply(&[relay("alice"), relay("bob"), watch].join("---\n")).await?;
        story.watch("cm", "Ready", "True").await?;
        story.agent("bob", "Ready", "True").await?;
        let mut log = story.agent_log("alice").await?;

        chart.uninstall(&story.cluster).await?;
        // The custom resources are kept, and with them the agents, which go on without an operator.
        story.write("after", "a", "1").await?;
        assert_eq!(log.event("reply.published").await?["text"], format!("cm: ADDED {}/after", story.namespace));

        let pods: Api<Pod> = story.api();
        let uid = pods.get(&pod("alice")).await?.uid().unwrap_or_default();
        story.delete::<Watch>("cm").await?;
        story.delete::<Agent>("alice").await?;
        wait::gone(&pods, &pod("alice"), &uid).await?;

        let namespaces: Api<Namespace> = Api::all(story.cluster.client.clone());
        let uid = namespaces.get(&story.namespace).await?.uid().unwrap_or_default();
        namespaces.delete(&story.namespace, &DeleteParams::default()).await?;
        wait::gone(&namespaces, &story.namespace, &uid).await?;
        chart.install(&story.cluster).await
    })
    .await
}
