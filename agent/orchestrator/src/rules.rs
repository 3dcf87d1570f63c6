//! The waiting rules: what an arrival does to the thread.
//!
//! Input and notices go through the same rule, so that a notice is no side channel.

use crate::turn::Entry;

/// One effect of a rule.
#[derive(Debug)]
pub(crate) enum Step {
    /// Append to the thread.
    AddMessage(Box<Entry>),
    /// Have the thread answered: now, or by one more run after the active one.
    RunThread,
}

impl Step {
    /// Its name in the log.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::AddMessage(_) => "AddMessage",
            Self::RunThread => "RunThread",
        }
    }
}

/// The rule for whatever arrives.
pub(crate) fn arrival(entry: Entry) -> [Step; 2] {
    [Step::AddMessage(Box::new(entry)), Step::RunThread]
}
