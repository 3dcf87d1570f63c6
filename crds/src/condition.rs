//! Conditions: how they are made, and how a new set of them follows on an old one.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use crate::Reason;

/// The spec is valid and served. Always present.
pub const ACCEPTED: &str = "Accepted";
/// All that the spec refers to is there. Always present.
pub const RESOLVED_REFS: &str = "ResolvedRefs";
/// Everything works. Always present.
pub const READY: &str = "Ready";
/// A Watch's subscription is acknowledged. Always present on a Watch.
pub const SUBSCRIBED: &str = "Subscribed";
/// It will not get better without somebody doing something. Present only while True.
pub const STALLED: &str = "Stalled";
/// Work is under way. Present only while True.
pub const RECONCILING: &str = "Reconciling";
/// The spec suspends it. Present only while True.
pub const SUSPENDED: &str = "Suspended";
/// A Watch's filter fails again and again, and events are told by the default line. Present only while True.
pub const FILTER_FAILING: &str = "FilterFailing";
/// The model may not make Watches although the Agent's spec allows it. Present only while True.
pub const MODEL_WATCHES_DENIED: &str = "ModelWatchesDenied";
/// A limit holds an Agent or a Watch back. Present only while True.
pub const THROTTLED: &str = "Throttled";

/// Longest message, in bytes; seven conditions then fit into 4 KiB.
pub const MESSAGE_MAX: usize = 512;

/// Whether what a condition says holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// It is not known.
    Unknown,
}

impl Status {
    /// The word that stands in the condition.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl From<bool> for Status {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// A condition of `generation` that has its status since `now`. A message longer than [`MESSAGE_MAX`] is cut.
pub fn new(
    type_: &str,
    status: impl Into<Status>,
    reason: Reason,
    message: &str,
    generation: i64,
    now: &Time,
) -> Condition {
    Condition {
        type_: type_.to_owned(),
        status: status.into().as_str().to_owned(),
        reason: reason.as_str().to_owned(),
        message: clip(message, MESSAGE_MAX),
        observed_generation: Some(generation),
        last_transition_time: now.clone(),
    }
}

/// A writer's new full set: each keeps the time of the old one of its type if the status is the same. Conditions that
/// are only in `old` are left out.
pub fn follow(old: &[Condition], mut new: Vec<Condition>) -> Vec<Condition> {
    for condition in &mut new {
        keep_time(old, condition);
    }
    new
}

/// The condition of a type.
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.type_ == type_)
}

/// The text in at most `max` bytes, with an ellipsis in place of what is cut off.
pub fn clip(text: &str, max: usize) -> String {
    const ELLIPSIS: char = '…';
    if text.len() <= max {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(max.saturating_sub(ELLIPSIS.len_utf8()));
    format!("{}{ELLIPSIS}", text[..end].trim_end())
}

fn keep_time(old: &[Condition], new: &mut Condition) {
    if let Some(old) = find(old, &new.type_).filter(|old| old.status == new.status) {
        new.last_transition_time = old.last_transition_time.clone();
    }
}

#[cfg(test)]
mod tests;
