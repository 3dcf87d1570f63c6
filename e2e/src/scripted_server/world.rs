//! What the server knows and has seen.

use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

/// The state that can be watched.
pub(super) const NOTES: &str = "memo://notes";
/// The event log.
pub(super) const EVENTS: &str = "log://events";
/// Events that the log holds; enough for any burst of a story.
const RING: usize = 2048;

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Called {
    /// Its name.
    pub tool: String,
    /// What it was called with.
    pub arguments: Value,
}

/// What the server has seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Calls of tools.
    pub calls: Vec<Called>,
    /// Reads of resources.
    pub reads: usize,
    /// Open subscriptions to resources.
    pub listens: usize,
    /// When a connection was broken off because the server was down.
    pub attempts: Vec<Timestamp>,
}

/// Everything, in one place that can be waited on.
#[derive(Debug, Default)]
pub(super) struct World(watch::Sender<Facts>);

#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) seen: Seen,
    notes: BTreeMap<String, Value>,
    events: VecDeque<Value>,
    seq: u64,
    /// How often each resource has changed.
    changes: BTreeMap<&'static str, u64>,
    down: bool,
    /// Of which the streams are; those of an earlier one are broken.
    life: u64,
}

impl World {
    pub(super) fn subscribe(&self) -> watch::Receiver<Facts> {
        self.0.subscribe()
    }

    pub(super) fn set(&self, key: String, value: Value) {
        self.0.send_modify(|facts| {
            if value.is_null() {
                facts.notes.remove(&key)
            } else {
                facts.notes.insert(key, value)
            };
            *facts.changes.entry(NOTES).or_default() += 1;
        });
    }

    pub(super) fn append(&self, events: Vec<Map<String, Value>>) {
        self.0.send_modify(|facts| {
            for mut event in events {
                facts.seq += 1;
                event.insert("seq".to_owned(), json!(facts.seq));
                facts.events.push_back(Value::Object(event));
            }
            let surplus = facts.events.len().saturating_sub(RING);
            facts.events.drain(..surplus);
            *facts.changes.entry(EVENTS).or_default() += 1;
        });
    }

    pub(super) fn restart(&self) {
        self.0.send_modify(|facts| {
            facts.life += 1;
            facts.seq = 0;
            facts.events.clear();
        });
    }

    pub(super) fn down(&self, down: bool) {
        self.0.send_modify(|facts| {
            facts.life += u64::from(down);
            facts.down = down;
        });
    }

    /// Whether a connection that has just come is to be broken off.
    pub(super) fn refuses(&self) -> bool {
        self.0.send_if_modified(|facts| {
            if facts.down {
                facts.seen.attempts.push(Timestamp::now());
            }
            facts.down
        })
    }

    /// Mime type and text of a resource.
    pub(super) fn read(&self, uri: &str) -> Option<(&'static str, String)> {
        let facts = self.0.borrow();
        let found = match uri {
            NOTES => ("application/json", json!(facts.notes).to_string()),
            EVENTS => ("application/vnd.asyncai.events+json", json!({"events": facts.events}).to_string()),
            _ => return None,
        };
        drop(facts);
        self.0.send_modify(|facts| facts.seen.reads += 1);
        Some(found)
    }

    pub(super) fn note(&self, key: &str) -> Value {
        self.0.borrow().notes.get(key).cloned().unwrap_or_default()
    }

    pub(super) fn called(&self, tool: &str, arguments: &Value) {
        let called = Called { tool: tool.to_owned(), arguments: arguments.clone() };
        self.0.send_modify(|facts| facts.seen.calls.push(called));
    }

    pub(super) fn listens(&self, more: isize) {
        self.0.send_modify(|facts| facts.seen.listens = facts.seen.listens.saturating_add_signed(more));
    }

    /// What was seen, once there were so many attempts and are at least so many listens.
    pub(super) async fn seen(&self, attempts: usize, listens: usize) -> Seen {
        let mut facts = self.subscribe();
        let enough = |facts: &Facts| facts.seen.attempts.len() >= attempts && facts.seen.listens >= listens;
        // The sender is part of `self`: this never fails.
        facts.wait_for(enough).await.map(|facts| facts.seen.clone()).unwrap_or_default()
    }
}

impl Facts {
    /// The life of the server, and how often a resource has changed.
    pub(super) fn state(&self, uri: &str) -> (u64, u64) {
        (self.life, self.changes.get(uri).copied().unwrap_or_default())
    }
}
