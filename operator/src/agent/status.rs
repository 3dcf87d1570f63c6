//! The operator's part of an Agent's status.

use asyncai_crds::{
    Agent, AgentStatus, Condition, Reason, Time,
    agent::ModelManaged,
    condition::{self, ACCEPTED, MODEL_WATCHES_DENIED, RESOLVED_REFS, Status},
};

use super::pod::PodState;
use crate::{
    error::Refusal,
    verdict::{self, Verdict},
};

const UNCONFINED: &str = "spec.watches.modelManaged counts as Deny: the ValidatingAdmissionPolicy \
    asyncai-agents-own-watches or its binding, which hold an agent to its own Watches, is not there";

/// What is known about an Agent.
pub(super) struct Observed<'a> {
    /// The Agent as it was reconciled.
    pub(super) agent: &'a Agent,
    /// How making its objects went.
    pub(super) applied: Applied<'a>,
    /// Its pod.
    pub(super) pod: PodState,
    /// Whether that pod was made from the present template.
    pub(super) rolled_out: bool,
    /// Whether the cluster holds agents to their own Watches.
    pub(super) confined: bool,
    /// How many Watches refer to it.
    pub(super) watch_count: u32,
}

/// How making an Agent's objects went.
#[derive(Clone, Copy)]
pub(super) enum Applied<'a> {
    /// They are as they should be.
    Done,
    /// It cannot be done.
    Refused(&'a Refusal),
    /// The API server would not have one of them.
    Failed(&'a str),
}

/// The whole of the operator's part.
pub(super) fn status(seen: &Observed<'_>, now: &Time) -> AgentStatus {
    let generation = seen.agent.metadata.generation.unwrap_or_default();
    let accepted = match seen.applied {
        Applied::Refused(refusal) => condition::new(ACCEPTED, false, refusal.reason, &refusal.message, generation, now),
        Applied::Done | Applied::Failed(_) => {
            condition::new(ACCEPTED, Status::True, Reason::Accepted, "the spec is served", generation, now)
        }
    };
    let mut conditions = vec![accepted];
    if !seen.confined && seen.agent.spec.watches.model_managed == ModelManaged::Allow {
        let reason = Reason::NoAdmissionPolicy;
        conditions.push(condition::new(MODEL_WATCHES_DENIED, true, reason, UNCONFINED, generation, now));
    }
    conditions.extend(ready(seen, generation).conditions(generation, now));
    AgentStatus {
        observed_generation: Some(generation),
        conditions: condition::follow(old(seen.agent), conditions),
        watch_count: Some(seen.watch_count),
        ..AgentStatus::default()
    }
}

/// Whether `agent` says all of `status` already.
pub(super) fn unchanged(agent: &Agent, status: &AgentStatus) -> bool {
    agent.status.as_ref().is_some_and(|live| {
        live.observed_generation == status.observed_generation
            && live.watch_count == status.watch_count
            && verdict::same(&[ACCEPTED, MODEL_WATCHES_DENIED], &live.conditions, &status.conditions)
    })
}

fn old(agent: &Agent) -> &[Condition] {
    agent.status.as_ref().map_or(&[], |status| &status.conditions)
}

fn ready(seen: &Observed<'_>, generation: i64) -> Verdict {
    match seen.applied {
        Applied::Refused(refusal) => return Verdict::stalled(refusal.reason, &refusal.message),
        Applied::Failed(message) => return Verdict::stalled(Reason::ApplyFailed, message),
        Applied::Done => {}
    }
    let progressing = |message: &str| Verdict::progressing(Reason::Progressing, message);
    match &seen.pod {
        PodState::NodeLost(message) => Verdict::unknown(Reason::NodeLost, message),
        PodState::Absent if seen.agent.spec.suspend => Verdict::suspended("spec.suspend is true; there is no pod"),
        _ if seen.agent.spec.suspend => progressing("the pod is ending, because spec.suspend is true"),
        PodState::Absent => progressing("the pod is not there yet"),
        PodState::Ending => progressing("the pod is being replaced"),
        _ if !seen.rolled_out => progressing("the pod is about to be replaced by one of the present spec"),
        PodState::Starting => progressing("the pod is starting"),
        PodState::Failing(reason, message) => Verdict::failing(*reason, message),
        PodState::Ready => running(seen.agent, generation),
    }
}

/// The pod is up: the rest is what the agent in it says about this generation.
fn running(agent: &Agent, generation: i64) -> Verdict {
    match condition::find(old(agent), RESOLVED_REFS) {
        Some(refs) if refs.observed_generation != Some(generation) => {
            Verdict::progressing(Reason::Pending, format!("the agent has not taken up generation {generation} yet"))
        }
        Some(refs) if refs.status != Status::True.as_str() => Verdict::failing(refs, &refs.message),
        Some(_) => Verdict::ready("the agent runs"),
        None => Verdict::progressing(Reason::Pending, "the agent has not reported yet"),
    }
}

#[cfg(test)]
mod tests;
