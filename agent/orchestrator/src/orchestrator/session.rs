//! What the session file is told, and what it tells after a restart.

use super::Orchestrator;
use crate::event::Event;
use crate::io::Output;
use crate::message::Message;
use crate::record::{Operation, Outcome, Queued, Record};
use crate::replay::{Replay, UNKNOWN};
use crate::run::Run;
use crate::thread::Claim;
use crate::turn::{Entry, Origin};

impl Orchestrator {
    /// Goes on with the conversation of an earlier process.
    pub(super) fn restore(&mut self, records: Vec<Record>) {
        if records.is_empty() {
            return;
        }
        let mut replay = Replay::new(&mut self.thread, &mut self.route);
        for record in records {
            replay.apply(record);
        }
        let found = replay.finish();
        self.last_run = self.last_run.max(found.last_run);
        self.told = found.told;
        self.interrupted = found.interrupted;
        self.queued_run |= self.thread.unanswered().next().is_some();
        for record in found.missing {
            self.record(record);
        }
        self.commit();
        self.log(Event::ThreadRestored { turns: found.turns, goes_on: self.thread.carried().is_some() });
    }

    pub(super) fn record(&mut self, record: Record) {
        if self.config.persistent {
            self.outputs.push_back(Output::Record(record));
            self.uncommitted = true;
        }
    }

    pub(super) fn commit(&mut self) {
        if std::mem::take(&mut self.uncommitted) {
            self.outputs.push_back(Output::Commit);
        }
    }

    /// Input that no run has claimed is not to be lost with the process. (A notice is told again by its source.)
    pub(super) fn record_waiting(&mut self) {
        let waiting = self.thread.waiting_mut().iter_mut().filter(|entry| !entry.recorded);
        let record = |entry: &mut Entry| {
            entry.recorded = true;
            queued(entry, Operation::Enqueue)
        };
        let inputs: Vec<Record> = waiting.filter_map(record).collect();
        if !inputs.is_empty() {
            for record in inputs {
                self.record(record);
            }
            self.commit();
        }
    }

    /// A notice is a background task's: it is queued even if a run claims it at once.
    pub(super) fn record_notice(&mut self, entry: &mut Entry) {
        entry.recorded = true;
        if let Some(record) = queued(entry, Operation::Enqueue) {
            self.record(record);
        }
    }

    pub(super) fn record_begin(&mut self, run: u64, channel: Option<String>, claim: &Claim) {
        let addressed = self.route.last_addressed().map(str::to_owned);
        self.record(Record::TurnBegin { run, channel, addressed });
        let before = claim.turn.asked().count() - claim.fresh;
        for entry in claim.turn.asked().skip(before) {
            if let Some(record) = queued(entry, Operation::Dequeue).filter(|_| entry.recorded) {
                self.record(record);
            }
            self.record(claimed(run, entry));
        }
    }

    /// The model speaks.
    pub(super) fn say(&mut self, run: &mut Run, message: Message) {
        match message.clone() {
            Message::Assistant { text, calls } => self.record(Record::Assistant { run: run.id, text, calls }),
            Message::Tool { call, text } => self.record(Record::ToolResult { run: run.id, call, text }),
            Message::System(_) | Message::User(_) => {}
        }
        run.turn.say(message);
    }

    pub(super) fn record_end(&mut self, run: &Run, outcome: Outcome) {
        self.record(Record::TurnEnd { run: run.id, outcome, usage: run.tokens });
    }

    /// The agent ends in the middle of a run.
    pub(super) fn record_interrupted(&mut self, run: &mut Run) {
        for call in run.turn.unanswered() {
            self.say(run, Message::Tool { call, text: UNKNOWN.to_owned() });
        }
        self.record_end(run, Outcome::Interrupted);
    }
}

fn queued(entry: &Entry, operation: Operation) -> Option<Record> {
    let queued = match &entry.origin {
        Origin::Start => return None,
        Origin::User { channel } => Queued::Input { channel: channel.clone(), text: entry.text.clone() },
        Origin::Notice(_) => {
            let mut monitor = entry.monitor()?;
            if operation == Operation::Dequeue {
                monitor.text.clear();
            }
            Queued::Monitor(monitor)
        }
    };
    Some(Record::QueueOperation { operation, queued })
}

fn claimed(run: u64, entry: &Entry) -> Record {
    match &entry.origin {
        Origin::User { channel } => Record::User { run, channel: channel.clone(), text: entry.text.clone() },
        Origin::Start | Origin::Notice(_) => match entry.monitor() {
            Some(monitor) => Record::Attachment { run, monitor },
            None => Record::Start { run, text: entry.text.clone() },
        },
    }
}
