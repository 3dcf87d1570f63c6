//! As a child process.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use asyncai_mcp::Kind;
use asyncai_servers::simple::NOTES;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;

use crate::support::{Client, command, ended, program, within};

/// The program, which first writes down its process id.
fn traced(folder: &TempDir) -> (asyncai_mcp::Source, PathBuf) {
    let pid = folder.path().join("pid");
    let script = format!("echo $$ > {}; exec {}", pid.display(), program());
    (command(["sh", "-c", &script]), pid)
}

fn pid(file: &Path) -> i32 {
    let text = std::fs::read_to_string(file).expect("a pid file");
    text.trim().parse().expect("a pid")
}

pub(crate) fn kill(signal: &str, pid: i32) {
    let killed = std::process::Command::new("kill").args([signal, &pid.to_string()]).status();
    assert!(killed.expect("kill").success());
}

#[tokio::test]
async fn a_change_is_pushed_and_can_be_read() {
    let client = Client::new(command([&program()]));
    client.hears_changes().await;
    within("the end", client.servers.close()).await;
}

#[tokio::test]
async fn a_killed_child_ends_its_watches_and_is_started_again() {
    let folder = TempDir::new().expect("a folder");
    let (source, file) = traced(&folder);
    let mut client = Client::new(source);
    let mut subscription = client.listen().await;
    client.set("a", json!(1)).await;
    let first = pid(&file);
    kill("-9", first);
    ended(&mut subscription).await;
    client.until(|status| !status.ready).await;
    let error = client.servers.listen(NOTES, None).await.expect_err("it is down");
    assert_eq!(error.kind(), Kind::ServerDown);
    client.until(|status| status.ready).await;
    assert_ne!(pid(&file), first);
    assert_eq!(client.notes().await, json!({}), "a new child");
    client.hears_changes().await;
    within("the end", client.servers.close()).await;
}

#[tokio::test]
async fn closing_reaps_the_child() {
    let folder = TempDir::new().expect("a folder");
    let (source, file) = traced(&folder);
    let client = Client::new(source);
    let mut subscription = client.listen().await;
    let child = pid(&file);
    assert!(Path::new(&format!("/proc/{child}")).exists());
    within("the end", client.servers.close()).await;
    assert!(!Path::new(&format!("/proc/{child}")).exists(), "neither running nor a zombie");
    ended(&mut subscription).await;
}

#[tokio::test]
async fn a_child_does_not_inherit_our_environment() {
    assert!(std::env::var_os("CARGO_PKG_NAME").is_some(), "cargo sets it for tests");
    let script = format!("test -z \"$CARGO_PKG_NAME\" && test -n \"$PATH\" && exec {}", program());
    let client = Client::new(command(["sh", "-c", &script]));
    client.hears_changes().await;
    within("the end", client.servers.close()).await;
}

/// A client that goes away leaves its listens open; each still gets its final result.
#[tokio::test]
async fn the_end_of_stdin_ends_listens_gracefully() {
    let mut program = Command::new(program());
    let program = program.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = program.spawn().expect("a program");
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut line = async || -> Value {
        let line = within("a line", stdout.next_line()).await.expect("stdout");
        serde_json::from_str(&line.expect("a message")).expect("JSON")
    };
    let notifications = json!({"resourceSubscriptions": [NOTES]});
    let listen = request(7, "subscriptions/listen", json!({"notifications": notifications}));
    stdin.write_all(listen.as_bytes()).await.expect("sent");
    assert_eq!(line().await["method"], "notifications/subscriptions/acknowledged");
    // An update shows that the acknowledgement was not the last thing on the library's mind.
    let arguments = json!({"name": "memo_set", "arguments": {"key": "a", "value": 1}});
    stdin.write_all(request(8, "tools/call", arguments).as_bytes()).await.expect("sent");
    let two = [line().await, line().await];
    assert!(two.iter().any(|message| message["method"] == "notifications/resources/updated"), "{two:?}");
    drop(stdin);
    let last = line().await;
    assert_eq!((&last["id"], &last["result"]["resultType"]), (&json!(7), &json!("complete")));
    assert!(within("the end", child.wait()).await.expect("a status").success());
}

fn request(id: u64, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}
