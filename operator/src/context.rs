//! What every reconciliation can see: the caches of its scope, the client, the settings.

use std::sync::Arc;

use asyncai_crds::{Agent, AgentSpec, Watch, agent::Model, contract};
use k8s_openapi::api::{
    admissionregistration::v1::{ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding},
    apps::v1::StatefulSet,
    core::v1::{Pod, ServiceAccount},
    rbac::v1::{Role, RoleBinding},
};
use kube::{
    Client, Resource,
    runtime::reflector::{ObjectRef, Store},
};

use crate::metrics::Metrics;

/// What every reconciliation can see.
pub(crate) struct Context {
    /// The API server.
    pub(crate) client: Client,
    /// What was last seen there.
    pub(crate) caches: Caches,
    /// What the operator was started with.
    pub(crate) settings: Arc<Settings>,
    /// What is counted.
    pub(crate) metrics: Arc<Metrics>,
}

/// What was last seen of each kind, of one namespace or of all.
#[derive(Clone)]
pub(crate) struct Caches {
    /// Every Agent.
    pub(crate) agents: Store<Agent>,
    /// Every Watch, without what only its agent needs.
    pub(crate) watches: Store<Watch>,
    /// Those with the operator's label, as the rest below.
    pub(crate) accounts: Store<ServiceAccount>,
    /// The agents' rights.
    pub(crate) roles: Store<Role>,
    /// Their bindings.
    pub(crate) bindings: Store<RoleBinding>,
    /// Without status.
    pub(crate) sets: Store<StatefulSet>,
    /// Without spec.
    pub(crate) pods: Store<Pod>,
    /// The one that holds agents to their own Watches.
    pub(crate) policies: Store<ValidatingAdmissionPolicy>,
    /// Its binding.
    pub(crate) policy_bindings: Store<ValidatingAdmissionPolicyBinding>,
}

impl Caches {
    /// The Watches of an Agent, whether it exists or not.
    pub(crate) fn watches_of(&self, namespace: &str, agent: &str) -> Vec<Arc<Watch>> {
        self.watches.state_filter(|watch| {
            watch.spec.agent_ref.name == agent && watch.metadata.namespace.as_deref() == Some(namespace)
        })
    }

    /// Whether the cluster holds agents to their own Watches.
    pub(crate) fn confined(&self) -> bool {
        let name = contract::ADMISSION_POLICY;
        // One that is for some namespaces only, or only warns, does not.
        let enforces = |binding: &ValidatingAdmissionPolicyBinding| {
            let spec = &binding.spec;
            spec.policy_name == name
                && spec.match_resources.is_none()
                && spec.validation_actions.iter().any(|action| action == "Deny")
        };
        self.policies.get(&ObjectRef::new(name)).is_some()
            && self.policy_bindings.get(&ObjectRef::new(name)).is_some_and(|binding| enforces(&binding))
    }

    /// The pod of an Agent: the one of its StatefulSet, not one that merely bears its name.
    pub(crate) fn pod_of(&self, namespace: &str, agent: &str) -> Option<Arc<Pod>> {
        let name = contract::child_name(agent);
        let set = get(&self.sets, namespace, &name)?;
        let pod = get(&self.pods, namespace, &format!("{name}-0"))?;
        let owners = pod.metadata.owner_references.as_deref().unwrap_or_default();
        let owned = owners.iter().any(|owner| Some(&owner.uid) == set.metadata.uid.as_ref());
        owned.then_some(pod)
    }
}

/// The object of that name in a cache.
pub(crate) fn get<K>(store: &Store<K>, namespace: &str, name: &str) -> Option<Arc<K>>
where
    K: Resource<DynamicType = ()> + Clone + 'static,
{
    store.get(&ObjectRef::new(name).within(namespace))
}

/// What the operator was started with.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// Image of the agents whose spec names none.
    pub(crate) agent_image: String,
    /// UID of the namespace kube-system, if it may be read.
    pub(crate) cluster_id: Option<String>,
    /// Model of the Agents whose spec names none.
    pub(crate) default_model: Option<Model>,
    /// The same as the agents get it.
    pub(crate) default_model_json: Option<String>,
}

impl Settings {
    /// `spec`, or the same with the default model in the place of none.
    pub(crate) fn with_default_model(&self, spec: &AgentSpec) -> AgentSpec {
        let model = spec.model.clone().or_else(|| self.default_model.clone());
        AgentSpec { model, ..spec.clone() }
    }
}
