//! A watch's filter in the worker: one loop over events that is fed once, and again only after an exception.

use std::collections::{HashMap, HashSet};

use monty::{MontyRepl, MontyRun, ReplFunctionCall, ReplProgress};
use monty_types::unstable::{self, MontyNode};
use monty_types::{CompileOptions, ExcType, MontyException, MontyObject, NamedValues, ObjectRef, StackFrame};

use crate::convert::{from_json, is_pending, to_text};
use crate::wire::{Done, Most, Problem};
use crate::worker::analysis::{assigned, awaited, normalised};
use crate::worker::embed::{Embedded, FUNCTION};
use crate::worker::io::Io;
use crate::worker::printed::Printed;
use crate::worker::python::{NEXT, Run, Stop, interpreter};
use crate::worker::repl::limit;
use crate::worker::trace::{Place, bare, nth_line, problem};

/// How long a line is at most, in bytes.
const VALUE: usize = 32 << 10;

/// Defining a function runs nothing of the author's.
const DEFINE: Most = Most { millis: 1000, calls: 0 };

/// A filter ready for events.
pub(super) struct Loaded {
    source: String,
    state: State,
    embedded: Option<Embedded>,
    /// The name that the interpreter has for the filter.
    name: String,
    awaited: HashMap<String, HashSet<(u32, u32)>>,
    printed: Printed,
}

enum State {
    /// The loop waits for an event.
    Waiting(Box<ReplFunctionCall>),
    /// The loop has to be fed.
    Idle(Box<MontyRepl>),
    /// Every event ends so.
    Broken(Problem),
}

impl Loaded {
    pub(super) fn new(io: &mut Io, source: &str, memory: usize) -> Self {
        let source = normalised(source);
        let mut this = Self {
            state: State::Broken(bare("RuntimeError", "the filter is gone".to_owned())),
            embedded: None,
            name: String::new(),
            awaited: HashMap::new(),
            printed: Printed::new(),
            source,
        };
        this.state = match this.define(io, memory) {
            Ok(python) => State::Idle(Box::new(python)),
            Err(problem) => State::Broken(problem),
        };
        this
    }

    /// Compiles the source as it is, for its errors; then defines it as a function.
    fn define(&mut self, io: &mut Io, memory: usize) -> Result<MontyRepl, Problem> {
        compile(&self.source)?;
        let embedded = Embedded::new(&self.source);
        let embedded = embedded.ok_or_else(|| bare("SyntaxError", "the source cannot be read".to_owned()))?;
        io.scope = assigned(&self.source);
        io.scope.push("event".to_owned());
        let python = interpreter(memory);
        self.name = python.next_script_name();
        self.awaited.insert(self.name.clone(), awaited(&embedded.text));
        let mut run = Run::new(io, &mut self.printed, &self.awaited, DEFINE);
        let started = python.feed_start(&embedded.text, NamedValues::new(), run.printed.writer());
        let stop = run.advance(started);
        self.embedded = Some(embedded);
        match stop {
            Stop::End { repl, result: Ok(_) } => Ok(*repl),
            Stop::End { result: Err(error), .. } => Err(self.explain(&error, DEFINE)),
            Stop::Next(_) => Err(bare("RuntimeError", "the filter asks for events itself".to_owned())),
        }
    }

    /// Runs the filter on an event for at most this long.
    pub(super) fn event(&mut self, io: &mut Io, event: &str, most: Most) -> Done {
        io.clear();
        let gone = State::Broken(bare("RuntimeError", "the filter is gone".to_owned()));
        let state = std::mem::replace(&mut self.state, gone);
        if let State::Broken(problem) = state {
            let done = Done { problem: Some(problem.clone()), ..Done::default() };
            self.state = State::Broken(problem);
            return done;
        }
        let event = match from_json(event) {
            Ok(event) => event,
            Err(error) => {
                self.state = state;
                return failed(bare("ValueError", format!("the event is no JSON that Python can hold: {error}")));
            }
        };
        let is_async = self.embedded.as_ref().is_some_and(|embedded| embedded.is_async);
        let mut run = Run::new(io, &mut self.printed, &self.awaited, most);
        let waiting = match state {
            State::Waiting(call) => Ok(call),
            State::Idle(python) => match start(&mut run, *python, is_async) {
                Stop::Next(call) => Ok(call),
                Stop::End { repl, result } => Err((repl, result)),
            },
            State::Broken(problem) => return failed(problem),
        };
        let stop = match waiting {
            Ok(call) => resume(&mut run, *call, event),
            Err((repl, result)) => Stop::End { repl, result },
        };
        self.end(stop, most)
    }

    fn end(&mut self, stop: Stop, most: Most) -> Done {
        let mut done = Done { stdout: self.printed.take(), ..Done::default() };
        match stop {
            Stop::Next(call) => {
                match call.args.arg(0).map(line) {
                    Some(Ok(value)) => done.value = value,
                    Some(Err(problem)) => done.problem = Some(problem),
                    None => {}
                }
                self.state = State::Waiting(call);
            }
            Stop::End { repl, result: Err(error) } => {
                done.spent = error.exc_type() == ExcType::MemoryError;
                done.problem = Some(self.explain(&error, most));
                self.state = State::Idle(repl);
            }
            Stop::End { repl, result: Ok(_) } => {
                done.problem = Some(bare("RuntimeError", "the filter ended".to_owned()));
                self.state = State::Idle(repl);
            }
        }
        done
    }

    fn explain(&self, error: &MontyException, most: Most) -> Problem {
        let theirs = problem(error, |frame| self.frame(frame));
        match limit(error, most, "event") {
            Some(ours) => Problem { line: theirs.line, column: theirs.column, ..ours },
            None => theirs,
        }
    }

    /// The frames of the filter, at the author's lines and columns; not those of the loop.
    fn frame(&self, frame: &StackFrame) -> Option<Place> {
        if frame.filename != self.name {
            return (frame.filename == "<string>").then(|| Place::plain(frame, None, "in exec, "));
        }
        let embedded = self.embedded.as_ref()?;
        let (line, column) = embedded.original(frame.start.line, frame.start.column);
        let text = nth_line(&self.source, line).unwrap_or_default().to_owned();
        let function = frame.frame_name.clone().filter(|name| name != FUNCTION);
        Some(Place { line, column, text, of: "", function })
    }
}

/// The errors of a source as it stands: wrong syntax, and what the interpreter lacks.
pub(super) fn compile(source: &str) -> Result<(), Problem> {
    MontyRun::new(source.to_owned(), "filter", Vec::new(), CompileOptions::default())
        .map(|_| ())
        .map_err(|error| problem(&error, |frame| Some(Place::plain(frame, Some(source), ""))))
}

fn start(run: &mut Run<'_>, mut python: MontyRepl, is_async: bool) -> Stop {
    let call = if is_async { "await " } else { "" };
    let looped = format!(
        "__asyncai_line = None\nwhile True:\n event = {NEXT}(__asyncai_line)\n __asyncai_line = {call}{FUNCTION}()\n"
    );
    python.tracker_mut().set_max_turn_duration(run.left());
    let started = python.feed_start(&looped, NamedValues::new(), run.printed.writer());
    run.advance(started)
}

/// Goes on with an event, which has all the time there is: none of what the last one left.
fn resume(run: &mut Run<'_>, call: ReplFunctionCall, event: MontyObject) -> Stop {
    let mut waiting = ReplProgress::FunctionCall(call);
    waiting.tracker_mut().set_max_turn_duration(run.left());
    let resumed = match waiting {
        ReplProgress::FunctionCall(call) => call.resume(event, run.printed.writer()),
        other => Ok(other),
    };
    run.advance(resumed)
}

/// What the watch tells: `str` as it is, all else as compact JSON.
fn line(value: ObjectRef<'_>) -> Result<Option<String>, Problem> {
    match unstable::node(value) {
        MontyNode::None => Ok(None),
        MontyNode::String(text) => Ok(Some(text.clone())),
        MontyNode::Repr(repr) if is_pending(repr) => {
            Err(bare("TypeError", "the last value is a call without await".to_owned()))
        }
        _ => Ok(Some(to_text(value, VALUE).into_text())),
    }
}

fn failed(problem: Problem) -> Done {
    Done { problem: Some(problem), ..Done::default() }
}
