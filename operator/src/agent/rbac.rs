//! The account of an agent, and what it may do on the API server by itself: its own Agent and its Watches, no more.
//!
//! That it writes only its *own* Watches is held by the ValidatingAdmissionPolicy of the chart. Without that the model
//! makes and deletes none.

use asyncai_crds::{Agent, agent::ModelManaged, contract};
use k8s_openapi::api::{
    core::v1::ServiceAccount,
    rbac::v1::{PolicyRule, Role, RoleBinding, RoleRef, Subject},
};
use kube::ResourceExt;

use super::names;

/// The account as which the agent runs; people bind to it what the agent may read.
pub(super) fn account(agent: &Agent) -> ServiceAccount {
    ServiceAccount {
        metadata: names::metadata(agent),
        automount_service_account_token: Some(false),
        ..ServiceAccount::default()
    }
}

/// The agent's rights. `confined`: the cluster holds agents to their own Watches.
pub(super) fn role(agent: &Agent, confined: bool) -> Role {
    let name = agent.name_any();
    let managed = confined && agent.spec.watches.model_managed == ModelManaged::Allow;
    let watches: &[&str] =
        if managed { &["get", "list", "watch", "create", "delete"] } else { &["get", "list", "watch"] };
    Role {
        metadata: names::metadata(agent),
        rules: Some(vec![
            rule("agents", Some(&name), &["get", "list", "watch"]),
            rule("agents/status", Some(&name), &["get", "patch"]),
            rule("watches", None, watches),
            rule("watches/status", None, &["get", "patch"]),
        ]),
    }
}

/// Gives the rights to the account.
pub(super) fn binding(agent: &Agent) -> RoleBinding {
    let name = contract::child_name(&agent.name_any());
    RoleBinding {
        metadata: names::metadata(agent),
        role_ref: RoleRef {
            api_group: Some("rbac.authorization.k8s.io".to_owned()),
            kind: "Role".to_owned(),
            name: name.clone(),
        },
        subjects: Some(vec![Subject {
            kind: "ServiceAccount".to_owned(),
            name,
            namespace: agent.namespace(),
            ..Subject::default()
        }]),
    }
}

fn rule(resource: &str, name: Option<&str>, verbs: &[&str]) -> PolicyRule {
    PolicyRule {
        api_groups: Some(vec![contract::GROUP.to_owned()]),
        resources: Some(vec![resource.to_owned()]),
        resource_names: name.map(|name| vec![name.to_owned()]),
        verbs: verbs.iter().map(ToString::to_string).collect(),
        ..PolicyRule::default()
    }
}
