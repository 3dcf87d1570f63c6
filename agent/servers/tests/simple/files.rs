//! The file server through our client.

use std::fs;
use std::path::PathBuf;

use asyncai_mcp::check::check;
use asyncai_mcp::{Change, Kind, Timeouts};
use asyncai_servers::file::Files;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Client, here, next, within};

/// An empty root, and a client of the server that serves it.
struct Served {
    client: Client,
    dir: PathBuf,
    _folder: TempDir,
}

impl Served {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let dir = folder.path().canonicalize().expect("a path");
        let client = Client::new(here(Files::new([dir.clone()])));
        Self { client, dir, _folder: folder }
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}/{name}", self.dir.display())
    }

    fn write(&self, name: &str, text: &[u8]) {
        fs::write(self.dir.join(name), text).expect("written");
    }

    async fn read(&self, name: &str) -> Result<Value, asyncai_mcp::Error> {
        let uri = self.uri(name);
        within("a read", self.client.servers.read(&uri, None, None)).await.map(|contents| contents.value())
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        let arguments = arguments.as_object().cloned().expect("an object");
        let result = within("a call", self.client.servers.call("s", tool, arguments)).await.expect("a result");
        if result.failed { Err(result.text) } else { Ok(result.value()) }
    }
}

#[tokio::test]
async fn a_file_is_watched_before_during_and_after_its_life() {
    let served = Served::new();
    let mut subscription =
        within("a subscription", served.client.servers.listen(&served.uri("a.json"), None)).await.expect("one");
    assert_eq!(served.read("a.json").await.expect("a state"), Value::Null);
    served.write("a.json", br#"{"a": 1}"#);
    assert_eq!(next(&mut subscription).await, Change::Updated);
    assert_eq!(served.read("a.json").await.expect("a state"), json!({"a": 1}));
    served.write("a.json", &[0xff]);
    assert_eq!(next(&mut subscription).await, Change::Updated);
    let blob = json!({"type": "blob", "mimeType": "application/json", "bytes": 1, "data": "/w=="});
    assert_eq!(served.read("a.json").await.expect("a state"), blob);
    fs::remove_file(served.dir.join("a.json")).expect("removed");
    assert_eq!(next(&mut subscription).await, Change::Updated);
    assert_eq!(served.read("a.json").await.expect("a state"), Value::Null);
}

#[tokio::test]
async fn a_directory_is_a_list_by_name() {
    let served = Served::new();
    let root = format!("file://{}", served.dir.display());
    let mut subscription = within("a subscription", served.client.servers.listen(&root, None)).await.expect("one");
    served.write("f", b"123");
    assert_eq!(next(&mut subscription).await, Change::Updated);
    let listed = within("a read", served.client.servers.read(&root, None, None)).await.expect("a list").value();
    assert_eq!((&listed[0]["name"], &listed[0]["type"], &listed[0]["size"]), (&json!("f"), &json!("file"), &json!(3)));
    assert_eq!(served.call("list_dir", json!({"path": root})).await.expect("a list")["entries"], listed);
}

#[tokio::test]
async fn nothing_outside_can_be_watched_or_read() {
    let served = Served::new();
    std::os::unix::fs::symlink("/etc/passwd", served.dir.join("out")).expect("linked");
    let servers = &served.client.servers;
    for uri in ["file:///etc/passwd".to_owned(), served.uri("../x"), served.uri("out")] {
        let subscribed = within("a subscription", servers.listen(&uri, None)).await;
        let error = within("a read", servers.read(&uri, None, None)).await.expect_err(&uri);
        assert_eq!(error.kind(), Kind::SourceError, "{uri}");
        assert!(!error.to_string().contains("root:"), "{error}");
        drop(subscribed);
    }
    let error = served.read("out").await.expect_err("a way out").to_string();
    assert!(error.contains("leads out of"), "{error}");
    let error = served.call("read_file", json!({"path": "/etc/passwd"})).await.expect_err("outside");
    assert!(error.contains("/etc/passwd is not served; there is /"), "{error}");
    let error = within("a subscription", servers.listen("x://y", Some("s"))).await.expect_err("another scheme");
    assert_eq!(error.kind(), Kind::NotWatchable);
}

#[tokio::test]
async fn what_nobody_watches_must_exist() {
    let served = Served::new();
    served.write("a.json", b"1");
    let error = served.read("a.jsn").await.expect_err("missing").to_string();
    assert!(error.contains("does not exist; did you mean: a.json"), "{error}");
    let error = served.call("read_file", json!({"path": served.dir.join("b")})).await.expect_err("missing");
    assert!(error.contains("does not exist"), "{error}");
}

#[tokio::test]
async fn a_file_is_read_in_parts() {
    let served = Served::new();
    served.write("log", b"one\ntwo\nthree\n");
    let path = served.dir.join("log");
    assert_eq!(served.call("read_file", json!({"path": path})).await, Ok(json!("one\ntwo\nthree\n")));
    assert_eq!(served.call("read_file", json!({"path": path, "offset": -6})).await, Ok(json!("three\n")));
    assert_eq!(served.call("read_file", json!({"path": path, "offset": 4, "length": 3})).await, Ok(json!("two")));
    for wrong in [json!({"path": path, "length": 0}), json!({"path": "log"}), json!({"path": path, "lines": 3})] {
        served.call("read_file", wrong).await.expect_err("a bad argument");
    }
}

#[tokio::test]
async fn it_describes_itself() {
    let served = Served::new();
    served.read("").await.expect("a list");
    let servers = &served.client.servers;
    let resources = servers.resources();
    assert_eq!(resources.iter().map(|found| found.template).collect::<Vec<_>>(), [false, true]);
    assert_eq!(resources[0].uri, format!("file://{}", served.dir.display()));
    assert!(resources.iter().all(|found| found.subscribable && found.example.is_some()));
    assert!(servers.tools().iter().all(|tool| tool.read_only));
}

#[tokio::test]
async fn it_lacks_nothing_to_be_watched() {
    let folder = TempDir::new().expect("a folder");
    let source = here(Files::new([folder.path().to_owned()]));
    let report = within("a report", check(&source, &Timeouts::default())).await;
    assert!(report.watchable(), "{report}");
}
