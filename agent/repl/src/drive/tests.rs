//! What code may cost its parent.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::task::yield_now;

use super::*;
use crate::call::{Call, CallError};
use crate::drive::calls::{OPEN, UNREAD};
use crate::worker::tests::{Recorder, catalogue, code_limits};

/// Answers each call a little later, and counts.
#[derive(Clone)]
struct Gate {
    started: Arc<AtomicUsize>,
    open: Arc<AtomicUsize>,
    most_open: Arc<AtomicUsize>,
    answer: Value,
}

impl Gate {
    fn new(answer: Value) -> Self {
        let [started, open, most_open] = <[Arc<AtomicUsize>; 3]>::default();
        Self { started, open, most_open, answer }
    }
}

impl Host for Gate {
    fn call(&self, _: Call) -> BoxFuture<'static, Result<Value, CallError>> {
        let gate = self.clone();
        gate.started.fetch_add(1, SeqCst);
        gate.most_open.fetch_max(gate.open.fetch_add(1, SeqCst) + 1, SeqCst);
        async move {
            yield_now().await;
            gate.open.fetch_sub(1, SeqCst);
            Ok(gate.answer)
        }
        .boxed()
    }
}

/// Runs a source for so long, and gives its value and its exception.
async fn run(source: &str, host: &dyn Host, seconds: u64) -> (Option<String>, Option<String>) {
    let limits = Limits { wall: Duration::from_secs(seconds), ..code_limits() };
    let mut worker = Worker::start(&limits).await.unwrap();
    introduce(&mut worker, &catalogue());
    worker.send(&Order::Run { source: source.to_owned(), most: most(&limits) });
    match drive(&mut worker, &catalogue(), host, &limits).await {
        Ok(Ended::Done(done)) => (done.value, done.problem.map(|problem| problem.exception)),
        _ => panic!("the worker is lost"),
    }
}

#[tokio::test]
async fn the_calls_of_a_large_gather_wait_for_each_other() {
    let gate = Gate::new(json!(1));
    let source = "import asyncio\nsum(await asyncio.gather(*[echo(x=n) for n in range(1000)]))";
    assert_eq!(run(source, &gate, 20).await, (Some("1000".to_owned()), None));
    assert!(gate.most_open.load(SeqCst) <= OPEN);
}

#[tokio::test]
async fn nothing_is_called_for_a_worker_that_does_not_read() {
    let gate = Gate::new(json!("x".repeat(1 << 20)));
    let source =
        "import asyncio\ncalls = [echo(x=n) for n in range(100)]\nwhile True: pass\nawait asyncio.gather(*calls)";
    assert_eq!(run(source, &gate, 5).await, (None, Some("TimeoutError".to_owned())));
    let started = gate.started.load(SeqCst);
    assert!((OPEN..=OPEN + (UNREAD >> 20) + 1).contains(&started), "{started}");
}

#[tokio::test]
async fn large_results_all_arrive_where_they_are_read() {
    let gate = Gate::new(json!("x".repeat(1 << 20)));
    let source = "import asyncio\nsum([len(x) for x in await asyncio.gather(*[echo(x=n) for n in range(40)])])";
    assert_eq!(run(source, &gate, 20).await, (Some((40 << 20).to_string()), None));
}

#[tokio::test]
async fn the_arguments_that_wait_are_bounded() {
    let gate = Gate::new(json!(1));
    let source = "import asyncio\nx = 'x' * 2**20\nsum(await asyncio.gather(*[echo(x=x) for n in range(8)]))";
    assert_eq!(run(source, &gate, 20).await, (Some("8".to_owned()), None));
    let source = "import asyncio\nx = 'x' * 2**21\nawait asyncio.gather(*[stuck(x=x) for n in range(8)])";
    assert_eq!(run(source, &Recorder::new(), 20).await, (None, Some("RuntimeError".to_owned())));
}
