//! An agent's account can touch the Watches of its own agent alone, and of those only the status.

use anyhow::{Context, Result};
use asyncai_crds::{Agent, Watch, WatchStatus};
use asyncai_e2e::fleet::{self, configmaps, relay};
use asyncai_e2e::story::{Story, story};
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::{Client, Config, ResourceExt};
use serde_json::{Value, json};

#[tokio::test]
async fn an_agent_keeps_to_its_own_watches() -> Result<()> {
    story("admission", async |story| {
        let uri = configmaps(&story.namespace);
        let watches = [fleet::watch("cm", "alice", &uri, ""), fleet::watch("other", "bob", &uri, "")];
        story.apply(&[relay("alice"), relay("bob"), watches.join("---\n")].join("---\n")).await?;
        story.watch("cm", "Ready", "True").await?;
        story.watch("other", "Ready", "True").await?;
        let own: Api<Watch> = Api::namespaced(as_agent(story, "alice").await?, &story.namespace);

        status(&own, "cm").await.context("its own watch's status")?;
        refused(status(&own, "other").await, "belongs to agent bob")?;
        refused(own.delete("other", &DeleteParams::default()).await, "belongs to agent bob")?;
        refused(own.delete("cm", &DeleteParams::default()).await, "asyncai.dev/origin=model")?;
        let suspend = Patch::Merge(json!({"spec": {"suspend": true}}));
        refused(own.patch("cm", &PatchParams::default(), &suspend).await, "cannot patch resource")?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_agent_may_make_watches_of_its_own() -> Result<()> {
    story("selfmade", async |story| {
        story.apply(&[relay("alice"), relay("bob")].join("---\n")).await?;
        story.agent("alice", "Ready", "True").await?;
        let uids = [story.api::<Agent>().get("alice").await?.uid(), story.api::<Agent>().get("bob").await?.uid()];
        let own: Api<Watch> = Api::namespaced(as_agent(story, "alice").await?, &story.namespace);
        let create = async |metadata: Value, agent: &str| {
            let spec = json!({"agentRef": {"name": agent}, "uri": configmaps(&story.namespace)});
            let watch = serde_json::from_value(json!({
                "apiVersion": "asyncai.dev/v1alpha1", "kind": "Watch", "metadata": metadata, "spec": spec}));
            own.create(&PostParams::default(), &watch.map_err(kube::Error::SerdeError)?).await
        };
        let owner = |name: &str, uid: &Option<String>| {
            json!([{"apiVersion": "asyncai.dev/v1alpha1", "kind": "Agent", "name": name, "uid": uid}])
        };
        let labels = json!({"asyncai.dev/origin": "model"});
        let good = json!({"name": "alice.cm", "labels": labels, "ownerReferences": owner("alice", &uids[0])});

        create(good.clone(), "alice").await.context("a watch of its own")?;
        refused(create(good.clone(), "bob").await, "belongs to agent bob")?;
        let with = |key: &str, value: Value| {
            let mut metadata = good.clone();
            metadata[key] = value;
            metadata
        };
        let shape = "must be named AGENT.NAME";
        refused(create(with("name", json!("bob.cm")), "alice").await, shape)?;
        refused(create(with("annotations", json!({"a": "b"})), "alice").await, shape)?;
        refused(create(with("finalizers", json!(["a.b/c"])), "alice").await, shape)?;
        refused(create(with("ownerReferences", owner("bob", &uids[1])), "alice").await, shape)?;
        refused(create(with("labels", json!({"asyncai.dev/origin": "declared"})), "alice").await, "asyncai.dev/origin")?;
        own.delete("alice.cm", &DeleteParams::default()).await.context("its own watch is its own to delete")?;
        Ok(())
    })
    .await
}

/// The cluster as the account of an agent's pod sees it.
async fn as_agent(story: &Story, agent: &str) -> Result<Client> {
    let mut config = Config::infer().await?;
    config.auth_info.impersonate = Some(format!("system:serviceaccount:{}:asyncai-agent-{agent}", story.namespace));
    Ok(Client::try_from(config)?)
}

async fn status(watches: &Api<Watch>, name: &str) -> kube::Result<Watch> {
    let status = WatchStatus::default();
    watches.patch_status(name, &PatchParams::default(), &Patch::Merge(json!({"status": status}))).await
}

fn refused<T: std::fmt::Debug>(outcome: kube::Result<T>, message: &str) -> Result<()> {
    match outcome {
        Err(kube::Error::Api(status)) if status.code == 403 && status.message.contains(message) => Ok(()),
        other => anyhow::bail!("expected 403 with {message:?}, got {other:?}"),
    }
}
