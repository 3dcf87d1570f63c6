//! A reader that sees what the server has, and so knows what the watch engine must make of each read.

use std::ops::Range;

use crate::resource::{Entry, Values, View};

/// What the reader knows of a resource.
#[derive(Clone, Debug)]
pub(crate) enum Reader {
    /// Nothing; `deliver`: all that is there counts as new.
    New { deliver: bool },
    /// The history before `next`, the last of it in this epoch, which is all there was up to `complete`.
    Log { epoch: u32, next: usize, complete: u64 },
    /// The state after the change of this number; `saved`: by an earlier process, which may have saved too little.
    State { seq: u64, values: Values, saved: Option<Truncated> },
}

/// Whether what was saved of a state is too little to tell what differs.
pub(crate) type Truncated = bool;

/// Something to be processed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum What {
    /// What lies between was not read.
    Gap(Range<usize>),
    /// The event of the history.
    Event(usize),
    /// A key has this value now, or has lost it.
    Differs(String, Result<u64, u64>),
}

/// What is to be processed, where it stands and how it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) what: What,
    /// Epoch and `seq`.
    pub(crate) place: (u32, u64),
    pub(crate) kind: String,
}

impl Step {
    fn gap(place: (u32, u64), skipped: Range<usize>) -> Self {
        Self { what: What::Gap(skipped), place, kind: "GAP".to_owned() }
    }

    pub(crate) fn is_gap(&self) -> bool {
        matches!(self.what, What::Gap(_))
    }
}

impl Reader {
    /// What a read adds to what is known.
    pub(crate) fn read(&mut self, history: &[Entry], view: &View) -> Vec<Step> {
        match view {
            View::Log { .. } => self.read_log(history, view),
            View::State(values) => self.read_state(values),
        }
    }

    fn read_log(&mut self, history: &[Entry], view: &View) -> Vec<Step> {
        let View::Log { epoch, held, end, floor, head, plain } = *view else { return Vec::new() };
        let event = |index: usize| Step {
            what: What::Event(index),
            place: (history[index].epoch, history[index].seq),
            kind: format!("E{index}"),
        };
        // A plain log counts from 1 and tells nothing but what it holds.
        let floor = if plain { held as u64 } else { floor };
        let (gap, from) = match *self {
            Self::New { deliver } => (None, if deliver { held } else { end }),
            Self::Log { epoch: old, next, .. } if old != epoch => (Some(next..held.max(next)), held),
            Self::Log { next, complete, .. } if complete < floor => (Some(next..held.max(next)), held.max(next)),
            Self::Log { next, .. } => (None, next),
            Self::State { .. } => unreachable!("a log stays a log"),
        };
        *self = Self::Log { epoch, next: end, complete: head };
        let gap = gap.map(|skipped| Step::gap((epoch, floor), skipped));
        gap.into_iter().chain((from..end).map(event)).collect()
    }

    fn read_state(&mut self, new: &Values) -> Vec<Step> {
        let (mut seq, old, saved) = match self {
            Self::New { deliver: false } => (0, new.clone(), None),
            Self::New { deliver: true } => (0, Values::default(), None),
            Self::State { seq, values, saved } => (*seq, values.clone(), *saved),
            Self::Log { .. } => unreachable!("a state stays a state"),
        };
        let mut steps = Vec::new();
        if saved == Some(true) && old != *new {
            seq += 1;
            steps.push(Step::gap((0, seq), 0..0));
        } else {
            let there = new.iter().filter(|(key, value)| old.get(*key) != Some(value));
            let there =
                there.map(|(key, value)| (key, Ok(*value), if old.contains_key(key) { "MODIFIED" } else { "ADDED" }));
            let gone = old.iter().filter(|(key, _)| !new.contains_key(*key));
            let gone = gone.map(|(key, value)| (key, Err(*value), "DELETED"));
            for (key, value, kind) in there.chain(gone) {
                seq += 1;
                let kind = if saved.is_some() { "CHANGED" } else { kind };
                let what = What::Differs(key.clone(), value);
                steps.push(Step { what, place: (0, seq), kind: kind.to_owned() });
            }
        }
        *self = Self::State { seq, values: new.clone(), saved: None };
        steps
    }
}
