//! The calls of one run: some open, the rest waiting, all of them within bounds that are the parent's own.

use std::collections::VecDeque;

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::bind::bind;
use crate::call::{Call, CallError, Exception, Host};
use crate::catalogue::{Catalogue, Function};
use crate::drive::READ_ONLY;
use crate::help;
use crate::identifier::did_you_mean;
use crate::process::Worker;
use crate::wire::{ARGUMENTS, Asked, Order};

/// So many are open at a time: each may hold a large result.
pub(super) const OPEN: usize = 16;
/// None is started while the worker has so much to read yet, in bytes.
pub(super) const UNREAD: usize = 4 << 20;
/// The arguments of all calls without an answer, in bytes of JSON.
const HELD: usize = 4 * ARGUMENTS;

type Answer = Result<Value, CallError>;

/// What came back: which call, its arguments' bytes, the answer.
pub(super) type Returned = (u32, usize, Answer);

pub(super) struct Calls<'a> {
    catalogue: &'a Catalogue,
    host: &'a dyn Host,
    /// Then all that have no answer fail, and all further ones.
    until: Instant,
    open: FuturesUnordered<BoxFuture<'static, Returned>>,
    waiting: VecDeque<(Asked, usize)>,
    held: usize,
}

impl<'a> Calls<'a> {
    pub(super) fn new(catalogue: &'a Catalogue, host: &'a dyn Host, until: Instant) -> Self {
        Self { catalogue, host, until, open: FuturesUnordered::new(), waiting: VecDeque::new(), held: 0 }
    }

    /// Takes a call, which came in so many bytes.
    pub(super) fn take(&mut self, worker: &mut Worker, asked: Asked, bytes: usize) {
        if self.held + bytes > HELD {
            let message = format!("the arguments of calls without an answer have more than {} MB", HELD >> 20);
            return answer(worker, asked.id, Err(CallError::new(Exception::RuntimeError, message)));
        }
        self.held += bytes;
        self.waiting.push_back((asked, bytes));
    }

    /// Starts as many as may be open.
    pub(super) fn start(&mut self, worker: &mut Worker) {
        while self.open.len() < OPEN
            && worker.unread() < UNREAD
            && let Some((asked, bytes)) = self.waiting.pop_front()
        {
            let (id, name, until) = (asked.id, asked.name.clone(), self.until);
            if until <= Instant::now() {
                self.finish(worker, (id, bytes, Err(late(&name))));
                continue;
            }
            match prepare(self.catalogue, asked) {
                Ok(Prepared::Call(call)) => {
                    let answer = timeout_at(until, self.host.call(call));
                    let answer = async move { answer.await.unwrap_or_else(|_| Err(late(&name))) };
                    self.open.push(Box::pin(async move { (id, bytes, answer.await) }));
                }
                Ok(Prepared::Known(value)) => self.finish(worker, (id, bytes, Ok(value))),
                Err(error) => self.finish(worker, (id, bytes, Err(error))),
            }
        }
    }

    /// The next open one that returns; none if none is open.
    pub(super) async fn next(&mut self) -> Option<Returned> {
        self.open.next().await
    }

    /// Gives an answer to the worker.
    pub(super) fn finish(&mut self, worker: &mut Worker, (id, bytes, result): Returned) {
        self.held -= bytes;
        answer(worker, id, result);
    }
}

fn late(name: &str) -> CallError {
    CallError::new(Exception::TimeoutError, format!("{name} has no answer yet, and the time is nearly up"))
}

fn answer(worker: &mut Worker, id: u32, result: Answer) {
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
