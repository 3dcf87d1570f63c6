//! What is known of a resource from earlier reads, and what the next read adds to it.

use std::sync::Arc;

use asyncai_eventlog::{Body, MIME};

use crate::change::{Change, Entry, Mark, Snapshot};
use crate::input::Contents;
use crate::json::{members, string};
use crate::sequence::{First, Sequence};
use crate::spec::Initial;
use crate::state::State;
use crate::status::{Baseline, Cursor, Shape};
use crate::what::What;

/// Starts the name of an epoch that was not given by the server.
const OWN_EPOCH: char = '~';

/// The reader of one resource.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    past: Past,
    trouble: Option<String>,
}

#[derive(Debug, Default)]
enum Past {
    /// It was never read.
    #[default]
    Nothing,
    /// An earlier process has read it.
    Saved { cursor: Cursor, baseline: Option<Baseline> },
    /// It is an event log.
    Log(Sequence),
    /// It is a state, whose changes are numbered here; `own`: the epoch is of this process.
    State { epoch: Arc<str>, own: bool, seq: u64, state: Arc<State> },
}

impl Reader {
    /// A reader that goes on where an earlier process was.
    pub(crate) fn resume(cursor: Option<Cursor>, baseline: Option<Baseline>) -> Self {
        Self { past: cursor.map_or(Past::Nothing, |cursor| Past::Saved { cursor, baseline }), trouble: None }
    }

    /// What the server may be told of where the reader stands, if it named the epoch, or if the reader has nothing and
    /// wants all.
    pub(crate) fn since(&self, initial: Initial) -> Option<Cursor> {
        let cursor = match &self.past {
            Past::Nothing if initial == Initial::Deliver => Cursor { epoch: String::new(), seq: 0 },
            Past::Saved { cursor, baseline: None } => cursor.clone(),
            Past::Log(sequence) => Cursor { epoch: (*sequence.epoch).to_owned(), seq: sequence.cursor },
            Past::Nothing | Past::Saved { .. } | Past::State { .. } => return None,
        };
        (!cursor.epoch.starts_with(OWN_EPOCH)).then_some(cursor)
    }

    /// The shape of the resource as it was last read.
    pub(crate) fn shape(&self) -> Option<Shape> {
        match &self.past {
            Past::Nothing => None,
            Past::Saved { baseline, .. } => Some(if baseline.is_some() { Shape::State } else { Shape::EventLog }),
            Past::Log(_) => Some(Shape::EventLog),
            Past::State { .. } => Some(Shape::State),
        }
    }

    /// What the contents add to what is known. `moment`, in milliseconds, names a sequence that has no name.
    ///
    /// An error says why the contents cannot be read; the reader stands where it was.
    pub(crate) fn read(&mut self, contents: &Contents, initial: Initial, moment: u64) -> Result<Vec<Entry>, String> {
        let name = format!("{OWN_EPOCH}{moment}");
        if is_event_log(contents) {
            let body = Body::read(&contents.text).map_err(|error| error.to_string())?;
            Ok(self.read_log(&body, initial, &name))
        } else {
            Ok(self.read_state(&contents.text, initial, &name))
        }
    }

    /// What the source of an event log reports of itself, for as long as it does: an `ERROR` beyond the head.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    fn read_log(&mut self, body: &Body<'_>, initial: Initial, name: &str) -> Vec<Entry> {
        self.trouble = trouble(body);
        let (past, entries) = match std::mem::take(&mut self.past) {
            Past::Log(mut sequence) => {
                let entries = sequence.read(body, name);
                (sequence, entries)
            }
            Past::Saved { cursor, baseline: None } => {
                let mut sequence = Sequence::resume(&cursor.epoch, cursor.seq);
                let entries = sequence.read(body, name);
                (sequence, entries)
            }
            Past::Nothing => {
                let first = if initial == Initial::Deliver { First::New } else { First::Known };
                Sequence::first(body, name, first)
            }
            Past::State { .. } | Past::Saved { .. } => {
                let (sequence, mut entries) = Sequence::first(body, name, First::Known);
                entries.insert(0, other_shape(&sequence.epoch, sequence.cursor));
                (sequence, entries)
            }
        };
        self.past = Past::Log(past);
        entries
    }

    fn read_state(&mut self, text: &str, initial: Initial, name: &str) -> Vec<Entry> {
        let (mut epoch, mut own, mut seq, state, changes): (Arc<str>, bool, u64, State, Vec<What>) = match &self.past {
            Past::State { epoch, own, seq, state: old } => {
                let state = State::parse(text, Some(old));
                let changes = state.changes_since(old);
                (Arc::clone(epoch), *own, *seq, state, changes)
            }
            Past::Saved { cursor, baseline: Some(baseline) } => {
                let state = State::parse(text, None);
                let changes = state.changes_since_saved(baseline);
                (cursor.epoch.as_str().into(), false, cursor.seq, state, changes)
            }
            Past::Nothing => {
                let state = State::parse(text, None);
                let changes = if initial == Initial::Deliver { state.as_new() } else { Vec::new() };
                (name.into(), true, 0, state, changes)
            }
            Past::Log(_) | Past::Saved { baseline: None, .. } => {
                let gap = What::Gap { reason: "shape", missed: None };
                (name.into(), true, 0, State::parse(text, None), vec![gap])
            }
        };
        let state = match &self.past {
            Past::State { state: old, .. } if changes.is_empty() => Arc::clone(old),
            Past::State { .. } | Past::Nothing | Past::Saved { .. } | Past::Log(_) => Arc::new(state),
        };
        if !changes.is_empty() && !std::mem::replace(&mut own, true) {
            // An earlier process may have told other changes by the numbers that follow.
            epoch = name.into();
        }
        let mut entries = Vec::with_capacity(changes.len() + 1);
        for what in changes {
            seq += 1;
            entries.push(Entry::Change { epoch: Arc::clone(&epoch), change: Change { seq, what } });
        }
        entries.push(Entry::Mark(Mark {
            epoch: Arc::clone(&epoch),
            seq,
            snapshot: Snapshot::State(Arc::clone(&state)),
        }));
        self.past = Past::State { epoch, own, seq, state };
        entries
    }
}

fn is_event_log(contents: &Contents) -> bool {
    let mime = contents.mime.as_deref().unwrap_or_default();
    mime.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(MIME)
}

fn trouble(body: &Body<'_>) -> Option<String> {
    let last = body.events.last().filter(|last| body.head.is_some_and(|head| last.seq > head))?;
    let fields = members(last.json.get())?;
    let text = |key| fields.get(key).and_then(string);
    (text("type")? == "ERROR").then(|| text("message").unwrap_or_default())
}

fn other_shape(epoch: &Arc<str>, seq: u64) -> Entry {
    Entry::Change {
        epoch: Arc::clone(epoch),
        change: Change { seq, what: What::Gap { reason: "shape", missed: None } },
    }
}
