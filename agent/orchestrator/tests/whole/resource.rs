//! What the simulated MCP servers serve: an event log, a plain one, a list and an object, each of which remembers all.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use asyncai_eventlog::{Extent, MIME, write};
use asyncai_watch::{Contents, Cursor, Id};

use crate::chance::Chance;

/// A state: values by key, no value given twice.
pub(crate) type Values = Arc<BTreeMap<String, u64>>;

/// What sort of resource it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// An event log that names epoch, floor and head, and has room for so many events.
    Log(usize),
    /// An event log that says nothing but its events, and numbers them without holes.
    Plain(usize),
    List,
    Object,
}

/// How its server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    Up,
    Slow,
    /// It takes requests and does not answer.
    Hangs,
    /// It answers reads with an error.
    Refuses,
    Down,
}

/// An event of a log. Its type, `E` and its place in the history, is unique.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) epoch: u32,
    pub(crate) seq: u64,
}

/// A subscription, as the server knows it.
#[derive(Debug)]
pub(crate) struct Subscriber {
    pub(crate) id: Id,
    pub(crate) ticket: u64,
    /// It is about to be told that something changed.
    pub(crate) told: bool,
}

/// What a read finds, beside its text.
#[derive(Clone, Debug)]
pub(crate) enum View {
    Log { epoch: u32, held: usize, end: usize, floor: u64, head: u64, plain: bool },
    State(Values),
}

/// A resource and its history.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) uri: String,
    pub(crate) sort: Sort,
    pub(crate) health: Health,
    pub(crate) subscribers: Vec<Subscriber>,
    pub(crate) history: Vec<Entry>,
    /// The first event that is still in the log.
    held: usize,
    epoch: u32,
    floor: u64,
    pub(crate) head: u64,
    pub(crate) values: Values,
    last_value: u64,
    /// The most keys of a state.
    keys: u64,
}

impl Resource {
    pub(crate) fn new(uri: &str, sort: Sort, keys: u64) -> Self {
        let head = if let Sort::Log(_) = sort { 40 } else { 0 };
        let mut resource = Self {
            uri: uri.to_owned(),
            sort,
            health: Health::Up,
            subscribers: Vec::new(),
            history: Vec::new(),
            held: 0,
            epoch: 1,
            floor: head,
            head,
            values: Values::default(),
            last_value: 0,
            keys,
        };
        for key in 0..keys / 2 {
            resource.set(key);
        }
        resource
    }

    pub(crate) fn is_log(&self) -> bool {
        matches!(self.sort, Sort::Log(_) | Sort::Plain(_))
    }

    /// So many things happen at once.
    pub(crate) fn change(&mut self, times: u64, chance: &mut Chance) {
        for _ in 0..times {
            match self.sort {
                Sort::Log(room) => {
                    self.head += chance.between(1, 4);
                    let size = if chance.once_in(5) { chance.between(2, 4) } else { 1 };
                    (0..size).for_each(|_| self.push());
                    self.evict(room);
                }
                Sort::Plain(room) => {
                    self.head += 1;
                    self.push();
                    self.evict(room);
                }
                Sort::List | Sort::Object => {
                    let key = chance.below(self.keys);
                    if chance.once_in(4) {
                        Arc::make_mut(&mut self.values).remove(&name(key));
                    } else {
                        self.set(key);
                    }
                }
            }
        }
    }

    /// The server starts anew, and has lost what it held.
    pub(crate) fn restart(&mut self) {
        if let Sort::Log(_) = self.sort {
            self.epoch += 1;
            self.held = self.history.len();
            (self.floor, self.head) = (5, 5);
        }
    }

    /// The server forgets all but its head.
    pub(crate) fn lose(&mut self) {
        if let Sort::Log(_) = self.sort {
            self.held = self.history.len();
            self.floor = self.head;
        }
    }

    /// The source says that nothing happened until now.
    pub(crate) fn bookmark(&mut self) {
        if let Sort::Log(_) = self.sort {
            self.head += 1;
        }
    }

    pub(crate) fn view(&self) -> View {
        if self.is_log() {
            let plain = matches!(self.sort, Sort::Plain(_));
            let (epoch, held, end, floor, head) = (self.epoch, self.held, self.history.len(), self.floor, self.head);
            View::Log { epoch, held, end, floor, head, plain }
        } else {
            View::State(Arc::clone(&self.values))
        }
    }

    pub(crate) fn contents(&self, since: Option<&Cursor>) -> Contents {
        let (mime, text) = match self.sort {
            Sort::Log(_) => (MIME, self.log(since)),
            Sort::Plain(_) => (MIME, write(Extent::default(), self.events(0).iter().map(|event| &**event))),
            Sort::List => {
                let item = |(key, value): (&String, &u64)| format!(r#"{{"id":"{key}","v":{value}}}"#);
                ("application/json", format!("[{}]", joined(self.values.iter().map(item))))
            }
            Sort::Object => {
                let member = |(key, value): (&String, &u64)| format!(r#""{key}":{value}"#);
                ("application/json", format!("{{{}}}", joined(self.values.iter().map(member))))
            }
        };
        Contents { mime: Some(mime.to_owned()), text }
    }

    fn log(&self, since: Option<&Cursor>) -> String {
        let epoch = format!("epoch-{}", self.epoch);
        let from = since.filter(|since| since.epoch == epoch && since.seq >= self.floor).map_or(0, |since| since.seq);
        let extent = Extent { epoch: Some(&epoch), floor: Some(self.floor), head: Some(self.head) };
        write(extent, self.events(from).iter().map(|event| &**event))
    }

    fn events(&self, from: u64) -> Vec<String> {
        let held = self.history.iter().enumerate().skip(self.held);
        held.filter(|(_, entry)| entry.seq > from).map(|(index, entry)| event(index, entry.seq)).collect()
    }

    fn push(&mut self) {
        self.history.push(Entry { epoch: self.epoch, seq: self.head });
    }

    fn evict(&mut self, room: usize) {
        while self.history.len() - self.held > room {
            let oldest = self.history[self.held].seq;
            if oldest == self.head {
                return;
            }
            self.floor = oldest;
            self.held += self.history[self.held..].iter().take_while(|entry| entry.seq == oldest).count();
        }
    }

    fn set(&mut self, key: u64) {
        self.last_value += 1;
        Arc::make_mut(&mut self.values).insert(name(key), self.last_value);
    }
}

/// The JSON of an event, which is also the line that tells it.
pub(crate) fn event(index: usize, seq: u64) -> String {
    format!(r#"{{"seq":{seq},"type":"E{index}"}}"#)
}

fn name(key: u64) -> String {
    format!("k{key:03}")
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    let mut joined = String::new();
    for part in parts {
        let separator = if joined.is_empty() { "" } else { "," };
        let _ = write!(joined, "{separator}{part}");
    }
    joined
}
