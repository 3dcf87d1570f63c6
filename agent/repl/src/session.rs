//! Code mode: a REPL that persists from run to run.

use crate::call::Host;
use crate::catalogue::Catalogue;
use crate::limits::Limits;

/// The REPL of a thread. Its worker is started with the first run.
pub struct Session {
    limits: Limits,
}

/// What a run left; [`Outcome::text`] is what the model gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What was printed, bounded.
    pub stdout: String,
    /// The value of the last expression as JSON, or as Python writes it where it is no JSON; none for `None`. Bounded.
    pub value: Option<String>,
    /// The traceback.
    pub error: Option<String>,
    /// The names that the next run may use, with their types and short values; empty if there are none. Bounded.
    pub names: String,
    /// Whether the names of earlier runs are gone, because the worker had to be ended.
    pub lost: bool,
}

impl Outcome {
    /// All of it as the model gets it, at most 16 KB.
    pub fn text(&self) -> String {
        todo!()
    }
}

impl Session {
    /// A fresh REPL; nothing runs yet.
    pub fn new(limits: Limits) -> Self {
        Self { limits }
    }

    /// Runs the source. Errors of any kind are part of the outcome, and the session can be used again.
    pub async fn run(&mut self, source: &str, catalogue: &Catalogue, host: &dyn Host) -> Outcome {
        let _ = (source, catalogue, host, &self.limits);
        todo!()
    }
}
