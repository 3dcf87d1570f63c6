//! Where the reader of an event log stands, and which events of a body are new to it.

use std::cmp::Ordering;
use std::sync::Arc;

use asyncai_eventlog::{Body, Event};

use crate::change::{Change, Entry, Mark, Snapshot};
use crate::digest::Digest;
use crate::what::What;

/// A longer name of an epoch is not taken from a server.
const MAX_EPOCH: usize = 128;

/// The place of a reader in an event log.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    /// The life of the log.
    pub(crate) epoch: Arc<str>,
    /// The log was complete up to here when it was read.
    pub(crate) cursor: u64,
    /// The last event delivered, or the cursor if that is later.
    newest: u64,
    /// How many events of `newest` were delivered; more may come if the log is not complete up to it.
    taken: usize,
}

/// What a first read finds.
#[derive(Clone, Copy)]
pub(crate) enum First {
    /// Everything in the log is known already.
    Known,
    /// Everything in the log is to be delivered.
    New,
}

impl Sequence {
    /// The place that an earlier process saved.
    pub(crate) fn resume(epoch: &str, seq: u64) -> Self {
        Self { epoch: epoch.into(), cursor: seq, newest: seq, taken: usize::MAX }
    }

    /// A place before everything.
    fn start(epoch: Arc<str>) -> Self {
        Self { epoch, cursor: 0, newest: 0, taken: 0 }
    }

    /// The place of a reader that comes to the log for the first time; `name` is for an epoch that the server does not name.
    pub(crate) fn first(body: &Body<'_>, name: &str, first: First) -> (Self, Vec<Entry>) {
        let mut sequence = Self::start(epoch(body).unwrap_or_else(|| name.into()));
        let mut entries = sequence.deliver(body);
        if let First::Known = first {
            entries.retain(|entry| matches!(entry, Entry::Mark(_)));
        }
        (sequence, entries)
    }

    /// What of a body is new, with a `GAP` before it where events may be missing.
    pub(crate) fn read(&mut self, body: &Body<'_>, name: &str) -> Vec<Entry> {
        let mut entries = Vec::new();
        let oldest = body.events.first().map(|event| event.seq);
        let end = body.head.max(body.events.last().map(|event| event.seq));
        let other = epoch(body).filter(|epoch| *epoch != self.epoch);
        let restarted = epoch(body).is_none() && end.is_some_and(|end| end < self.newest);
        if other.is_some() || restarted {
            let reason = if restarted { "restart" } else { "epoch" };
            *self = Self::start(other.unwrap_or_else(|| name.into()));
            let before = body.floor.or(oldest.map(|seq| seq.saturating_sub(1))).or(body.head).unwrap_or(0);
            entries.push(self.gap(before, reason, None));
        } else if let Some(floor) = body.floor {
            if floor > self.cursor {
                self.skip_to(floor);
                entries.push(self.gap(floor, "evicted", None));
            }
        } else if let Some(oldest) = oldest
            && oldest > self.newest.saturating_add(1)
        {
            let missed = oldest - self.newest - 1;
            self.skip_to(oldest - 1);
            entries.push(self.gap(oldest - 1, "evicted", Some(missed)));
        }
        entries.append(&mut self.deliver(body));
        entries
    }

    /// The events that were not delivered yet, with a mark after each complete unit and one at the end.
    fn deliver(&mut self, body: &Body<'_>) -> Vec<Entry> {
        let complete = body.head.unwrap_or(u64::MAX);
        let mut entries = Vec::new();
        for unit in body.events.chunk_by(|a, b| a.seq == b.seq) {
            let seq = unit[0].seq;
            let known = match seq.cmp(&self.newest) {
                Ordering::Less => unit.len(),
                Ordering::Equal => self.taken,
                Ordering::Greater => 0,
            };
            for event in unit.iter().skip(known) {
                entries.push(self.change(seq, logged(event)));
            }
            if seq >= self.newest {
                self.newest = seq;
                self.taken = unit.len().max(known);
            }
            if known < unit.len() && seq <= complete {
                self.cursor = self.cursor.max(seq);
                entries.push(Entry::Mark(self.mark()));
            }
        }
        if let Some(head) = body.head
            && body.events.last().is_none_or(|event| event.seq <= head)
        {
            // What once stood beyond the head and no longer does was in the memory of a server that has restarted.
            (self.newest, self.taken) = (head, usize::MAX);
        }
        self.cursor = self.cursor.max(body.head.unwrap_or(self.newest));
        entries.push(Entry::Mark(self.mark()));
        entries
    }

    fn skip_to(&mut self, seq: u64) {
        self.cursor = self.cursor.max(seq);
        if seq > self.newest {
            (self.newest, self.taken) = (seq, usize::MAX);
        }
    }

    fn mark(&self) -> Mark {
        Mark { epoch: Arc::clone(&self.epoch), seq: self.cursor, snapshot: Snapshot::Log }
    }

    fn gap(&self, seq: u64, reason: &'static str, missed: Option<u64>) -> Entry {
        self.change(seq, What::Gap { reason, missed })
    }

    fn change(&self, seq: u64, what: What) -> Entry {
        Entry::Change { epoch: Arc::clone(&self.epoch), change: Change { seq, what } }
    }
}

fn logged(event: &Event<'_>) -> What {
    What::Logged(event.json.get().into())
}

/// The epoch that the server names, if it can be kept.
fn epoch(body: &Body<'_>) -> Option<Arc<str>> {
    let epoch = body.epoch.as_deref().filter(|epoch| !epoch.is_empty())?;
    if epoch.len() > MAX_EPOCH {
        return Some(Digest::of(epoch).name().into());
    }
    Some(epoch.into())
}
