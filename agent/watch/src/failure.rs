//! What can go wrong with a resource.

use std::fmt;

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
