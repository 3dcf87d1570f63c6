//! What survives a process: the watches with the statuses that were saved, the session, the account of the day.

use std::collections::{BTreeMap, VecDeque};

use asyncai_orchestrator::{Outcome, Record, Usage, compact};
use asyncai_watch::{Id, Resume, Spec, Status};

use crate::resource::Values;

/// A status as it is saved.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    /// What was watched.
    pub(crate) uri: String,
    pub(crate) status: Status,
    /// The state at the cursor, which the status has as digests.
    pub(crate) values: Option<Values>,
}

/// A Watch object.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) spec: Spec,
    pub(crate) saved: Option<Saved>,
    /// Writes that are under way.
    pub(crate) writes: VecDeque<Saved>,
}

/// All that survives.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) objects: BTreeMap<Id, Object>,
    /// Whether there is a volume for the session.
    pub(crate) persistent: bool,
    pub(crate) records: Vec<Record>,
    pub(crate) usage: Usage,
}

impl Object {
    pub(crate) fn new(spec: Spec) -> Self {
        Self { spec, saved: None, writes: VecDeque::new() }
    }

    /// What a process that starts now is given.
    pub(crate) fn resume(&self) -> Resume {
        let Some(Saved { uri, status, .. }) = &self.saved else { return Resume::default() };
        Resume {
            uri: Some(uri.clone()),
            server: status.server.clone(),
            cursor: status.cursor.clone(),
            baseline: status.baseline.clone(),
            counts: status.counts,
            last_event: status.last_event,
            last_notice: status.last_notice,
        }
    }
}

impl Store {
    /// The records of the last turn, if it has ended.
    pub(crate) fn done_last(&self) -> impl Iterator<Item = &Record> {
        let mut back = self.records.iter().rev();
        let is_of_turn = |record: &&Record| matches!(record, Record::TurnBegin { .. } | Record::TurnEnd { .. });
        let last = back.find(is_of_turn).filter(|record| is_end(record));
        let rest = back.take_while(|record| !is_end(record));
        rest.filter(move |_| last.is_some())
    }

    /// The session as a process that starts finds it; a long one begins anew with what is needed.
    pub(crate) fn open_session(&mut self) -> Vec<Record> {
        let sized: Vec<(Record, usize)> =
            self.records.drain(..).map(|record| (record.clone(), size(&record))).collect();
        let total: usize = sized.iter().map(|(_, bytes)| bytes).sum();
        self.records = if total > 128 << 10 {
            let kept = compact(&sized, 32 << 10);
            kept.into_iter().map(|at| sized[at].0.clone()).collect()
        } else {
            sized.into_iter().map(|(record, _)| record).collect()
        };
        self.records.clone()
    }
}

/// Whether a turn ends here, so that no run goes on with it.
fn is_end(record: &Record) -> bool {
    let Record::TurnEnd { outcome, .. } = record else { return false };
    !matches!(outcome, Outcome::Retried | Outcome::Interrupted)
}

fn size(record: &Record) -> usize {
    serde_json::to_string(record).expect("a record").len()
}
