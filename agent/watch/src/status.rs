//! Where a watch stands, as it is shown to people and read back after a restart.

use std::time::SystemTime;

use crate::failure::Failure;
use crate::spec::{Id, Origin, Spec};

/// The whole status of a watch. It is given out when it differs from the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The watch.
    pub id: Id,
    /// The generation of the spec that this is the status of.
    pub generation: i64,
    /// Whether it runs, and if not, why.
    pub phase: Phase,
    /// What the resource turned out to be; `None` before the first read.
    pub shape: Option<Shape>,
    /// The MCP server that serves it; `None` before the first subscription.
    pub server: Option<String>,
    /// Everything up to here was seen by the agent or dropped; `None` before the first read.
    pub cursor: Option<Cursor>,
    /// Of a state: what of it was seen.
    pub baseline: Option<Baseline>,
    /// What has happened since the watch was created.
    pub counts: Counts,
    /// When the last event was processed.
    pub last_event: Option<SystemTime>,
    /// When the last notice was sent.
    pub last_notice: Option<SystemTime>,
    /// Why events are told by the default line although the watch has a filter; `None` if the filter works.
    pub broken_filter: Option<String>,
    /// An earlier process left the watch, and it could not go on yet.
    pub restore_failed: bool,
    /// Whether lines wait because the notices of the last hour reached the maximum.
    pub throttled: bool,
}

/// What a watch is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The agent has `maximum` older watches and may have no more.
    Refused {
        /// The most watches that the agent may have.
        maximum: u32,
    },
    /// The filter cannot be used; nothing is subscribed until there is another.
    InvalidFilter {
        /// Why, with line and column.
        message: String,
    },
    /// The spec suspends it.
    Suspended,
    /// It is subscribing, or reading for the first time.
    Connecting,
    /// It is live.
    Subscribed,
    /// The subscription ended, and a new one is being made.
    Resubscribing {
        /// The attempt, from 1.
        attempt: u32,
        /// Why it ended.
        message: String,
    },
    /// It could not start, or could not subscribe again in five attempts. It keeps trying.
    Failed {
        /// The last failure.
        failure: Failure,
        /// Attempts made after the first failure, at most 5.
        attempts: u32,
    },
}

/// The shape of a watched resource, decided by its MIME type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A log of numbered events.
    EventLog,
    /// A state, compared with the one read before.
    State,
}

/// A place in a sequence of events.
///
/// The events of a state are numbered here; so are those of an event log without an epoch. Such a sequence bears an epoch
/// that starts with `~`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The life of the sequence; `seq` never goes back within one.
    pub epoch: String,
    /// The last event.
    pub seq: u64,
}

/// What was seen of a state, small enough for a status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// Hash of the whole, in hex.
    pub hash: String,
    /// The number of items of a list or keys of an object; 0 for text.
    pub items: u32,
    /// A JSON object from item key to short hash, at most 8,192 bytes; `None` for text and if `truncated`.
    pub digests: Option<String>,
    /// The digests were too long: a change over a restart is told as a `GAP`.
    pub truncated: bool,
}

/// What has happened since a watch was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events processed.
    pub events: u64,
    /// Of these, dropped: without effect, by the filter or as a repeated line.
    pub dropped: u64,
    /// Notices sent to the agent.
    pub notices: u64,
    /// Holes reported as `GAP`.
    pub gaps: u64,
    /// Subscriptions made anew after one ended.
    pub resubscribes: u64,
    /// Failures of the filter.
    pub filter_errors: u64,
}

/// A watch as the model sees it in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its identity.
    pub id: Id,
    /// Its name as the agent knows it.
    pub name: String,
    /// What it watches.
    pub uri: String,
    /// Who made it.
    pub origin: Origin,
    /// What the resource turned out to be; `None` before the first read.
    pub shape: Option<Shape>,
    /// What has happened since it was created.
    pub counts: Counts,
    /// Whether it runs, and if not, why.
    pub phase: Phase,
    /// An earlier process left it, and it could not go on yet.
    pub restore_failed: bool,
}

/// What an earlier process left in the status; given with [`Input::Apply`](crate::Input::Apply).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resume {
    /// What was watched; if that is not what the spec says now, cursor and baseline do not hold. `None`: nothing yet.
    pub uri: Option<String>,
    /// From [`Status::server`]; if the spec names another one, cursor and baseline do not hold.
    pub server: Option<String>,
    /// From [`Status::cursor`]; without it the watch starts as a new one.
    pub cursor: Option<Cursor>,
    /// From [`Status::baseline`].
    pub baseline: Option<Baseline>,
    /// From [`Status::counts`].
    pub counts: Counts,
    /// From [`Status::last_event`].
    pub last_event: Option<SystemTime>,
    /// From [`Status::last_notice`].
    pub last_notice: Option<SystemTime>,
}

impl Resume {
    /// Whether an earlier process has known the watch.
    pub(crate) fn is_of_old(&self) -> bool {
        self.uri.is_some() || self.cursor.is_some()
    }

    /// Whether cursor and baseline are of something else than `spec` says now.
    pub(crate) fn is_of_another(&self, spec: &Spec) -> bool {
        let other_uri = self.uri.as_ref().is_some_and(|uri| *uri != spec.uri);
        let other_server = self.server.as_ref().zip(spec.server.as_ref()).is_some_and(|(old, new)| old != new);
        self.cursor.is_some() && (other_uri || other_server)
    }
}
