//! Drops a line that an object already has.

use std::collections::HashMap;

use crate::digest::Digest;
use crate::event::Event;

#[cfg(test)]
mod tests;

/// At least the last so many objects are remembered, at most twice as many.
const REMEMBERED: usize = 4_096;

/// The last line of each object. Objects are forgotten in the order in which they were last told of, roughly.
#[derive(Debug, Default)]
pub(crate) struct Dedupe {
    recent: HashMap<Digest, Digest>,
    older: HashMap<Digest, Digest>,
    /// The last `ERROR`, while nothing else has come from the source.
    error: Option<Digest>,
}

impl Dedupe {
    /// Whether the line is to be told, which it then counts as. A `GAP` always is: each is a hole of its own; so
    /// is the default line of a difference, which may be equal to the last only because it is shortened.
    pub(crate) fn admit(&mut self, event: &Event, line: &str) -> bool {
        let digest = Digest::of(line);
        if event.is_error() {
            return self.error.replace(digest) != Some(digest);
        }
        self.error = None;
        match &event.object {
            Some(object) if !event.is_gap() => {
                let same = self.remember(Digest::of(object), digest) == Some(digest);
                !same || (event.differs && line == event.line)
            }
            _ => true,
        }
    }

    fn remember(&mut self, object: Digest, digest: Digest) -> Option<Digest> {
        let older = self.older.remove(&object);
        let last = self.recent.insert(object, digest).or(older);
        if self.recent.len() >= REMEMBERED {
            self.older = std::mem::take(&mut self.recent);
        }
        last
    }
}
