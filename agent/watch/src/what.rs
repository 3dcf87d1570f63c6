//! What a change is: an event of a log, a difference between two states, or a hole.

use std::sync::Arc;

/// Sorts of change.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// An event of an event log: its JSON.
    Logged(Box<str>),
    /// A difference between two states.
    Differs {
        /// What happened.
        kind: Kind,
        /// Where the value stands.
        place: Place,
        /// The value before, as JSON (text, if the whole is text).
        old: Option<Arc<str>>,
        /// The value now.
        new: Option<Arc<str>>,
    },
    /// Something may be missing.
    Gap {
        /// Why, in one word.
        reason: &'static str,
        /// How many, if they can be counted.
        missed: Option<u64>,
    },
}

/// What happened to a part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Added,
    Modified,
    Deleted,
    Changed,
}

/// Where in a state a value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// An item of a list, by its key.
    Item(Arc<str>),
    /// A member of an object.
    Member(Arc<str>),
    /// It is the whole.
    Whole,
}

impl Kind {
    /// The `type` of the event.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::Changed => "CHANGED",
        }
    }
}
