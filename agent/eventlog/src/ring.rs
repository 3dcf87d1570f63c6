//! The bounded log of recent events that a server keeps for all its readers.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::wire::{Extent, Since, write};

#[cfg(test)]
mod tests;

/// Recent events in order of their `seq`, each held as its JSON text.
///
/// Events that share a `seq` are one unit: they are evicted together, and the newest unit is never evicted, however
/// large. Whoever shares a ring between threads must push a unit's events under one lock.
#[derive(Clone, Debug)]
pub struct Ring {
    capacity: usize,
    events: VecDeque<Entry>,
    floor: u64,
    head: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    seq: u64,
    json: Arc<str>,
}

impl Ring {
    /// An empty ring for about `capacity` events, of a source that stands at `head`.
    pub fn new(capacity: usize, head: u64) -> Self {
        Self { capacity, events: VecDeque::new(), floor: head, head }
    }

    /// Appends an event, the text of a JSON object that carries this `seq`.
    ///
    /// A `seq` below the newest one breaks the contract of an event log: readers are past it and would not see the event.
    pub fn push(&mut self, seq: u64, json: impl Into<Arc<str>>) {
        self.append(seq, json.into());
        self.advance(seq);
        self.evict();
    }

    /// Appends an event beyond the head, which stays where it is: the source has not come that far.
    ///
    /// Readers see it and stay at the head. An event that the source has at the same `seq` joins its unit.
    pub fn announce(&mut self, seq: u64, json: impl Into<Arc<str>>) {
        debug_assert!(seq > self.head, "seq {seq} is not beyond the head");
        self.append(seq, json.into());
        self.evict();
    }

    /// Takes back what was announced beyond the head.
    pub fn retract(&mut self) {
        while self.events.pop_back_if(|entry| entry.seq > self.head).is_some() {}
    }

    /// Says that the log is complete up to `head`: the source reported that nothing else happened until then.
    pub fn advance(&mut self, head: u64) {
        self.head = self.head.max(head);
    }

    /// Every event with a greater `seq` is still held.
    pub fn floor(&self) -> u64 {
        self.floor
    }

    /// The `seq` up to which the log is complete.
    pub fn head(&self) -> u64 {
        self.head
    }

    /// The body for a reader: the events after `since` if it is of this `epoch` and none was evicted, else all.
    pub fn body(&self, epoch: Option<&str>, since: Option<&Since>) -> String {
        let extent = Extent { epoch, floor: Some(self.floor), head: Some(self.head) };
        match since {
            Some(since) if epoch == Some(&since.epoch) && since.seq >= self.floor => {
                write(extent, self.after(since.seq))
            }
            _ => write(extent, self.events.iter().map(|entry| &*entry.json)),
        }
    }

    fn after(&self, seq: u64) -> impl Iterator<Item = &str> {
        let first = self.events.partition_point(|entry| entry.seq <= seq);
        self.events.range(first..).map(|entry| &*entry.json)
    }

    fn append(&mut self, seq: u64, json: Arc<str>) {
        debug_assert!(self.events.back().is_none_or(|last| last.seq <= seq), "seq {seq} is below the newest event");
        self.events.push_back(Entry { seq, json });
    }

    fn evict(&mut self) {
        let newest = self.events.back().map(|entry| entry.seq);
        while self.events.len() > self.capacity {
            match self.events.front() {
                // A floor beyond the head would be a gap to every reader at the head.
                Some(oldest) if Some(oldest.seq) != newest && oldest.seq <= self.head => self.floor = oldest.seq,
                _ => return,
            }
            while self.events.pop_front_if(|entry| entry.seq == self.floor).is_some() {}
        }
    }
}
