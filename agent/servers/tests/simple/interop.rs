//! Against the Python SDK, new and old, in both directions.
//!
//! `ASYNCAI_PEERS` is the directory that `e2e/peers/setup.sh` prints. Without it these tests do
//! nothing, and say so; `make test` sets it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use asyncai_mcp::{Change, Kind, Source};
use serde_json::{Map, Value, json};
use tokio::process::Command;

use crate::http::{source, spawn};
use crate::support::{Client, command, next, program, within};

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../e2e/peers/python");

/// The interpreter of one of the peers, and one of its scripts.
fn peer(name: &str, script: &str) -> Option<(String, String)> {
    let Some(peers) = std::env::var_os("ASYNCAI_PEERS") else {
        // Not eprintln, which the test harness hides.
        let _ = writeln!(std::io::stderr(), "interop test skipped: ASYNCAI_PEERS is not set; run e2e/peers/setup.sh");
        return None;
    };
    let python: PathBuf = Path::new(&peers).join(name).join("bin/python");
    assert!(python.exists(), "{} is missing; run e2e/peers/setup.sh", python.display());
    Some((python.display().to_string(), format!("{SCRIPTS}/{script}")))
}

/// What a client script saw.
async fn run(python: &str, script: &str, target: &[&str]) -> Value {
    let mut client = Command::new(python);
    client.arg(script).args(target).kill_on_drop(true);
    let output = within("a client", client.output()).await.expect("a client");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn seen() -> Value {
    json!({
        "version": "2026-07-28",
        "before": {},
        "event": "memo://notes",
        "after": {"from": "python"},
        "refused": [],
        "failed": true,
    })
}

#[tokio::test]
async fn a_python_client_watches_our_server_over_stdio() {
    let Some((python, script)) = peer("python", "client.py") else { return };
    assert_eq!(run(&python, &script, &[&program()]).await, seen());
}

#[tokio::test]
async fn a_python_client_watches_our_server_over_http() {
    let Some((python, script)) = peer("python", "client.py") else { return };
    let (_server, url) = spawn(Command::new(program()).args(["--http", "0"])).await;
    assert_eq!(run(&python, &script, &[&url]).await, seen());
}

#[tokio::test]
async fn an_old_python_client_uses_our_server() {
    let Some((python, script)) = peer("python-old", "client_old.py") else { return };
    let saw = run(&python, &script, &[&program()]).await;
    assert_eq!(saw, json!({"version": "2025-11-25", "after": {"from": "old"}}));
}

async fn watches_python(source: Source) {
    let client = Client::new(source);
    let mut subscription = client.listen().await;
    client.notes().await;
    for round in ["first", "second"] {
        client.set("round", json!(round)).await;
        assert_eq!(next(&mut subscription).await, Change::Updated);
        assert_eq!(client.notes().await["round"], round);
    }
    let templates: Vec<_> = client.servers.resources();
    assert!(templates.iter().any(|resource| resource.uri == "memo://one/{key}"), "{templates:?}");
    within("the end", client.servers.close()).await;
}

#[tokio::test]
async fn we_watch_a_python_server_over_stdio() {
    let Some((python, script)) = peer("python", "server.py") else { return };
    watches_python(command([&python, &script])).await;
}

#[tokio::test]
async fn we_watch_a_python_server_over_http() {
    let Some((python, script)) = peer("python", "server.py") else { return };
    let (_server, url) = spawn(Command::new(python).args([&script, "http"])).await;
    watches_python(source(&url, Duration::from_mins(1))).await;
}

async fn falls_back(source: Source) {
    let client = Client::new(source);
    let arguments: Map<String, Value> = [("a".to_owned(), json!(2)), ("b".to_owned(), json!(3))].into_iter().collect();
    let sum = within("a call", client.servers.call("s", "add", arguments)).await.expect("a sum");
    assert_eq!(sum.text, "5");
    let read = within("a read", client.servers.read("memo://old", None, None)).await.expect("a note");
    assert_eq!(read.text, "old");
    let error = client.servers.listen("memo://old", None).await.expect_err("an old server");
    assert_eq!(error.kind(), Kind::NotWatchable);
    assert!(error.to_string().contains("2026-07-28"), "{error}");
    within("the end", client.servers.close()).await;
}

#[tokio::test]
async fn an_old_python_server_serves_its_tools_over_stdio() {
    let Some((python, script)) = peer("python-old", "server_old.py") else { return };
    falls_back(command([&python, &script])).await;
}

#[tokio::test]
async fn an_old_python_server_serves_its_tools_over_http() {
    let Some((python, script)) = peer("python-old", "server_old.py") else { return };
    let (_server, url) = spawn(Command::new(python).args([&script, "http"])).await;
    falls_back(source(&url, Duration::from_secs(30))).await;
}
