//! What the engine is told.

use std::time::Instant;

use crate::failure::Failure;
use crate::spec::{Id, Spec};
use crate::status::Resume;

/// Something that happened.
///
/// A `ticket` is the one of the [`Output`](crate::Output) that is answered; an answer to an outdated one is ignored.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "an input is handed over and gone")]
pub enum Input {
    /// Nothing but time has passed; due at [`Set::next_wake`](crate::Set::next_wake).
    Wake,
    /// The most watches that may run, 5 unless told otherwise.
    Limit(u32),
    /// A watch exists, or its spec changed.
    Apply {
        /// The spec.
        spec: Spec,
        /// What an earlier process knew of it; looked at only when the watch is new to this one.
        resume: Option<Resume>,
    },
    /// Every watch that existed when the process started has been applied.
    Loaded,
    /// The watch exists no longer.
    Remove(Id),
    /// The filter was checked.
    Checked {
        /// The watch.
        id: Id,
        /// Of the [`Output::Check`](crate::Output::Check).
        ticket: u64,
        /// Whether it may be used; if not, why, with line and column.
        result: Result<(), String>,
    },
    /// What filters may use has changed: those that were refused are checked once more.
    Recheck,
    /// The server acknowledged the subscription.
    Acknowledged {
        /// The watch.
        id: Id,
        /// Of the [`Output::Subscribe`](crate::Output::Subscribe).
        ticket: u64,
        /// The server's name.
        server: String,
    },
    /// There is no subscription: it could not be made.
    SubscribeFailed {
        /// The watch.
        id: Id,
        /// Of the [`Output::Subscribe`](crate::Output::Subscribe).
        ticket: u64,
        /// Why.
        failure: Failure,
    },
    /// The server says that the resource changed.
    Updated {
        /// The watch.
        id: Id,
        /// Of the [`Output::Subscribe`](crate::Output::Subscribe).
        ticket: u64,
    },
    /// The subscription ended, whether gracefully or not.
    Ended {
        /// The watch.
        id: Id,
        /// Of the [`Output::Subscribe`](crate::Output::Subscribe).
        ticket: u64,
        /// Why, as far as known.
        message: String,
    },
    /// The resource was read.
    Read {
        /// The watch.
        id: Id,
        /// Of the [`Output::Read`](crate::Output::Read).
        ticket: u64,
        /// Its contents.
        result: Result<Contents, Failure>,
    },
    /// The filter looked at an event.
    Filtered {
        /// The watch.
        id: Id,
        /// Of the [`Output::Filter`](crate::Output::Filter).
        ticket: u64,
        /// The text to tell, `None` to drop the event, or why the filter failed.
        result: Result<Option<String>, FilterError>,
    },
    /// The turn that saw the notices of these numbers has ended.
    Seen(Vec<u64>),
    /// Read every live watch once more: there will be no further reason to.
    Refresh,
    /// Whether no notice is to be sent, because turns are held back: lines wait and merge.
    Hold(bool),
    /// The process is to end: final reads, last statuses, then [`Output::Stopped`](crate::Output::Stopped).
    Stop {
        /// No read is waited for longer.
        deadline: Instant,
    },
}

/// Why a filter failed on an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// What happened and where, for a line of a notice.
    pub message: String,
    /// The same with all that led there, for the status of a filter that fails again and again.
    pub traceback: String,
}

/// What a resource held when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Its MIME type, which decides the shape.
    pub mime: Option<String>,
    /// Its text.
    pub text: String,
}
