//! A run: the rounds in which the model works at a turn.

use std::collections::VecDeque;
use std::time::Instant;

use crate::budget::Tokens;
use crate::reply::Shown;
use crate::tool::Call;
use crate::turn::Turn;

/// The active run.
#[derive(Debug)]
pub(crate) struct Run {
    /// Tells its reply from a late one of an earlier run.
    pub(crate) id: u64,
    /// When it began.
    pub(crate) started: Instant,
    /// What it answers, and what was said on the way.
    pub(crate) turn: Turn,
    /// Where its reply goes.
    pub(crate) channel: Option<String>,
    /// Rounds that ended in calls.
    pub(crate) rounds: u32,
    /// What all rounds cost.
    pub(crate) tokens: Tokens,
    /// The length of the call under way.
    pub(crate) sent: usize,
    /// What of the reply is shown as it comes.
    pub(crate) shown: Shown,
    /// The model's calls that have no result yet, with their ids; the first is being run. Empty: the model is asked.
    pub(crate) pending: VecDeque<(String, Call)>,
}

impl Run {
    pub(crate) fn new(id: u64, started: Instant, turn: Turn, channel: Option<String>) -> Self {
        Self {
            id,
            started,
            turn,
            channel,
            rounds: 0,
            tokens: Tokens::default(),
            sent: 0,
            shown: Shown::default(),
            pending: VecDeque::new(),
        }
    }

    /// Whether a reply of the model is awaited.
    pub(crate) fn is_asking(&self) -> bool {
        self.pending.is_empty()
    }
}
