//! What comes of the watches that an earlier process left, and the notice that tells of it.

use std::fmt::Write as _;

use crate::failure::{Failure, FailureKind};
use crate::notice::{NOTE, escape};

#[cfg(test)]
mod tests;

/// A server that is being started along with the agent may not be there at once.
const ATTEMPTS: u32 = 3;
/// The notice has at most so many lines; those beyond are counted.
const MAX_LINES: usize = 20;

/// What came of a watch that an earlier process left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Restore {
    /// It is new, or what came of it does not matter any more.
    No,
    /// Nothing yet.
    Awaited,
    /// It runs.
    Done,
    /// It could not go on, and tries again; this is why.
    Failed(String),
    /// It can never start, and is to be deleted.
    Dropped,
}

impl Restore {
    /// It could not start at the attempt of that number. Returns whether that is worth telling.
    pub(crate) fn failed(&mut self, failure: &Failure, attempt: u32) -> bool {
        let tell = *self == Self::Awaited && (failure.kind != FailureKind::ServerDown || attempt >= ATTEMPTS);
        if tell {
            *self = Self::Failed(failure.message.clone());
        }
        tell
    }

    /// It runs.
    pub(crate) fn done(&mut self) {
        if matches!(self, Self::Awaited | Self::Failed(_)) {
            *self = Self::Done;
        }
    }

    pub(crate) fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// What the agent must know of the watches that an earlier process left: those that started afresh, could not go on, or
/// were deleted. Of the others nothing is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreNotice {
    /// A number of its own among those of the notices.
    pub number: u64,
    /// A single line for each watch, at most 20; not escaped for [`RestoreNotice::text`].
    pub lines: Vec<String>,
    /// How many more lines there were.
    pub more: usize,
}

impl RestoreNotice {
    /// What the notice is of.
    pub const SOURCE: &str = "restore";

    pub(crate) fn new(number: u64, mut lines: Vec<String>) -> Self {
        let more = lines.len().saturating_sub(MAX_LINES);
        lines.truncate(MAX_LINES);
        Self { number, lines, more }
    }

    /// The whole message for the model.
    pub fn text(&self) -> String {
        let mut text = String::from("<watch-restore>\n");
        for line in &self.lines {
            text.push_str(&escape(line));
            text.push('\n');
        }
        if self.more > 0 {
            let _ = writeln!(text, "+{} more", self.more);
        }
        text + "</watch-restore>\n" + NOTE
    }
}
