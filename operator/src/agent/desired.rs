//! What an Agent becomes, or why it does not.

use asyncai_crds::{Agent, Reason, support};
use k8s_openapi::api::{
    apps::v1::StatefulSet,
    core::v1::ServiceAccount,
    rbac::v1::{Role, RoleBinding},
};

use super::{rbac, statefulset};
use crate::{context::Settings, error::Refusal};

/// The objects of an Agent, in the order in which they are made: the pod comes last, when it may do what it must.
pub(super) struct Desired {
    /// As whom the agent runs.
    pub(super) account: ServiceAccount,
    /// What it may do.
    pub(super) role: Role,
    /// That the one may do the other.
    pub(super) binding: RoleBinding,
    /// The agent itself.
    pub(super) set: StatefulSet,
}

/// All that `agent` becomes, where the cluster holds agents to their own Watches or not. Depends on nothing but its
/// arguments.
pub(super) fn desired(agent: &Agent, settings: &Settings, confined: bool) -> Result<Desired, Refusal> {
    check(agent, settings)?;
    Ok(Desired {
        account: rbac::account(agent),
        role: rbac::role(agent, confined),
        binding: rbac::binding(agent),
        set: statefulset::build(agent, settings),
    })
}

fn check(agent: &Agent, settings: &Settings) -> Result<(), Refusal> {
    let unsupported = support::agent(&agent.spec);
    if !unsupported.is_empty() {
        let message = unsupported.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        return Err(Refusal { reason: Reason::NotYetSupported, message });
    }
    if agent.spec.model.is_none() && settings.default_model_json.is_none() {
        let message = "spec.model: must be set, because the operator has no default model (Helm value defaultModel)";
        return Err(Refusal { reason: Reason::NoModel, message: message.to_owned() });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
