//! Names, labels and the owner reference of what an Agent becomes.

use std::collections::BTreeMap;

use asyncai_crds::{Agent, contract};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Resource, ResourceExt};

/// Annotation of the pod template that holds a hash of it: a change of the template is a change of this, even if only
/// something was taken away.
pub(super) const ROLLOUT_ANNOTATION: &str = "asyncai.dev/rollout";

/// The one label that selects an Agent's pod.
pub(super) fn selector(agent: &Agent) -> BTreeMap<String, String> {
    BTreeMap::from([(contract::AGENT_LABEL.to_owned(), agent.name_any())])
}

/// The labels of all that an Agent becomes. The Agent's own are not copied: tools such as Argo CD track by them.
pub(super) fn labels(agent: &Agent) -> BTreeMap<String, String> {
    let mut labels = selector(agent);
    labels.insert("app.kubernetes.io/name".to_owned(), "asyncai-agent".to_owned());
    labels.insert("app.kubernetes.io/instance".to_owned(), agent.name_any());
    labels.insert("app.kubernetes.io/managed-by".to_owned(), contract::OPERATOR_MANAGER.to_owned());
    labels
}

/// The metadata of each object of an Agent, which controls it: they all bear one name and go when it goes.
pub(super) fn metadata(agent: &Agent) -> ObjectMeta {
    ObjectMeta {
        name: Some(contract::child_name(&agent.name_any())),
        namespace: agent.namespace(),
        labels: Some(labels(agent)),
        owner_references: agent.controller_owner_ref(&()).map(|owner| vec![owner]),
        ..ObjectMeta::default()
    }
}
