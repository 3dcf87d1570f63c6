//! The worker's two pipes, and the calls that wait for an answer.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Stdin, Stdout, Write as _, stdin, stdout};
use std::process::exit;

use serde_json::value::RawValue;

use crate::call::CallError;
use crate::wire::{ARGUMENTS, Asked, Names, Order, Report};

/// What came back for a call.
pub(super) enum Answer {
    Value(Box<RawValue>),
    Failed(CallError),
}

/// The parent.
pub(super) struct Io {
    input: BufReader<Stdin>,
    output: Stdout,
    line: String,
    answers: HashMap<u32, Answer>,
    /// Our numbers of the calls that the interpreter holds as futures, by its own.
    pub(super) futures: HashMap<u32, u32>,
    next_call: u32,
    /// What Python may call.
    pub(super) names: Names,
    /// What its author has named, for mistyped names.
    pub(super) scope: Vec<String>,
}

impl Io {
    pub(super) fn new() -> Self {
        Self {
            input: BufReader::with_capacity(64 << 10, stdin()),
            output: stdout(),
            line: String::new(),
            answers: HashMap::new(),
            futures: HashMap::new(),
            next_call: 0,
            names: Names::default(),
            scope: Vec::new(),
        }
    }

    /// The next order; the process ends with the input.
    pub(super) fn receive(&mut self) -> Order {
        self.line.clear();
        match self.input.read_line(&mut self.line) {
            Ok(0) | Err(_) => exit(0),
            Ok(_) => {}
        }
        match serde_json::from_str(&self.line) {
            Ok(order) => order,
            Err(error) => Self::confused(&error.to_string()),
        }
    }

    /// The first line, on a line of its own also in a test program, which has begun one.
    pub(super) fn greet(&mut self) {
        if self.output.write_all(b"\n").is_err() {
            exit(0);
        }
        self.send(&Report::Ready);
    }

    pub(super) fn send(&mut self, report: &Report) {
        let Ok(line) = serde_json::to_vec(report) else { exit(1) };
        self.write(line);
    }

    /// Sends a call; false if it is too long.
    pub(super) fn call(&mut self, asked: Asked) -> bool {
        let Ok(line) = serde_json::to_vec(&Report::Call(asked)) else { exit(1) };
        let fits = line.len() <= ARGUMENTS;
        if fits {
            self.write(line);
        }
        fits
    }

    fn write(&mut self, mut line: Vec<u8>) {
        line.push(b'\n');
        if self.output.write_all(&line).and_then(|()| self.output.flush()).is_err() {
            exit(0);
        }
    }

    /// A number for a call, unique in this process: an answer that comes late is nobody else's.
    pub(super) fn number(&mut self) -> u32 {
        self.next_call = self.next_call.wrapping_add(1);
        self.next_call
    }

    /// Before a run: what the last one left is forgotten.
    pub(super) fn clear(&mut self) {
        self.answers.clear();
        self.futures.clear();
    }

    /// Waits until one of the calls has its answer, and takes all that are there.
    pub(super) fn wait(&mut self, calls: &[u32]) -> Vec<(u32, Answer)> {
        loop {
            let there: Vec<_> = calls.iter().filter_map(|id| Some((*id, self.answers.remove(id)?))).collect();
            if !there.is_empty() {
                return there;
            }
            match self.receive() {
                Order::Answer { id, result } => self.answers.insert(id, Answer::Value(result)),
                Order::Failed { id, error } => self.answers.insert(id, Answer::Failed(error)),
                _ => Self::confused("an order during a run"),
            };
        }
    }

    /// Parent and worker are one program: this cannot happen.
    pub(super) fn confused(why: &str) -> ! {
        eprintln!("not understood: {why}");
        exit(2)
    }
}
