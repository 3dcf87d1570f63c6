//! Agents and Watches of a story: their manifests, and waiting for what becomes of them.

use anyhow::{Context, Result};
use asyncai_crds::{Agent, Condition, Watch, contract};
use kube::{Api, ResourceExt};
use serde_json::Value;

use crate::apply;
use crate::log::Log;
use crate::story::Story;
use crate::wait;

/// Name of an agent's pod.
#[must_use]
pub fn pod(agent: &str) -> String {
    format!("{}-0", contract::child_name(agent))
}

/// Manifest of an agent that posts each line as it is, and may read what everybody may.
#[must_use]
pub fn relay(agent: &str) -> String {
    manifest(agent, "{provider: Relay}")
}

/// Manifest of an agent that asks the story's scripted model.
#[must_use]
pub fn asking(agent: &str) -> String {
    manifest(agent, "{provider: OpenAI, baseURL: 'http://model:8080/v1', name: scripted}")
}

fn manifest(agent: &str, model: &str) -> String {
    format!(
        r"
apiVersion: asyncai.dev/v1alpha1
kind: Agent
metadata: {{name: {agent}}}
spec:
  model: {model}
  mcpServers: [{{name: kcp, kcp: {{access: ReadOnly}}}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: {agent}-reads}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: asyncai-watch-readonly}}
subjects: [{{kind: ServiceAccount, name: asyncai-agent-{agent}}}]
"
    )
}

/// A manifest with further fields in the spec of its first object, which take the place of those that it has.
pub fn with(manifest: &str, spec: &Value) -> Result<String> {
    let mut documents = apply::documents(manifest)?;
    let first = documents.first_mut().context("an empty manifest")?;
    for (field, value) in spec.as_object().context("fields are wanted")? {
        first["spec"][field] = value.clone();
    }
    Ok(documents.iter().map(Value::to_string).collect::<Vec<_>>().join("\n---\n"))
}

/// Manifest of a Watch; `more` holds further fields of its spec, as flow YAML without braces.
#[must_use]
pub fn watch(name: &str, agent: &str, uri: &str, more: &str) -> String {
    format!(
        r"
apiVersion: asyncai.dev/v1alpha1
kind: Watch
metadata: {{name: {name}}}
spec: {{agentRef: {{name: {agent}}}, uri: '{uri}', {more}}}
"
    )
}

/// URI of the ConfigMaps in a namespace.
#[must_use]
pub fn configmaps(namespace: &str) -> String {
    format!("kcp-events://watch/local/configmaps?namespace={namespace}")
}

impl Story {
    /// Waits until an Agent's condition has this status at the current generation.
    pub async fn agent(&self, name: &str, condition: &str, status: &str) -> Result<Agent> {
        let api: Api<Agent> = self.api();
        wait::until(&api, name, &format!("agent {name} to be {condition}={status}"), |agent| {
            let conditions = agent.status.iter().flat_map(|status| &status.conditions);
            holds(conditions, condition, status, agent.metadata.generation)
        })
        .await
    }

    /// Waits until a Watch's condition has this status at the current generation.
    pub async fn watch(&self, name: &str, condition: &str, status: &str) -> Result<Watch> {
        let api: Api<Watch> = self.api();
        wait::until(&api, name, &format!("watch {name} to be {condition}={status}"), |watch| {
            let conditions = watch.status.iter().flat_map(|status| &status.conditions);
            holds(conditions, condition, status, watch.metadata.generation)
        })
        .await
    }

    /// Waits until an agent's pod is ready, and follows its log.
    pub async fn agent_log(&self, agent: &str) -> Result<Log> {
        let pod = self.pod_ready(&pod(agent)).await?;
        Log::follow(&self.api(), &pod.name_any()).await
    }

    /// The events of this name that the agent's pod has logged so far.
    pub async fn events(&self, agent: &str, name: &str) -> Result<Vec<Value>> {
        let log = self.kubectl(&["logs", &pod(agent)]).await?;
        let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        Ok(events.filter(|event| event["event"] == name).collect())
    }
}

/// A condition of an object.
pub fn condition<'a>(conditions: &'a [Condition], type_: &str) -> Result<&'a Condition> {
    conditions
        .iter()
        .find(|condition| condition.type_ == type_)
        .with_context(|| format!("there is no condition {type_}"))
}

fn holds<'a>(
    conditions: impl IntoIterator<Item = &'a Condition>,
    type_: &str,
    status: &str,
    generation: Option<i64>,
) -> bool {
    conditions
        .into_iter()
        .any(|found| found.type_ == type_ && found.status == status && found.observed_generation == generation)
}
