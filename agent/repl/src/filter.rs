//! A watch's filter: one scope in a worker, an event at a time.

use std::time::Duration;

use serde_json::value::RawValue;

use crate::call::Host;
use crate::catalogue::Catalogue;
use crate::drive::{Ended, Lost, drive, introduce, most};
use crate::limits::Limits;
use crate::process::Worker;
use crate::wire::{Done, Order, Problem};

/// The filter of one watch. Its worker is started with the first event; variables persist over events.
pub struct Filter {
    source: String,
    limits: Limits,
    worker: Option<Worker>,
    last_time: Duration,
}

/// Why an event has no result; its text is for the notice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EventError {
    /// What happened, as `line 2, column 5: KeyError: 'metadata'`.
    pub message: String,
    /// The same with the frames that led there, for a status.
    pub traceback: String,
    /// Whether the filter's variables are gone: its worker had to be ended.
    pub lost: bool,
}

impl EventError {
    fn lost(why: &str) -> Self {
        let message = format!("{why}; the filter's variables are lost");
        Self { traceback: message.clone(), message, lost: true }
    }

    fn plain(message: String) -> Self {
        Self { traceback: message.clone(), message, lost: false }
    }
}

impl Filter {
    /// A filter with this source; nothing runs yet.
    pub fn new(source: impl Into<String>, limits: Limits) -> Self {
        Self { source: source.into(), limits, worker: None, last_time: Duration::ZERO }
    }

    /// Runs the filter on an event, a JSON object as text: the line it makes of it, or none.
    ///
    /// Cancelled, the worker is ended, and with it the filter's variables.
    pub async fn event(
        &mut self,
        event: &str,
        catalogue: &Catalogue,
        host: &dyn Host,
    ) -> Result<Option<String>, EventError> {
        match self.run(event, catalogue, host).await? {
            Done { problem: Some(problem), spent, .. } if spent => Err(EventError::lost(&summary(&problem))),
            Done { problem: Some(problem), .. } => {
                Err(EventError { message: summary(&problem), traceback: problem.traceback, lost: false })
            }
            Done { stdout, value, .. } => Ok(joined(&stdout, value)),
        }
    }

    /// How long the last event took in the worker, tools included, the way there and back not.
    pub fn last_time(&self) -> Duration {
        self.last_time
    }

    /// The worker's process id; none before the first event, and after a loss.
    pub fn process(&self) -> Option<u32> {
        self.worker.as_ref().and_then(Worker::id)
    }

    pub(crate) async fn run(
        &mut self,
        event: &str,
        catalogue: &Catalogue,
        host: &dyn Host,
    ) -> Result<Done, EventError> {
        if self.source.len() > self.limits.source {
            let (length, most) = (self.source.len(), self.limits.source);
            return Err(EventError::plain(format!("the filter has {length} bytes, at most {most} are allowed")));
        }
        let event = RawValue::from_string(event.to_owned())
            .map_err(|error| EventError::plain(format!("the event is no JSON: {error}")))?;
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => self.start(catalogue).await.map_err(EventError::plain)?,
        };
        introduce(&mut worker, catalogue);
        worker.send(&Order::Event { event, most: most(&self.limits) });
        match drive(&mut worker, catalogue, host, &self.limits).await {
            Ok(Ended::Done(done)) => {
                self.last_time = Duration::from_nanos(done.nanos);
                if !done.spent {
                    self.worker = Some(worker);
                }
                Ok(*done)
            }
            Ok(Ended::Checked(_)) => Err(EventError::lost("the worker answered something else")),
            Err(Lost::Deadline) => {
                let seconds = self.limits.wall.as_secs_f32();
                Err(EventError::lost(&format!("stopped after {seconds} s: longer no event may take")))
            }
            Err(Lost::Died) => Err(EventError::lost(&worker.end().await)),
        }
    }

    async fn start(&self, catalogue: &Catalogue) -> Result<Worker, String> {
        let mut worker = Worker::start(&self.limits).await?;
        introduce(&mut worker, catalogue);
        worker.send(&Order::Load { source: self.source.clone() });
        Ok(worker)
    }
}

/// `line 2, column 5: KeyError: 'metadata'`.
pub(crate) fn summary(problem: &Problem) -> String {
    let Problem { exception, message, line, column, .. } = problem;
    let message = if message.is_empty() { String::new() } else { format!(": {message}") };
    if *line == 0 {
        format!("{exception}{message}")
    } else {
        format!("line {line}, column {column}: {exception}{message}")
    }
}

/// Printed text, a space, the value.
fn joined(printed: &str, value: Option<String>) -> Option<String> {
    let printed: Vec<&str> = printed.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    match (printed.is_empty(), value) {
        (true, value) => value,
        (false, None) => Some(printed.join(" ")),
        (false, Some(value)) => Some(format!("{} {value}", printed.join(" "))),
    }
}

#[cfg(test)]
mod tests;
