//! A server of an event log that remembers all it ever said.

use asyncai_eventlog::{Extent, write};
use asyncai_watch::Cursor;

/// An event of the history. Its type is unique.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) epoch: u32,
    pub(crate) seq: u64,
    pub(crate) json: String,
}

/// The server and its whole history.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// It says nothing but its events, and numbers them without holes.
    pub(crate) plain: bool,
    /// Whether its reader has a filter.
    pub(crate) filtered: bool,
    /// Whether the model made the watch of its reader.
    pub(crate) model: bool,
    pub(crate) epoch: u32,
    pub(crate) history: Vec<Event>,
    /// The first event of the history that is still in the log.
    pub(crate) held: usize,
    pub(crate) floor: u64,
    /// The log is complete up to here.
    pub(crate) head: u64,
    /// The last unit; it may grow while it is beyond the head.
    top: u64,
}

impl Server {
    pub(crate) fn new(plain: bool, filtered: bool, model: bool) -> Self {
        let head = if plain { 0 } else { 40 };
        Self { plain, filtered, model, epoch: 1, history: Vec::new(), held: 0, floor: head, head, top: head }
    }

    /// One unit for each size; the last one may be left to grow.
    pub(crate) fn append(&mut self, sizes: &[usize], open: bool) {
        for &size in sizes {
            self.top += if self.plain { 1 } else { 3 };
            (0..size).for_each(|_| self.push());
            self.head = self.top;
        }
        self.head -= u64::from(open && !self.plain);
    }

    pub(crate) fn grow(&mut self) {
        if self.head < self.top {
            self.push();
        }
    }

    fn push(&mut self) {
        let seq = self.top;
        let json = format!(r#"{{"seq":{seq},"type":"{}"}}"#, kind(self.history.len()));
        self.history.push(Event { epoch: self.epoch, seq, json });
    }

    pub(crate) fn bookmark(&mut self) {
        if !self.plain {
            self.top += u64::from(self.head == self.top);
            self.head = self.top;
        }
    }

    pub(crate) fn evict(&mut self) {
        // A plain log that loses its last event looks like one that never had any.
        let least = usize::from(self.plain);
        if let Some(oldest) = self
            .history
            .get(self.held)
            .filter(|oldest| self.held + least < self.history.len() && oldest.seq <= self.head)
        {
            self.floor = oldest.seq;
            let floor = self.floor;
            self.held += self.history[self.held..].iter().take_while(|event| event.seq == floor).count();
        }
    }

    pub(crate) fn restart(&mut self) {
        if !self.plain {
            self.epoch += 1;
            self.held = self.history.len();
            (self.floor, self.head, self.top) = (5, 5, 5);
        }
    }

    pub(crate) fn body(&self, since: Option<&Cursor>) -> String {
        let log = self.history[self.held..].iter();
        if self.plain {
            return write(Extent::default(), log.map(|event| &*event.json));
        }
        let epoch = format!("epoch-{}", self.epoch);
        let from = since.filter(|since| since.epoch == epoch && since.seq >= self.floor).map_or(0, |since| since.seq);
        let extent = Extent { epoch: Some(&epoch), floor: Some(self.floor), head: Some(self.head) };
        write(extent, log.filter(|event| event.seq > from).map(|event| &*event.json))
    }
}

/// The type of the event at a place of the history.
pub(crate) fn kind(index: usize) -> String {
    format!("E{index}")
}
