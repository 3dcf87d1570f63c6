//! What the agent says of its Watches and itself, from what its engines and servers say. Pure.

use std::time::SystemTime;

use asyncai_crds::agent::ModelManaged;
use asyncai_crds::condition::{self, Status as Holds};
use asyncai_crds::watch::{Baseline, Counts, Cursor, Shape};
use asyncai_crds::{Agent, Condition, Reason, Time, WatchStatus};
use asyncai_watch::{FailureKind, Phase, Resume, Status};

#[cfg(test)]
mod tests;

/// Attempts after which a server that cannot be reached counts as down.
const ATTEMPTS: u32 = 5;

/// The status of a Watch that the engine has; `old` is the one before.
pub(crate) fn watch(old: &WatchStatus, uri: &str, status: &Status, now: &Time) -> WatchStatus {
    let make = |type_, (holds, reason, message): (Holds, Reason, String)| {
        condition::new(type_, holds, reason, &message, status.generation, now)
    };
    let mut conditions = vec![
        make(condition::ACCEPTED, accepted(&status.phase)),
        make(condition::SUBSCRIBED, subscribed(&status.phase, status.restore_failed)),
    ];
    if let Some(message) = &status.broken_filter {
        conditions.push(make(condition::FILTER_FAILING, (Holds::True, Reason::FilterFailing, broken(message))));
    }
    if status.throttled {
        let message = "spec.maxNoticesPerHour is reached: lines wait and are then told together".to_owned();
        conditions.push(make(condition::THROTTLED, (Holds::True, Reason::NoticeLimit, message)));
    }
    WatchStatus {
        observed_generation: None, // the operator's
        conditions: condition::follow(&old.conditions, conditions),
        uri: Some(uri.to_owned()),
        shape: status.shape.map(|shape| match shape {
            asyncai_watch::Shape::EventLog => Shape::EventLog,
            asyncai_watch::Shape::State => Shape::State,
        }),
        server: status.server.clone(),
        cursor: status.cursor.as_ref().map(|cursor| Cursor { epoch: cursor.epoch.clone(), seq: cursor.seq }),
        baseline: status.baseline.as_ref().map(|baseline| Baseline {
            hash: baseline.hash.clone(),
            items: baseline.items,
            digests: baseline.digests.clone(),
            truncated: baseline.truncated,
        }),
        counts: Some(Counts {
            events: status.counts.events,
            dropped: status.counts.dropped,
            notices: status.counts.notices,
            gaps: status.counts.gaps,
            resubscribes: status.counts.resubscribes,
            filter_errors: status.counts.filter_errors,
        }),
        last_event_time: status.last_event.and_then(time),
        last_notice_time: status.last_notice.and_then(time),
    }
}

/// What the status of a Watch lets the engine resume from.
pub(crate) fn resume(status: &WatchStatus) -> Resume {
    let counts = status.counts.unwrap_or_default();
    Resume {
        uri: status.uri.clone(),
        server: status.server.clone(),
        cursor: status.cursor.as_ref().map(|c| asyncai_watch::Cursor { epoch: c.epoch.clone(), seq: c.seq }),
        baseline: status.baseline.as_ref().map(|baseline| asyncai_watch::Baseline {
            hash: baseline.hash.clone(),
            items: baseline.items,
            digests: baseline.digests.clone(),
            truncated: baseline.truncated,
        }),
        counts: asyncai_watch::Counts {
            events: counts.events,
            dropped: counts.dropped,
            notices: counts.notices,
            gaps: counts.gaps,
            resubscribes: counts.resubscribes,
            filter_errors: counts.filter_errors,
        },
        last_event: status.last_event_time.as_ref().map(|time| time.0.into()),
        last_notice: status.last_notice_time.as_ref().map(|time| time.0.into()),
    }
}

/// A moment in whole seconds, as Kubernetes writes it; None if it is none that a calendar has.
pub(crate) fn time(at: SystemTime) -> Option<Time> {
    let stamp = jiff::Timestamp::try_from(at).ok()?;
    jiff::Timestamp::from_second(stamp.as_second()).ok().map(Time)
}

const PEOPLE: &str = "people start its watches; propose a Watch manifest to them instead";

/// Whether the model may make Watches.
///
/// # Errors
/// Why not, as a sentence for the model.
pub(crate) fn may_manage(agent: &Agent) -> Result<(), String> {
    if agent.spec.watches.model_managed == ModelManaged::Deny {
        return Err(format!("spec.watches.modelManaged of the Agent is Deny: {PEOPLE}"));
    }
    let conditions = agent.status.as_ref().map_or(&[][..], |status| &status.conditions);
    let denied = condition::find(conditions, condition::MODEL_WATCHES_DENIED);
    match denied.filter(|denied| denied.status == Holds::True.as_str()) {
        Some(denied) => Err(format!("{}: {PEOPLE}", denied.message)),
        None => Ok(()),
    }
}

/// The agent's own conditions: `missing` says which Secrets and servers are not there.
pub(crate) fn agent(
    old: &[Condition],
    missing: &[(Reason, String)],
    throttled: Option<&(Reason, String)>,
    generation: i64,
    now: &Time,
) -> Vec<Condition> {
    let (holds, reason, message) = match missing.first() {
        None => (Holds::True, Reason::ResolvedRefs, String::new()),
        Some((reason, _)) => {
            let all = missing.iter().map(|(_, message)| message.as_str()).collect::<Vec<_>>();
            (Holds::False, *reason, all.join("; "))
        }
    };
    let mut conditions = vec![condition::new(condition::RESOLVED_REFS, holds, reason, &message, generation, now)];
    if let Some((reason, message)) = throttled {
        conditions.push(condition::new(condition::THROTTLED, Holds::True, *reason, message, generation, now));
    }
    condition::follow(old, conditions)
}

/// The end of a traceback says what happened, so it is kept when the whole is too long.
fn broken(message: &str) -> String {
    const INTRODUCTION: &str = "events are told by the default line, because spec.onEvent failed ten times in a row: ";
    let room = condition::MESSAGE_MAX - INTRODUCTION.len() - '…'.len_utf8();
    let message = message.trim_end();
    match message.len().checked_sub(room) {
        None | Some(0) => format!("{INTRODUCTION}{message}"),
        Some(over) => format!("{INTRODUCTION}…{}", &message[message.ceil_char_boundary(over)..]),
    }
}

fn accepted(phase: &Phase) -> (Holds, Reason, String) {
    match phase {
        Phase::Refused { maximum } => {
            let message =
                format!("spec.watches.max of the Agent allows {maximum}, and that many are older than this one");
            (Holds::False, Reason::TooManyWatches, message)
        }
        Phase::InvalidFilter { message } => (Holds::False, Reason::InvalidFilter, format!("spec.onEvent: {message}")),
        Phase::Suspended
        | Phase::Connecting
        | Phase::Subscribed
        | Phase::Resubscribing { .. }
        | Phase::Failed { .. } => (Holds::True, Reason::Accepted, String::new()),
    }
}

fn subscribed(phase: &Phase, restore_failed: bool) -> (Holds, Reason, String) {
    match phase {
        Phase::Failed { failure, .. } if restore_failed => {
            let message = format!("could not be resumed after a restart, and is tried again: {}", failure.message);
            (Holds::False, Reason::RestoreFailed, message)
        }
        Phase::Refused { .. } | Phase::InvalidFilter { .. } => {
            (Holds::False, Reason::Pending, "the Watch is not accepted".to_owned())
        }
        Phase::Suspended => (Holds::False, Reason::Suspended, "spec.suspend is set".to_owned()),
        Phase::Connecting => (Holds::False, Reason::Connecting, String::new()),
        Phase::Subscribed => (Holds::True, Reason::Subscribed, String::new()),
        Phase::Resubscribing { attempt, message } => {
            (Holds::False, Reason::Resubscribing, format!("attempt {attempt}: {message}"))
        }
        // A server that is being started along with the agent is not broken.
        Phase::Failed { failure, attempts } if failure.kind == FailureKind::ServerDown && *attempts < ATTEMPTS => {
            (Holds::False, Reason::Connecting, failure.message.clone())
        }
        Phase::Failed { failure, .. } => {
            let reason = match failure.kind {
                FailureKind::UnknownServer => Reason::UnknownServer,
                FailureKind::NotWatchable => Reason::NotWatchable,
                FailureKind::ServerDown => Reason::ServerDown,
                FailureKind::SourceError => Reason::SourceError,
            };
            (Holds::False, reason, failure.message.clone())
        }
    }
}
