//! What a filter costs an event, against CPython: a warm child, and a process for each event. Prints one table.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run ends")]

use std::process::Stdio;
use std::time::{Duration, Instant};

use asyncai_repl::{Allocator, Call, CallError, Catalogue, Filter, Host, Limits};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

#[global_allocator]
static GLOBAL: Allocator = Allocator;

const WARM: usize = 20_000;
const COLD: usize = 30;

/// The filter of ADR 0005's example.
const SOURCE: &str = r#"
m = event["object"]["metadata"]
f'{event["type"].lower()} {m["namespace"]}/{m["name"]}' if event["type"] in ("ADDED", "DELETED") else None
"#;

/// The same loop as the worker's, for CPython.
const LOOP: &str = r#"
import sys, json
code = compile(FILTER, "filter", "exec")
scope = {}
for line in sys.stdin:
    scope["event"] = json.loads(line)
    exec(code, scope)
    sys.stdout.write(json.dumps(scope["line"]) + "\n")
    sys.stdout.flush()
"#;

struct Nobody;

impl Host for Nobody {
    fn call(&self, _: Call) -> BoxFuture<'static, Result<Value, CallError>> {
        Box::pin(async { Ok(Value::Null) })
    }
}

fn main() {
    asyncai_repl::serve_if_worker();
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(run());
}

async fn run() {
    println!("| Filter of one event ({} bytes of JSON) | median | p99 |\n|---|---|---|", event(1).len());
    let (trips, inside) = warm().await;
    row("asyncai, inside of the worker's scope", inside);
    row("asyncai, with the round trip to the worker", trips);
    row("CPython, with the round trip to a warm child", cpython_warm().await);
    row("CPython, a process for each event", cpython_cold().await);
    row("asyncai, a worker for each event (start included)", cold().await);
    memory().await;
}

fn row(what: &str, mut times: Vec<Duration>) {
    if times.is_empty() {
        return println!("| {what} | not here | |");
    }
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e6;
    println!("| {what} | {:.1} us | {:.1} us |", at(50), at(99));
}

fn event(n: usize) -> String {
    let kind = ["ADDED", "MODIFIED", "DELETED"][n % 3];
    json!({
        "watch": "cm", "uri": "kcp-events://watch/root:app/configmaps?namespace=*", "seq": n, "type": kind,
        "object": {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b", "n": n},
            "metadata": {"name": format!("name-{n}"), "namespace": "default", "uid": "0b0c", "labels": {"app": "x"}}},
    })
    .to_string()
}

async fn warm() -> (Vec<Duration>, Vec<Duration>) {
    let mut filter = Filter::new(SOURCE, Limits::filter());
    let (mut trips, mut inside) = (Vec::new(), Vec::new());
    for n in 0..WARM {
        let (event, catalogue) = (event(n), Catalogue::default());
        let begun = Instant::now();
        filter.event(&event, &catalogue, &Nobody).await.unwrap();
        trips.push(begun.elapsed());
        inside.push(filter.last_time());
    }
    (trips, inside)
}

async fn cold() -> Vec<Duration> {
    let mut times = Vec::new();
    for n in 0..COLD {
        let begun = Instant::now();
        let mut filter = Filter::new(SOURCE, Limits::filter());
        filter.event(&event(n), &Catalogue::default(), &Nobody).await.unwrap();
        times.push(begun.elapsed());
    }
    times
}

/// The filter with its value under a name, as `exec` gives none.
fn python() -> String {
    let (last, body) = SOURCE.trim().rsplit_once('\n').map(|(body, last)| (last, body)).unwrap();
    let filter = format!("{body}\nline = {last}\n");
    LOOP.replace("FILTER", &serde_json::to_string(&filter).unwrap())
}

/// The interpreter itself: what is found by its name may be a script that looks for it.
async fn interpreter() -> Option<String> {
    let found = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().await.ok()?;
    Some(String::from_utf8(found.stdout).ok()?.trim().to_owned())
}

fn spawn(python3: &str) -> Option<(Child, ChildStdin, BufReader<ChildStdout>)> {
    let mut child = Command::new(python3)
        .args(["-S", "-c", &python()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let (stdin, stdout) = (child.stdin.take()?, child.stdout.take()?);
    Some((child, stdin, BufReader::new(stdout)))
}

async fn ask(stdin: &mut ChildStdin, stdout: &mut BufReader<ChildStdout>, n: usize) -> String {
    let mut line = event(n);
    line.push('\n');
    stdin.write_all(line.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stdout.read_line(&mut answer).await.unwrap();
    answer
}

async fn cpython_warm() -> Vec<Duration> {
    let Some(python3) = interpreter().await else { return Vec::new() };
    let Some((_child, mut stdin, mut stdout)) = spawn(&python3) else { return Vec::new() };
    let mut times = Vec::new();
    for n in 0..WARM {
        let begun = Instant::now();
        let answer = ask(&mut stdin, &mut stdout, n).await;
        times.push(begun.elapsed());
        assert!(n % 3 != 0 || answer.contains("default/name"), "{answer}");
    }
    times
}

async fn cpython_cold() -> Vec<Duration> {
    let Some(python3) = interpreter().await else { return Vec::new() };
    let mut times = Vec::new();
    for n in 0..COLD {
        let begun = Instant::now();
        let Some((mut child, mut stdin, mut stdout)) = spawn(&python3) else { return Vec::new() };
        ask(&mut stdin, &mut stdout, n).await;
        times.push(begun.elapsed());
        child.kill().await.unwrap();
    }
    times
}

/// What a worker with a filter holds after some events.
async fn memory() {
    let mut filter = Filter::new(SOURCE, Limits::filter());
    for n in 0..100 {
        filter.event(&event(n), &Catalogue::default(), &Nobody).await.unwrap();
    }
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).unwrap_or("?").to_owned()
    };
    let status = filter.process().and_then(|id| std::fs::read_to_string(format!("/proc/{id}/status")).ok());
    let status = status.unwrap_or_default();
    println!(
        "\nA worker's memory: {} KB resident, of it {} KB anonymous",
        field(&status, "VmRSS"),
        field(&status, "RssAnon")
    );
}
