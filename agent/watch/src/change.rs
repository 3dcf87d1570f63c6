//! Changes as they are read, before they are looked at, and the marks between them.

use std::sync::Arc;

use crate::state::State;
use crate::status::{Baseline, Cursor};
use crate::what::What;

/// What a read yields, in order.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// Something changed.
    Change {
        /// The life of the sequence that `change.seq` counts in.
        epoch: Arc<str>,
        /// What changed.
        change: Change,
    },
    /// Whoever knows of everything before is here.
    Mark(Mark),
}

impl Entry {
    /// The bytes that it holds, roughly.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Change { change: Change { what: What::Logged(json), .. }, .. } => json.len(),
            Self::Change { change: Change { what: What::Differs { old, new, .. }, .. }, .. } => {
                [old, new].into_iter().flatten().map(|value| value.len()).sum()
            }
            Self::Change { change: Change { what: What::Gap { .. }, .. }, .. } | Self::Mark(_) => 0,
        }
    }
}

/// A place up to which changes can be done with, and what it takes to go on from there.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// The life of the sequence.
    pub(crate) epoch: Arc<str>,
    /// The last change.
    pub(crate) seq: u64,
    /// What it takes besides.
    pub(crate) snapshot: Snapshot,
}

/// How a resource was at a mark.
#[derive(Clone, Debug)]
pub(crate) enum Snapshot {
    /// An event log: its sequence says it all.
    Log,
    /// A state.
    State(Arc<State>),
    /// A state that an earlier process saved.
    Saved(Baseline),
}

/// One change, still as text.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// Its number; the last one that may be missing if it is a hole.
    pub(crate) seq: u64,
    /// What it is.
    pub(crate) what: What,
}

impl Mark {
    /// The mark that an earlier process saved.
    pub(crate) fn saved(cursor: &Cursor, baseline: Option<&Baseline>) -> Self {
        let snapshot = baseline.cloned().map_or(Snapshot::Log, Snapshot::Saved);
        Self { epoch: cursor.epoch.as_str().into(), seq: cursor.seq, snapshot }
    }

    /// The mark as it is saved.
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor { epoch: (*self.epoch).to_owned(), seq: self.seq }
    }
}
