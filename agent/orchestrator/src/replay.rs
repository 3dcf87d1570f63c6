//! Builds a thread again from the records of an earlier process.
//!
//! Each record does to the thread what was done when it was written, so any prefix of a session is a thread.

use std::collections::BTreeSet;

use crate::message::Message;
use crate::notice::{Key, Notice};
use crate::record::{Monitor, Operation, Outcome, Queued, Record};
use crate::route::Route;
use crate::thread::Thread;
use crate::turn::{Entry, Turn};

/// The result of a call that was under way when the agent ended.
pub(crate) const UNKNOWN: &str =
    "the agent was restarted while this ran; whether it took effect is unknown, check before running it again";
/// Stands for the reply that an interrupted turn did not get.
const INTERRUPTED: &str = "[no reply: the agent was restarted]";

/// A replay under way.
pub(crate) struct Replay<'a> {
    thread: &'a mut Thread,
    route: &'a mut Route,
    open: Option<(u64, Turn)>,
    found: Found,
}

/// What a replay learns besides the thread.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The latest run.
    pub(crate) last_run: u64,
    /// The notices that were dealt with.
    pub(crate) told: BTreeSet<Key>,
    /// Those whose turn was interrupted when the model had begun something.
    pub(crate) interrupted: BTreeSet<Key>,
    /// What ends the turn that the records leave open.
    pub(crate) missing: Vec<Record>,
}

impl<'a> Replay<'a> {
    pub(crate) fn new(thread: &'a mut Thread, route: &'a mut Route) -> Self {
        Self { thread, route, open: None, found: Found::default() }
    }

    /// Does what `record` tells.
    pub(crate) fn apply(&mut self, record: Record) {
        match record {
            Record::TurnBegin { run, addressed, .. } => {
                self.turn(run);
                if let Some(channel) = addressed {
                    self.route.addressed(&channel);
                }
            }
            Record::Start { run, text } => self.claim(run, Entry::start(text)),
            Record::User { run, channel, text } => {
                self.route.addressed(&channel);
                self.claim(run, Entry::user(channel, text));
            }
            Record::Attachment { run, monitor } => self.claim(run, restored(monitor)),
            Record::QueueOperation { operation: Operation::Enqueue, queued } => self.enqueue(queued),
            // The record of the claim tells that as well.
            Record::QueueOperation { operation: Operation::Dequeue, .. } => {}
            Record::Assistant { run, text, calls } => {
                let turn = self.turn(run);
                close(turn);
                turn.say(Message::Assistant { text, calls });
            }
            Record::ToolResult { run, call, text } => {
                let turn = self.turn(run);
                if turn.unanswered().contains(&call) {
                    turn.say(Message::Tool { call, text });
                }
            }
            Record::TurnEnd { run, outcome, .. } => {
                self.turn(run);
                self.end(outcome);
            }
        }
    }

    /// There are no more records: ends what they leave open.
    pub(crate) fn finish(mut self) -> Found {
        if let Some((run, turn)) = &self.open {
            let run = *run;
            let result = |call| Record::ToolResult { run, call, text: UNKNOWN.to_owned() };
            self.found.missing = turn.unanswered().into_iter().map(result).collect();
            let usage = crate::budget::Tokens::default();
            self.found.missing.push(Record::TurnEnd { run, outcome: Outcome::Interrupted, usage });
        }
        self.end(Outcome::Interrupted);
        // No run will go on with this unless it is still to be answered.
        if let Some(carried) = self.thread.take_carried() {
            self.interrupt(carried);
        }
        self.thread.waiting_mut().retain(|entry| entry.key().is_none());
        self.found
    }

    /// The open turn of `run`. One of another run was never ended.
    fn turn(&mut self, run: u64) -> &mut Turn {
        if self.open.as_ref().is_some_and(|(open, _)| *open != run) {
            self.end(Outcome::Interrupted);
        }
        if run > 1 && self.found.last_run == 0 {
            self.thread.set_forgotten();
        }
        self.found.last_run = self.found.last_run.max(run);
        let thread = &mut *self.thread;
        &mut self.open.get_or_insert_with(|| (run, thread.take_carried().unwrap_or_default())).1
    }

    fn claim(&mut self, run: u64, mut entry: Entry) {
        entry.recorded = true;
        let waiting = self.thread.waiting_mut();
        if let Some(at) = waiting.iter().position(|waits| is_same(waits, &entry)) {
            waiting.remove(at);
        }
        self.turn(run).ask(entry);
    }

    fn enqueue(&mut self, queued: Queued) {
        let mut entry = match queued {
            Queued::Monitor(monitor) => restored(monitor),
            Queued::Input { channel, text } => {
                self.route.addressed(&channel);
                Entry::user(channel, text)
            }
        };
        entry.recorded = true;
        self.thread.add(entry);
    }

    fn end(&mut self, outcome: Outcome) {
        let Some((_, mut turn)) = self.open.take() else { return };
        close(&mut turn);
        match outcome {
            Outcome::Retried => self.thread.put_back(turn),
            Outcome::Interrupted => self.interrupt(turn),
            Outcome::Completed | Outcome::Suppressed | Outcome::Abandoned | Outcome::Relayed => {
                self.found.told.extend(turn.asked().filter_map(Entry::key));
                if turn.has_begun() || matches!(outcome, Outcome::Completed | Outcome::Suppressed) {
                    self.thread.complete(&turn);
                }
            }
        }
    }

    /// What nobody tells again is asked again. A notice alone comes again by itself: only what was done about it stays.
    fn interrupt(&mut self, mut turn: Turn) {
        let begun = turn.has_begun();
        if begun {
            self.found.interrupted.extend(turn.asked().filter_map(Entry::key));
        }
        if turn.asked().any(|entry| entry.key().is_none()) {
            self.thread.put_back(turn);
        } else if begun {
            turn.say(Message::said(INTERRUPTED));
            self.thread.complete(&turn);
        }
    }
}

/// Gives each call a result.
fn close(turn: &mut Turn) {
    for call in turn.unanswered() {
        turn.say(Message::Tool { call, text: UNKNOWN.to_owned() });
    }
}

/// Whether a claimed entry is the one that waited: as a notice it may say more by then.
fn is_same(waits: &Entry, claimed: &Entry) -> bool {
    match (waits.key(), claimed.key()) {
        (None, None) => {
            waits.text == claimed.text
                && waits.channel() == claimed.channel()
                && waits.as_notice().is_some() == claimed.as_notice().is_some()
        }
        (waits, claimed) => waits == claimed,
    }
}

/// A notice of an earlier process: nobody waits until this one is seen.
fn restored(monitor: Monitor) -> Entry {
    let Monitor { task_id, description, note, notice_id, text } = monitor;
    let lines = text.lines().filter(|line| !line.starts_with('<') && *line != note).map(str::to_owned).collect();
    Entry::notice(Notice {
        number: None,
        id: notice_id,
        source: task_id.strip_prefix("watch-").unwrap_or(&task_id).to_owned(),
        task: task_id,
        description,
        note,
        text,
        lines,
        more: 0,
    })
}
