//! A volume of the node's own disk for a story, where the cluster provides none by itself.

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{Node, PersistentVolume, Pod};
use kube::api::{DeleteParams, ListParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::story::Story;
use crate::wait;

/// Where namespaces admit pods that mount the node's folders.
const PRIVILEGED: &str = "kube-system";

/// A claim of the story's namespace and the volume behind it.
pub struct Claim {
    /// The claim's name.
    pub name: String,
    volume: String,
}

impl Claim {
    /// Makes a folder on a node and a claim for it.
    pub async fn create(story: &Story, name: &str) -> Result<Self> {
        let nodes: Api<Node> = Api::all(story.cluster.client.clone());
        let node = nodes.list(&ListParams::default().limit(1)).await?.items.into_iter().next().context("no node")?;
        let volume = format!("{}-{name}", story.namespace);
        let path = format!("/var/lib/asyncai-stories/{volume}");
        make_folder(story, &volume, &path, &node.name_any()).await?;
        let common = json!({"accessModes": ["ReadWriteOnce"], "storageClassName": ""});
        let mut spec = common.clone();
        spec["capacity"] = json!({"storage": "64Mi"});
        spec["local"] = json!({"path": path});
        spec["claimRef"] = json!({"namespace": story.namespace, "name": name});
        spec["nodeAffinity"] = json!({"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": [node.labels().get("kubernetes.io/hostname")]}]}]}});
        let persistent =
            json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume}, "spec": spec});
        let mut spec = common;
        spec["volumeName"] = json!(volume);
        spec["resources"] = json!({"requests": {"storage": "64Mi"}});
        let claim =
            json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec});
        story.apply(&format!("{persistent}\n---\n{claim}")).await?;
        Ok(Self { name: name.to_owned(), volume })
    }

    /// Forgets the volume, which does not go with the story's namespace.
    pub async fn delete(self, story: &Story) -> Result<()> {
        let volumes: Api<PersistentVolume> = Api::all(story.cluster.client.clone());
        volumes.delete(&self.volume, &DeleteParams::default()).await?;
        Ok(())
    }
}

/// A pod that mounts a folder has the kubelet make it.
async fn make_folder(story: &Story, name: &str, path: &str, node: &str) -> Result<()> {
    let container = json!({"name": "none", "image": "localhost/asyncai-e2e:dev", "command": ["/scripted-server", "--version"],
        "volumeMounts": [{"name": "folder", "mountPath": "/folder"}]});
    let spec = json!({"restartPolicy": "Never", "nodeName": node, "automountServiceAccountToken": false,
        "containers": [container],
        "volumes": [{"name": "folder", "hostPath": {"path": path, "type": "DirectoryOrCreate"}}]});
    let pod =
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": PRIVILEGED}, "spec": spec});
    story.apply(&pod.to_string()).await?;
    let pods: Api<Pod> = Api::namespaced(story.cluster.client.clone(), PRIVILEGED);
    wait::until(&pods, name, "a folder on the node", |pod| {
        pod.status.as_ref().and_then(|status| status.phase.as_deref()) == Some("Succeeded")
    })
    .await?;
    pods.delete(name, &DeleteParams::default()).await?;
    Ok(())
}
