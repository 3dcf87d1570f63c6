//! What stdout carries: the agent's events as NDJSON, or its replies for people.

use std::io::Write;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::args::Output;
use crate::channel::console::{Screen, printable};
use crate::ndjson;

#[cfg(test)]
mod tests;

/// Writes events to stdout.
#[derive(Debug)]
pub(crate) struct Sink<W = Screen> {
    agent: String,
    format: Output,
    verbose: bool,
    to: W,
}

impl Sink {
    pub(crate) fn stdout(agent: &str, format: Output, verbose: bool) -> Self {
        Self { agent: agent.to_owned(), format, verbose, to: Screen::default() }
    }

    /// Where people see replies, if stdout is for them.
    pub(crate) fn screen(&self) -> Option<Screen> {
        (self.format == Output::Text).then(|| self.to.clone())
    }
}

impl<W: Write> Sink<W> {
    /// Writes the event `name`, one of `detail` only with `--verbose`. With NDJSON a line is
    /// `{"ts", "event", "agent", …fields}`.
    pub(crate) fn event<F: Serialize>(&mut self, name: &str, detail: bool, fields: &F) {
        if detail && !self.verbose {
            return;
        }
        let fields = match serde_json::to_value(fields) {
            Ok(Value::Object(fields)) => fields,
            Ok(Value::Null) => Map::new(),
            other => Map::from_iter([("value".to_owned(), other.unwrap_or_default())]),
        };
        let line = match self.format {
            Output::Ndjson => ndjson::line(&self.agent, name, Some(&fields)),
            Output::Text => text(name, &fields),
        };
        if let Some(line) = line {
            self.line(&line);
        }
    }

    /// Writes a line for people; to stderr where stdout is for programs.
    pub(crate) fn say(&mut self, line: &str) {
        match self.format {
            Output::Text => self.line(line),
            Output::Ndjson => eprintln!("{}", printable(line)),
        }
    }

    fn line(&mut self, line: &str) {
        // Who closed stdout does not want to hear of it; the agent's work goes on.
        let _ = writeln!(self.to, "{line}").and_then(|()| self.to.flush());
    }
}

/// People read replies, which the screen shows as they come; a notice is what the agent reads.
fn text(name: &str, fields: &Map<String, Value>) -> Option<String> {
    match name {
        "reply.published" | "run.delta" | "watch.notice" => None,
        _ => Some(format!("# {name} {}", Value::Object(fields.clone()))),
    }
}
