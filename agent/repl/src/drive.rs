//! Drives a worker through one run: does the calls that Python makes, until it is done or its time is up.

use std::pin::pin;

use tokio::time::{Instant, sleep};

use crate::call::Host;
use crate::catalogue::Catalogue;
use crate::drive::calls::Calls;
use crate::limits::Limits;
use crate::process::{Step, Worker};
use crate::wire::{Done, Most, Names, Order, Problem, Report};

mod calls;

/// Why a filter may not call a function.
pub(crate) const READ_ONLY: &str = "a filter may call only tools that are annotated readOnlyHint: true";

/// What Python's own time is less than the whole, so that it stops by itself and keeps its names.
const SHARE: f32 = 0.9;
/// And the calls' time than Python's: it is told in time to catch that there is no answer, and goes on with what it has.
const CALLS: f32 = 0.85;

/// What a worker is told of the limits.
pub(crate) fn most(limits: &Limits) -> Most {
    let millis = u64::try_from(limits.wall.mul_f32(SHARE).as_millis()).unwrap_or(u64::MAX);
    Most { millis, calls: limits.calls }
}

/// How a run ended without its worker's word.
pub(crate) enum Lost {
    /// Its time is up: dropped, it is killed.
    Deadline,
    /// It died; [`Worker::end`] says how.
    Died,
}

/// What came of an order.
pub(crate) enum Ended {
    Done(Box<Done>),
    Checked(Option<Problem>),
}

/// Tells the worker what it may call, where that is news.
pub(crate) fn introduce(worker: &mut Worker, catalogue: &Catalogue) {
    if worker.catalogue.as_ref() == Some(catalogue) {
        return;
    }
    let mut names = Names {
        functions: catalogue.bare().map(str::to_owned).collect(),
        groups: catalogue.groups().map(|(group, methods)| (group.to_owned(), methods.to_vec())).collect(),
        forbidden: Vec::new(),
    };
    if catalogue.is_restricted() {
        let paths = catalogue.paths().map(|(path, _)| path).chain(catalogue.bare());
        let forbidden = paths.filter(|name| catalogue.get(name).is_some_and(|function| !function.read_only));
        names.forbidden = forbidden.map(str::to_owned).collect();
    }
    worker.send(&Order::Names(names));
    worker.catalogue = Some(catalogue.clone());
}

/// Drives the worker until it is done. On a loss the worker is of no more use.
pub(crate) async fn drive(
    worker: &mut Worker,
    catalogue: &Catalogue,
    host: &dyn Host,
    limits: &Limits,
) -> Result<Ended, Lost> {
    let mut deadline = pin!(sleep(limits.wall));
    let mut calls = Calls::new(catalogue, host, Instant::now() + limits.wall.mul_f32(CALLS));
    let mut count = 0;
    loop {
        calls.start(worker);
        tokio::select! {
            biased;
            () = &mut deadline => return Err(Lost::Deadline),
            step = worker.step() => match step {
                Step::Report(Report::Call(asked), bytes) => {
                    count += 1;
                    if count <= limits.calls {
                        calls.take(worker, asked, bytes);
                    }
                }
                Step::Report(Report::Done(done), _) => return Ok(Ended::Done(done)),
                Step::Report(Report::Checked(problem), _) => return Ok(Ended::Checked(problem)),
                Step::Moved => {}
                Step::Report(Report::Ready, _) | Step::Ended => return Err(Lost::Died),
            },
            Some(returned) = calls.next() => calls.finish(worker, returned),
        }
    }
}

#[cfg(test)]
mod tests;
