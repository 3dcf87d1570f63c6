//! A run: one call of the model, and what it answers.

use std::time::Instant;

use crate::thread::{Entry, Origin};

/// The active run.
#[derive(Debug)]
pub(crate) struct Run {
    /// Tells its reply from a late one of an earlier run.
    pub(crate) id: u64,
    /// When it began.
    pub(crate) started: Instant,
    /// What it answers, in order of arrival.
    pub(crate) claimed: Vec<Entry>,
    /// Where its reply goes.
    pub(crate) channel: Option<String>,
}

impl Run {
    /// The notices it holds.
    pub(crate) fn notices(&self) -> Vec<u64> {
        numbers(&self.claimed)
    }
}

/// The numbers of the notices among `entries`.
pub(crate) fn numbers(entries: &[Entry]) -> Vec<u64> {
    entries
        .iter()
        .filter_map(|entry| match &entry.origin {
            Origin::Notice(notice) => notice.number,
            Origin::Start | Origin::User { .. } => None,
        })
        .collect()
}
