//! Drives a worker through one run: does the calls that Python makes, until it is done or its time is up.

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use crate::bind::bind;
use crate::call::{Call, CallError, Exception, Host};
use crate::catalogue::{Catalogue, Function};
use crate::help;
use crate::identifier::did_you_mean;
use crate::limits::Limits;
use crate::process::Worker;
use crate::wire::{Asked, Done, Most, Names, Order, Problem, Report};

/// Why a filter may not call a function.
pub(crate) const READ_ONLY: &str = "a filter may call only tools that are annotated readOnlyHint: true";

/// What Python's own time is less than the whole, so that it stops by itself and keeps its names.
const SHARE: f32 = 0.9;

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

type Returned = (u32, Result<Value, CallError>);

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
    let deadline = Instant::now() + limits.wall;
    let mut open: FuturesUnordered<BoxFuture<'static, Returned>> = FuturesUnordered::new();
    let mut count = 0;
    loop {
        tokio::select! {
            biased;
            () = sleep_until(deadline) => return Err(Lost::Deadline),
            report = worker.next() => match report {
                Some(Report::Call(asked)) => {
                    count += 1;
                    if count <= limits.calls {
                        start(worker, &open, catalogue, host, asked);
                    }
                }
                Some(Report::Done(done)) => return Ok(Ended::Done(done)),
                Some(Report::Checked(problem)) => return Ok(Ended::Checked(problem)),
                Some(Report::Ready) | None => return Err(Lost::Died),
            },
            Some((id, result)) = open.next(), if !open.is_empty() => answer(worker, id, result),
        }
    }
}

fn start(
    worker: &mut Worker,
    open: &FuturesUnordered<BoxFuture<'static, Returned>>,
    catalogue: &Catalogue,
    host: &dyn Host,
    asked: Asked,
) {
    let id = asked.id;
    match prepare(catalogue, asked) {
        Ok(Prepared::Call(call)) => {
            let answer = host.call(call);
            open.push(Box::pin(async move { (id, answer.await) }));
        }
        Ok(Prepared::Known(value)) => answer(worker, id, Ok(value)),
        Err(error) => answer(worker, id, Err(error)),
    }
}

fn answer(worker: &mut Worker, id: u32, result: Result<Value, CallError>) {
    let result = result.and_then(|value| {
        serde_json::value::to_raw_value(&value)
            .map_err(|error| CallError::new(Exception::ValueError, format!("the answer is no JSON: {error}")))
    });
    worker.send(&match result {
        Ok(result) => Order::Answer { id, result },
        Err(error) => Order::Failed { id, error },
    });
}

enum Prepared {
    Call(Call),
    /// The answer is in the catalogue.
    Known(Value),
}

fn prepare(catalogue: &Catalogue, asked: Asked) -> Result<Prepared, CallError> {
    let Asked { name, args, kwargs, .. } = asked;
    if let Some(function) = help::function(&name) {
        let arguments = bind(&name, &function, args, kwargs)?;
        return help::answer(catalogue, &name, &arguments).map(Prepared::Known);
    }
    let Some(function) = catalogue.get(&name) else {
        let close = did_you_mean(&name, catalogue.paths().map(|(path, _)| path));
        return Err(CallError::new(Exception::RuntimeError, format!("there is no function {name} any more{close}")));
    };
    if catalogue.is_restricted() && !function.read_only {
        return Err(CallError::new(Exception::PermissionError, format!("{name}: {READ_ONLY}")));
    }
    let arguments = bind(&name, function, args, kwargs)?;
    let Function { server, name, .. } = function.clone();
    Ok(Prepared::Call(Call { server, name, arguments }))
}
