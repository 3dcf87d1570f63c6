//! The operator's part of a Watch's status.

use asyncai_crds::{
    Agent, Condition, Reason, Time, Watch, WatchStatus,
    condition::{self, ACCEPTED, FILTER_FAILING, RESOLVED_REFS, SUBSCRIBED, Status},
};

use crate::{
    agent::pod::PodState,
    verdict::{self, Verdict},
};

/// Reasons of `Subscribed=False` that do not pass by themselves; the agent keeps trying all the same.
const GIVEN_UP: &[Reason] =
    &[Reason::SourceError, Reason::ServerDown, Reason::NotWatchable, Reason::UnknownServer, Reason::RestoreFailed];

/// What is known about a Watch.
pub(super) struct Observed<'a> {
    /// The Watch as it was reconciled.
    pub(super) watch: &'a Watch,
    /// The Agent to which it refers.
    pub(super) agent: Option<&'a Agent>,
    /// That Agent's pod.
    pub(super) pod: PodState,
}

/// The whole of the operator's part.
pub(super) fn status(seen: &Observed<'_>, now: &Time) -> WatchStatus {
    let generation = seen.watch.metadata.generation.unwrap_or_default();
    let resolved = match seen.agent {
        Some(_) => condition::new(RESOLVED_REFS, true, Reason::ResolvedRefs, "the Agent exists", generation, now),
        None => condition::new(RESOLVED_REFS, false, Reason::AgentNotFound, &not_found(seen.watch), generation, now),
    };
    let mut conditions = vec![resolved];
    conditions.extend(ready(seen, generation).conditions(generation, now));
    WatchStatus {
        observed_generation: Some(generation),
        conditions: condition::follow(old(seen.watch), conditions),
        ..WatchStatus::default()
    }
}

/// Whether `watch` says all of `status` already.
pub(super) fn unchanged(watch: &Watch, status: &WatchStatus) -> bool {
    watch.status.as_ref().is_some_and(|live| {
        live.observed_generation == status.observed_generation
            && verdict::same(&[RESOLVED_REFS], &live.conditions, &status.conditions)
    })
}

fn old(watch: &Watch) -> &[Condition] {
    watch.status.as_ref().map_or(&[], |status| &status.conditions)
}

fn not_found(watch: &Watch) -> String {
    format!("spec.agentRef.name: there is no Agent {} in this namespace", watch.spec.agent_ref.name)
}

fn ready(seen: &Observed<'_>, generation: i64) -> Verdict {
    let Some(agent) = seen.agent else { return Verdict::failing(Reason::AgentNotFound, not_found(seen.watch)) };
    let name = &seen.watch.spec.agent_ref.name;
    let refusal = agent.status.as_ref().and_then(|status| condition::find(&status.conditions, ACCEPTED));
    if let Some(refusal) = refusal.filter(|accepted| accepted.status == Status::False.as_str()) {
        let message = format!("Agent {name} is not accepted: {}: {}", refusal.reason, refusal.message);
        return Verdict::failing(Reason::AgentNotAccepted, message);
    }
    match &seen.pod {
        _ if agent.spec.suspend => Verdict::suspended(format!("Agent {name} is suspended")),
        PodState::Ready => reported(seen.watch, generation),
        // Nothing runs that could watch.
        _ if seen.watch.spec.suspend => suspended(),
        PodState::NodeLost(message) => Verdict::unknown(Reason::NodeLost, message),
        // What keeps it down, the Agent tells: each of its steps would be a write for each of its Watches here.
        PodState::Absent | PodState::Ending | PodState::Starting | PodState::Failing(..) => {
            Verdict::unknown(Reason::AgentNotReady, format!("the pod of Agent {name} is not ready"))
        }
    }
}

/// The pod is up: the rest is what the agent in it says about this generation.
fn reported(watch: &Watch, generation: i64) -> Verdict {
    let current = |type_| condition::find(old(watch), type_).filter(|c| c.observed_generation == Some(generation));
    let holds = |condition: &Condition| condition.status == Status::True.as_str();
    let Some(accepted) = current(ACCEPTED) else {
        let message = format!("the agent has not taken up generation {generation} yet");
        return Verdict::progressing(Reason::Pending, message);
    };
    if !holds(accepted) {
        return Verdict::stalled(accepted, &accepted.message);
    }
    if watch.spec.suspend {
        return suspended();
    }
    match current(SUBSCRIBED) {
        Some(subscribed) if holds(subscribed) => match current(FILTER_FAILING) {
            Some(failing) => Verdict::stalled(failing, &failing.message),
            None => Verdict::ready("the agent is subscribed"),
        },
        Some(subscribed) if GIVEN_UP.iter().any(|reason| reason.as_str() == subscribed.reason) => {
            Verdict::stalled(subscribed, &subscribed.message)
        }
        Some(subscribed) => Verdict::progressing(subscribed, &subscribed.message),
        None => Verdict::progressing(Reason::Pending, "the agent has not subscribed yet"),
    }
}

fn suspended() -> Verdict {
    Verdict::suspended("spec.suspend is true")
}

#[cfg(test)]
mod tests;
