//! Code mode: a REPL that persists from run to run.

use crate::call::Host;
use crate::catalogue::Catalogue;
use crate::drive::{Ended, Lost, drive, introduce, most};
use crate::limits::Limits;
use crate::process::Worker;
use crate::wire::{Done, Order};

/// What the model gets is at most so long, in bytes.
const ROOM: usize = 16 << 10;
/// And a traceback of it.
const TRACEBACK: usize = 4 << 10;

/// The REPL of a thread. Its worker is started with the first run.
pub struct Session {
    limits: Limits,
    worker: Option<Worker>,
    /// Whether there were names that a new worker does not have.
    names: bool,
}

/// What a run left; [`Outcome::text`] is what the model gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What was printed, bounded.
    pub stdout: String,
    /// The value of the last expression as JSON, or as Python writes it where it is no JSON; none for `None`. Bounded.
    pub value: Option<String>,
    /// The traceback.
    pub error: Option<String>,
    /// The names that the next run may use, with their types and short values; empty if there are none. Bounded.
    pub names: String,
    /// Whether the names of earlier runs are gone, because the worker had to be ended.
    pub lost: bool,
}

impl Outcome {
    /// All of it as the model gets it, at most 16 KB.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        if !self.stdout.is_empty() {
            parts.push(self.stdout.trim_end_matches('\n').to_owned());
        }
        parts.extend(self.value.clone());
        if let Some(error) = &self.error {
            parts.push(clip(error, TRACEBACK));
        }
        if parts.is_empty() {
            parts.push("(no output: end with an expression, or print)".to_owned());
        }
        let note = match (self.lost, self.names.is_empty()) {
            (true, true) => "names: none, all earlier ones are lost".to_owned(),
            (true, false) => format!("names, all earlier ones are lost: {}", self.names),
            (false, true) => "names: none".to_owned(),
            (false, false) => format!("names: {}", self.names),
        };
        let said = clip(&parts.join("\n"), ROOM.saturating_sub(note.len() + 64));
        format!("{said}\n\n{note}")
    }

    fn lost(error: String) -> Self {
        Self { error: Some(error), lost: true, ..Self::default() }
    }
}

/// The beginning and the end of a text, as far as there is room: the end of a traceback says most.
fn clip(text: &str, room: usize) -> String {
    if text.len() <= room {
        return text.to_owned();
    }
    let half = room / 2;
    let head = (0..=half).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let tail = (text.len() - half..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let (head, tail) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    format!("{head}\n… ({} characters, cut)\n{tail}", text.chars().count())
}

impl Session {
    /// A fresh REPL; nothing runs yet.
    pub fn new(limits: Limits) -> Self {
        Self { limits, worker: None, names: false }
    }

    /// Runs the source. Errors of any kind are part of the outcome, and the session can be used again.
    ///
    /// Cancelled, the worker is ended, and with it all names.
    pub async fn run(&mut self, source: &str, catalogue: &Catalogue, host: &dyn Host) -> Outcome {
        if source.len() > self.limits.source {
            let (length, most) = (source.len(), self.limits.source);
            let error = format!("the source has {length} bytes, at most {most} are allowed");
            return Outcome { error: Some(error), names: "as before".to_owned(), ..Outcome::default() };
        }
        let cancelled = self.names && self.worker.is_none();
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => match Worker::start(&self.limits).await {
                Ok(worker) => worker,
                Err(error) => return Outcome { error: Some(error), ..Outcome::default() },
            },
        };
        self.names = true;
        introduce(&mut worker, catalogue);
        worker.send(&Order::Run { source: source.to_owned(), most: most(&self.limits) });
        let mut outcome = self.finish(worker, catalogue, host).await;
        self.names = !outcome.lost;
        outcome.lost |= cancelled;
        outcome
    }

    async fn finish(&mut self, mut worker: Worker, catalogue: &Catalogue, host: &dyn Host) -> Outcome {
        match drive(&mut worker, catalogue, host, &self.limits).await {
            Ok(Ended::Done(done)) => {
                let Done { stdout, value, problem, names, spent, .. } = *done;
                if !spent {
                    self.worker = Some(worker);
                }
                Outcome { stdout, value, error: problem.map(|problem| problem.traceback), names, lost: spent }
            }
            Ok(Ended::Checked(_)) => Outcome::lost("the worker answered something else".to_owned()),
            Err(Lost::Deadline) => {
                let seconds = self.limits.wall.as_secs_f32();
                Outcome::lost(format!("TimeoutError: stopped after {seconds} s: longer no run may take"))
            }
            Err(Lost::Died) => Outcome::lost(format!("RuntimeError: {}", worker.end().await)),
        }
    }
}

#[cfg(test)]
mod tests;
