//! Against the SDKs of other languages in both directions, and an old one.
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
use crate::support::{Client, example, next, program, within};

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../e2e/peers");

/// Where the peers are installed.
pub(crate) fn peers() -> Option<PathBuf> {
    let Some(peers) = std::env::var_os("ASYNCAI_PEERS") else {
        // Not eprintln, which the test harness hides.
        let _ = writeln!(std::io::stderr(), "interop test skipped: ASYNCAI_PEERS is not set; run e2e/peers/setup.sh");
        return None;
    };
    Some(PathBuf::from(peers))
}

/// The command of one of the peers: what runs it, and what that runs.
fn peer(name: &str, script: &str) -> Option<Vec<String>> {
    let installed = peers()?.join(name);
    let (runtime, script) = match name {
        "typescript" => ("node", installed.join(format!("{script}.mjs")).display().to_string()),
        "go" => ("peer", script.to_owned()),
        _ => ("bin/python", Path::new(SCRIPTS).join(format!("python/{script}.py")).display().to_string()),
    };
    let runtime = installed.join(runtime);
    assert!(runtime.exists(), "{} is missing; run e2e/peers/setup.sh", runtime.display());
    Some(vec![runtime.display().to_string(), script])
}

fn run(command: &[String], arguments: &[&str]) -> Command {
    let mut run = Command::new(&command[0]);
    run.args(&command[1..]).args(arguments).kill_on_drop(true);
    run
}

/// What a client saw.
async fn saw(command: &[String], arguments: &[&str]) -> Value {
    let output = within("a client", run(command, arguments).output()).await.expect("a client");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A client of that language watches our server both ways.
async fn is_watched(language: &str) {
    let Some(client) = peer(language, "client") else { return };
    let seen = json!({
        "version": "2026-07-28",
        "before": {},
        "event": "memo://notes",
        "after": {"from": language},
        "refused": [],
        "failed": true,
    });
    assert_eq!(saw(&client, &[&program()]).await, seen, "over stdio");
    let (_server, url) = spawn(Command::new(program()).args(["--http", "0"])).await;
    assert_eq!(saw(&client, &[&url]).await, seen, "over HTTP");
}

#[tokio::test]
async fn a_python_client_watches_our_server() {
    is_watched("python").await;
}

#[tokio::test]
async fn a_typescript_client_watches_our_server() {
    is_watched("typescript").await;
}

#[tokio::test]
async fn a_go_client_watches_our_server() {
    is_watched("go").await;
}

#[tokio::test]
async fn a_typescript_client_watches_our_files() {
    let Some(client) = peer("typescript", "files") else { return };
    let seen = json!({
        "version": "2026-07-28",
        "states": ["null", "{\"a\": 1}", "null"],
        "read": "text",
        "listed": [["a b.json", "file", 4]],
        "refused": true,
    });
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let [one, other] = folders.each_ref().map(|folder| folder.path().display().to_string());
    assert_eq!(saw(&client, &[&one, &example("file"), &one]).await, seen, "over stdio");
    let (_server, url) = spawn(Command::new(example("file")).args([&other, "--http", "0"])).await;
    assert_eq!(saw(&client, &[&other, &url]).await, seen, "over HTTP");
}

#[tokio::test]
async fn an_old_python_client_uses_our_server() {
    let Some(client) = peer("python-old", "client_old") else { return };
    assert_eq!(saw(&client, &[&program()]).await, json!({"version": "2025-11-25", "after": {"from": "old"}}));
}

/// A server over stdio, and one over HTTP with the process that must live as long.
async fn both(command: &[String]) -> [(Source, Option<tokio::process::Child>); 2] {
    let stdio = Source::Stdio { command: command.to_vec(), env: std::collections::BTreeMap::new() };
    let (child, url) = spawn(&mut run(command, &["http"])).await;
    [(stdio, None), (source(&url, Duration::from_mins(1)), Some(child))]
}

/// We watch a server of that language both ways.
async fn watches(language: &str) {
    let Some(server) = peer(language, "server") else { return };
    for (source, _server) in both(&server).await {
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
        let one = within("a read", client.servers.read("memo://one/round", None, None)).await.expect("a note");
        assert_eq!(one.value(), "second");
        within("the end", client.servers.close()).await;
    }
}

#[tokio::test]
async fn we_watch_a_python_server() {
    watches("python").await;
}

#[tokio::test]
async fn we_watch_a_typescript_server() {
    watches("typescript").await;
}

#[tokio::test]
async fn we_watch_a_go_server() {
    watches("go").await;
}

#[tokio::test]
async fn an_old_python_server_serves_its_tools() {
    let Some(server) = peer("python-old", "server_old") else { return };
    for (source, _server) in both(&server).await {
        let client = Client::new(source);
        let arguments: Map<String, Value> = json!({"a": 2, "b": 3}).as_object().cloned().expect("an object");
        let sum = within("a call", client.servers.call("s", "add", arguments)).await.expect("a sum");
        assert_eq!(sum.text, "5");
        let read = within("a read", client.servers.read("memo://old", None, None)).await.expect("a note");
        assert_eq!(read.text, "old");
        let error = client.servers.listen("memo://old", None).await.expect_err("an old server");
        assert_eq!(error.kind(), Kind::NotWatchable);
        assert!(error.to_string().contains("2026-07-28"), "{error}");
        within("the end", client.servers.close()).await;
    }
}
