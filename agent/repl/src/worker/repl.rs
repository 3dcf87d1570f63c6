//! Code mode in the worker: runs sources in one scope, and tells what is in it.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use monty::MontyRepl;
use monty_types::{ExcType, MontyException, MontyObject, NamedValues, StackFrame};

use crate::convert::to_text;
use crate::wire::{Done, Most, Problem};
use crate::worker::analysis::{assigned, awaited, normalised};
use crate::worker::io::Io;
use crate::worker::note;
use crate::worker::printed::Printed;
use crate::worker::python::{Run, Stop, interpreter};
use crate::worker::trace::{Place, bare, problem};

/// How long a value is at most, in bytes of its JSON.
const VALUE: usize = 8 << 10;
/// How long looking at the names may take.
const NOTE: Most = Most { millis: 300, calls: 0 };

/// A scope that persists.
pub(super) struct Repl {
    python: Option<MontyRepl>,
    /// The author's sources, by the interpreter's names for them.
    sources: HashMap<String, String>,
    awaited: HashMap<String, HashSet<(u32, u32)>>,
}

impl Repl {
    pub(super) fn new(memory: usize) -> Self {
        Self { python: Some(interpreter(memory)), sources: HashMap::new(), awaited: HashMap::new() }
    }

    /// Runs a source to its end, for at most this long.
    pub(super) fn run(&mut self, io: &mut Io, source: &str, most: Most) -> Done {
        io.clear();
        let source = normalised(source);
        let Some(mut python) = self.python.take() else { return spent() };
        if self.sources.is_empty() {
            python = self.feed(io, &mut Printed::new(), python, note::DEFINE, NOTE).0;
        }
        let name = python.next_script_name();
        let names = assigned(&source);
        io.scope.retain(|known| !names.contains(known));
        io.scope.extend_from_slice(&names);
        self.awaited.insert(name.clone(), awaited(&source));
        self.sources.insert(name.clone(), source.clone());
        let mut printed = Printed::new();
        let (python, result) = self.feed(io, &mut printed, python, &source, most);
        let mut done = Done { stdout: printed.take(), ..Done::default() };
        match result {
            Ok(value) => done.value = (!is_none(&value)).then(|| to_text(value.as_ref(), VALUE).into_text()),
            Err(error) => {
                done.spent = error.exc_type() == ExcType::MemoryError;
                done.problem = Some(self.explain(&error, &name, most));
            }
        }
        if !done.spent {
            let (python, note) = self.note(io, python, &names);
            done.names = note;
            self.python = Some(python);
        }
        done
    }

    fn feed(
        &self,
        io: &mut Io,
        printed: &mut Printed,
        mut python: MontyRepl,
        source: &str,
        most: Most,
    ) -> (MontyRepl, Result<MontyObject, MontyException>) {
        let mut run = Run::new(io, printed, &self.awaited, most);
        python.tracker_mut().set_max_turn_duration(run.left());
        let started = python.feed_start(source, NamedValues::new(), run.printed.writer());
        let mut stop = run.advance(started);
        loop {
            match stop {
                Stop::End { repl, result } => return (*repl, result),
                // Only a filter has a next event.
                Stop::Next(call) => {
                    let error = MontyException::new(ExcType::NameError, Some("it is not defined".to_owned()));
                    let resumed = call.resume(error, run.printed.writer());
                    stop = run.advance(resumed);
                }
            }
        }
    }

    fn note(&self, io: &mut Io, python: MontyRepl, first: &[String]) -> (MontyRepl, String) {
        let (python, result) = self.feed(io, &mut Printed::new(), python, note::CALL, NOTE);
        let names = match result {
            Ok(value) => note::write(&value, first, &io.names),
            Err(_) => "they cannot be listed".to_owned(),
        };
        (python, names)
    }

    fn explain(&self, error: &MontyException, current: &str, most: Most) -> Problem {
        if let Some(problem) = limit(error, most, "run") {
            return self.place(problem, error, current);
        }
        problem(error, |frame| self.frame(frame, current))
    }

    /// Puts the traceback of where it was before a problem of ours.
    fn place(&self, mut ours: Problem, error: &MontyException, current: &str) -> Problem {
        let theirs = problem(error, |frame| self.frame(frame, current));
        let frames = theirs.traceback.rsplit_once('\n').map(|(frames, _)| frames).unwrap_or_default();
        let separator = if frames.is_empty() { "" } else { "\n" };
        ours.traceback = format!("{frames}{separator}{}", ours.traceback);
        (ours.line, ours.column) = (theirs.line, theirs.column);
        ours
    }

    fn frame(&self, frame: &StackFrame, current: &str) -> Option<Place> {
        let source = self.sources.get(&frame.filename);
        let of = match (source, frame.filename == current) {
            (_, true) => "",
            (Some(_), false) => "in an earlier run, ",
            (None, false) if frame.filename == "<string>" => "in exec, ",
            (None, false) => return None,
        };
        Some(Place::plain(frame, source.map(String::as_str), of))
    }
}

/// The interpreter's own limits in our words.
pub(super) fn limit(error: &MontyException, most: Most, of: &str) -> Option<Problem> {
    let text = error.message().unwrap_or_default();
    match error.exc_type() {
        ExcType::TimeoutError if text.contains("time limit exceeded") => {
            let seconds = Duration::from_millis(most.millis).as_secs_f32();
            Some(bare("TimeoutError", format!("stopped after {seconds} s: longer no {of} may take")))
        }
        ExcType::MemoryError if text.contains("memory limit exceeded") => {
            Some(bare("MemoryError", "Python's memory is used up".to_owned()))
        }
        _ => None,
    }
}

pub(super) fn is_none(value: &MontyObject) -> bool {
    *value == MontyObject::none()
}

fn spent() -> Done {
    Done {
        problem: Some(bare("RuntimeError", "the interpreter cannot go on".to_owned())),
        spent: true,
        ..Done::default()
    }
}
