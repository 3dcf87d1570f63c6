//! What the engine is told.

use std::fmt;

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
        result: Result<Option<String>, String>,
    },
    /// The turn that saw the notices of these numbers has ended.
    Seen(Vec<u64>),
    /// Read every live watch once more: there will be no further reason to.
    Refresh,
    /// The process is to end: final reads, last statuses, then [`Output::Stopped`](crate::Output::Stopped).
    Stop,
}

/// What a resource held when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Its MIME type, which decides the shape.
    pub mime: Option<String>,
    /// Its text.
    pub text: String,
}

/// Why a resource could not be subscribed to or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What sort of failure it is.
    pub kind: FailureKind,
    /// The message for people, from whoever failed.
    pub message: String,
}

/// Sorts of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// There is no such server, or none for the URI.
    UnknownServer,
    /// The server cannot be watched.
    NotWatchable,
    /// The server cannot be reached.
    ServerDown,
    /// The server answered that it cannot serve the resource, or its answer is unusable.
    SourceError,
}

impl FailureKind {
    /// Whether the server said no, rather than being not there (yet).
    pub(crate) fn is_an_answer(self) -> bool {
        matches!(self, Self::NotWatchable | Self::SourceError)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
