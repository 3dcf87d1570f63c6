//! A story: a test on a real cluster, in a namespace of its own.

use std::fmt::Debug;
use std::io::Write;
use std::panic::{AssertUnwindSafe, resume_unwind};

use anyhow::{Context, Result};
use futures::FutureExt;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod, ServiceAccount};
use kube::api::{DeleteParams, DynamicObject, ListParams, PostParams};
use kube::core::NamespaceResourceScope;
use kube::{Api, Resource, ResourceExt};
use serde_json::json;

use crate::chart::{self, Exclusive};
use crate::cluster::Cluster;
use crate::{apply, report, wait};

/// What a story works with.
pub struct Story {
    /// The cluster, with the chart installed.
    pub cluster: Cluster,
    /// The story's own namespace, which admits `restricted` pods only.
    pub namespace: String,
}

/// Tells a story beside others. Without `KUBECONFIG` it says so and passes.
pub async fn story(name: &str, body: impl AsyncFnOnce(&Story) -> Result<()>) -> Result<()> {
    let Some(cluster) = connect(name).await? else { return Ok(()) };
    let _turn = chart::shared(&cluster).await?;
    tell(cluster, name, body).await
}

/// Marks the namespaces of stories.
const LABEL: &str = "asyncai.dev/story";

/// Tells a story while no other one is told and what the earlier ones left is gone, since it takes the operator away
/// or counts what it does.
pub async fn exclusive(name: &str, body: impl AsyncFnOnce(&Story, &mut Exclusive) -> Result<()>) -> Result<()> {
    let Some(cluster) = connect(name).await? else { return Ok(()) };
    let mut turn = chart::exclusive(&cluster).await?;
    await_earlier_stories(&cluster).await?;
    tell(cluster, name, async |story: &Story| body(story, &mut turn).await).await
}

async fn connect(name: &str) -> Result<Option<Cluster>> {
    let cluster = Cluster::connect().await?;
    if cluster.is_none() {
        // Not by a macro, whose output the test harness hides where a test passes.
        writeln!(std::io::stderr(), "skipped {name}: KUBECONFIG names no cluster (`make test` boots one)")?;
    }
    Ok(cluster)
}

async fn await_earlier_stories(cluster: &Cluster) -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(cluster.client.clone());
    for namespace in namespaces.list(&ListParams::default().labels(LABEL)).await? {
        if namespace.metadata.deletion_timestamp.is_some() {
            wait::gone(&namespaces, &namespace.name_any(), &namespace.uid().unwrap_or_default()).await?;
        }
    }
    Ok(())
}

async fn tell(cluster: Cluster, name: &str, body: impl AsyncFnOnce(&Story) -> Result<()>) -> Result<()> {
    let story = Story { namespace: create_namespace(&cluster, name).await?, cluster };
    let outcome = AssertUnwindSafe(body(&story)).catch_unwind().await;
    if !matches!(outcome, Ok(Ok(()))) {
        report::print(&story.cluster, &story.namespace).await;
    }
    if std::env::var_os("ASYNCAI_KEEP").is_none() {
        let namespaces: Api<Namespace> = Api::all(story.cluster.client.clone());
        match namespaces.delete(&story.namespace, &DeleteParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => {} // the story has deleted it itself
            other => drop(other?),
        }
    }
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}

/// A new namespace whose controllers have filled it: the ConfigMap and the account that each namespace gets would
/// else be told as news.
async fn create_namespace(cluster: &Cluster, name: &str) -> Result<String> {
    let namespaces: Api<Namespace> = Api::all(cluster.client.clone());
    let labels = json!({"pod-security.kubernetes.io/enforce": "restricted", LABEL: name});
    let namespace =
        serde_json::from_value(json!({"metadata": {"generateName": format!("{name}-"), "labels": labels}}))?;
    let created = namespaces.create(&PostParams::default(), &namespace).await.context("cannot create a namespace")?;
    let namespace = created.name_any();
    let configmaps: Api<ConfigMap> = Api::namespaced(cluster.client.clone(), &namespace);
    wait::until(&configmaps, "kube-root-ca.crt", "the namespace's own ConfigMap", |_| true).await?;
    let accounts: Api<ServiceAccount> = Api::namespaced(cluster.client.clone(), &namespace);
    wait::until(&accounts, "default", "the namespace's own account", |_| true).await?;
    Ok(namespace)
}

impl Story {
    /// The objects of a kind in the story's namespace.
    pub fn api<K>(&self) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        Api::namespaced(self.cluster.client.clone(), &self.namespace)
    }

    /// Applies manifests in the story's namespace.
    pub async fn apply(&self, yaml: &str) -> Result<Vec<DynamicObject>> {
        apply::apply(&self.cluster.client, &self.namespace, yaml).await
    }

    /// Runs kubectl in the story's namespace: its stdout, or an error with its stderr.
    pub async fn kubectl(&self, args: &[&str]) -> Result<String> {
        self.cluster.kubectl(&[&["--namespace", &self.namespace], args].concat()).await
    }

    /// Writes a ConfigMap with one entry, and gives its version.
    pub async fn write(&self, name: &str, key: &str, value: &str) -> Result<u64> {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {key: value}});
        let applied = self.apply(&object.to_string()).await?;
        version(applied.first().context("nothing was applied")?)
    }

    /// Deletes an object by name and waits until it is gone.
    pub async fn delete<K>(&self, name: &str) -> Result<()>
    where
        K: Resource<Scope = NamespaceResourceScope> + Clone + serde::de::DeserializeOwned + Debug + Send + 'static,
        K::DynamicType: Default,
    {
        let api: Api<K> = self.api();
        let uid = api.get(name).await?.uid().unwrap_or_default();
        api.delete(name, &DeleteParams::default()).await?;
        wait::gone(&api, name, &uid).await
    }

    /// Waits until a pod is ready.
    pub async fn pod_ready(&self, name: &str) -> Result<Pod> {
        wait::until(&self.api(), name, &format!("pod {name} to be ready"), |pod: &Pod| {
            let conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
            pod.metadata.deletion_timestamp.is_none()
                && conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
        })
        .await
    }
}

/// The version of an object as the number that it is.
pub fn version(object: &impl ResourceExt) -> Result<u64> {
    let version = object.resource_version().context("the object has no resourceVersion")?;
    version.parse().with_context(|| format!("the resourceVersion {version} is no number"))
}
