//! The requests that wait for a reply, and which run answers which.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use asyncai_orchestrator::{self as turns, event};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::ndjson;

/// Most requests that are open at a time.
const MOST: usize = 64;
/// A text for a request that waits for more: the model is asked again, or a limit holds the turn back.
pub(crate) const WAITING: &str = "message.waiting";

/// The open requests, by number.
#[derive(Clone)]
pub(super) struct Requests(Arc<Mutex<Inner>>);

struct Inner {
    agent: String,
    last: u64,
    open: BTreeMap<u64, Open>,
}

struct Open {
    /// No longer than a turn, which is bounded.
    lines: mpsc::UnboundedSender<String>,
    stage: Stage,
}

/// Where its message is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// On its way to the turn engine.
    Sent,
    /// In the thread, for the next run.
    Waiting,
    /// In this run.
    Claimed(u64),
}

impl Requests {
    pub(super) fn new(agent: &str) -> Self {
        // A reply to a request of a process before this one must find no other request under its number.
        let last = u64::try_from(jiff::Timestamp::now().as_microsecond()).unwrap_or_default();
        Self(Arc::new(Mutex::new(Inner { agent: agent.to_owned(), last, open: BTreeMap::new() })))
    }

    /// A new request: its number, and the lines of its answer. None: too many are open.
    pub(super) fn open(&self) -> Option<(u64, mpsc::UnboundedReceiver<String>)> {
        let mut inner = self.lock();
        if inner.open.values().filter(|open| !open.lines.is_closed()).count() >= MOST {
            return None;
        }
        // Who left is kept for its reply, which is then nobody else's; but not for ever.
        if inner.open.len() >= 2 * MOST {
            inner.open.retain(|_, open| !open.lines.is_closed());
        }
        inner.last += 1;
        let (lines, answer) = mpsc::unbounded_channel();
        let number = inner.last;
        inner.open.insert(number, Open { lines, stage: Stage::Sent });
        Some((number, answer))
    }

    /// The message of request `number` is in the thread.
    pub(super) fn taken(&self, number: Option<u64>) {
        let mut inner = self.lock();
        let Some(number) = number.filter(|number| inner.open.contains_key(number)) else { return };
        let line = inner.line(event::INPUT_STREAM, &json!({ "channel": format!("{}/{number}", super::NAME) }));
        if let Some(open) = inner.open.get_mut(&number) {
            open.stage = Stage::Waiting;
            open.tell(&line);
        }
    }

    /// Something happened in a run, or in the thread as a whole.
    pub(super) fn observe(&self, event: &turns::Event) {
        let mut inner = self.lock();
        if let turns::Event::RunCreated { run, .. } = event {
            for open in inner.open.values_mut().filter(|open| open.stage == Stage::Waiting) {
                open.stage = Stage::Claimed(*run);
            }
        }
        let fields = serde_json::to_value(event).unwrap_or_default();
        // A piece and a reply are told by those who say where they go.
        let run = fields.get("run").and_then(Value::as_u64);
        if let Some(run) = run.filter(|_| ![event::RUN_DELTA, event::REPLY_PUBLISHED].contains(&event.name())) {
            inner.tell(Stage::Claimed(run), event.name(), &fields);
        }
        match event {
            turns::Event::Throttled { .. } | turns::Event::Unthrottled {} => {
                inner.tell(Stage::Waiting, event.name(), &fields);
            }
            turns::Event::ReplySuppressed { run } => inner.open.retain(|_, open| open.stage != Stage::Claimed(*run)),
            // What the run claimed waits again, for the next one.
            turns::Event::RunFailed { run, .. }
            | turns::Event::RunCancelled { run }
            | turns::Event::ThreadShortened { run, .. } => {
                for open in inner.open.values_mut().filter(|open| open.stage == Stage::Claimed(*run)) {
                    open.stage = Stage::Waiting;
                }
            }
            _ => {}
        }
    }

    /// The model says a piece of its reply.
    pub(super) fn delta(&self, run: u64, text: &str) {
        self.lock().tell(Stage::Claimed(run), event::RUN_DELTA, &json!({ "run": run, "text": text }));
    }

    /// Ends the requests that `run` claimed, and `number` if nothing more comes for it; false if there are none.
    pub(super) fn publish(&self, run: Option<u64>, number: Option<u64>, text: &str) -> bool {
        let mut inner = self.lock();
        let fields = json!({ "run": run, "text": text });
        let line = inner.line(event::REPLY_PUBLISHED, &fields);
        let mut found = false;
        inner.open.retain(|open_number, open| {
            let addressed = number == Some(*open_number);
            let claimed = matches!((open.stage, run), (Stage::Claimed(claimed), Some(run)) if claimed == run);
            found |= addressed;
            let ends = claimed || addressed && open.stage != Stage::Waiting;
            if ends {
                open.tell(&line);
            }
            !ends
        });
        let line = inner.line(WAITING, &json!({ "text": text }));
        if let Some(open) = number.and_then(|number| inner.open.get(&number)) {
            open.tell(&line);
        }
        found
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn tell(&self, stage: Stage, event: &str, fields: &Value) {
        let mut told = self.open.values().filter(|open| open.stage == stage).peekable();
        if told.peek().is_some() {
            let line = self.line(event, fields);
            told.for_each(|open| open.tell(&line));
        }
    }

    fn line(&self, event: &str, fields: &Value) -> String {
        ndjson::line(&self.agent, event, fields.as_object()).unwrap_or_default() + "\n"
    }
}

impl Open {
    fn tell(&self, line: &str) {
        let _ = self.lines.send(line.to_owned());
    }
}
