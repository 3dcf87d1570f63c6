//! The scripted MCP server, over HTTP.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::net::SocketAddr;
use std::time::Duration;

use asyncai_e2e::scripted_server::{Seen, serve};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

const PATIENCE: Duration = Duration::from_secs(10);

struct Peer {
    mcp: SocketAddr,
    control: SocketAddr,
    http: reqwest::Client,
    _server: AbortOnDropHandle<std::io::Result<()>>,
}

impl Peer {
    async fn start() -> Self {
        // Another test of this program may have been first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let bind = async || TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (mcp, control) = (bind().await, bind().await);
        let (addresses, http) = ((mcp.local_addr().unwrap(), control.local_addr().unwrap()), reqwest::Client::new());
        let server = AbortOnDropHandle::new(tokio::spawn(serve(mcp, control)));
        Self { mcp: addresses.0, control: addresses.1, http, _server: server }
    }

    async fn post(&self, method: &str, params: Value) -> reqwest::Result<reqwest::Response> {
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let sent = self.http.post(format!("http://{}/mcp", self.mcp)).json(&message).send();
        timeout(PATIENCE, sent).await.unwrap()
    }

    async fn result(&self, method: &str, params: Value) -> Value {
        self.post(method, params).await.unwrap().json::<Value>().await.unwrap()["result"].clone()
    }

    async fn tell(&self, path: &str, body: Value) {
        let url = format!("http://{}{path}", self.control);
        let request = if path.starts_with("/notes") { self.http.put(url) } else { self.http.post(url) };
        assert_eq!(request.json(&body).send().await.unwrap().status(), 204);
    }

    async fn seen(&self, query: &str) -> Seen {
        let asked = self.http.get(format!("http://{}/seen{query}", self.control)).send();
        timeout(PATIENCE, asked).await.unwrap().unwrap().json().await.unwrap()
    }

    async fn read(&self, uri: &str) -> Value {
        let result = self.result("resources/read", json!({"uri": uri})).await;
        serde_json::from_str(result["contents"][0]["text"].as_str().unwrap()).unwrap()
    }
}

/// The next event of a stream.
async fn event(stream: &mut reqwest::Response) -> Option<Value> {
    let piece = timeout(PATIENCE, stream.chunk()).await.unwrap().ok()??;
    serde_json::from_slice(piece.strip_prefix(b"data: ")?).ok()
}

#[tokio::test]
async fn each_change_is_told_to_who_listens() {
    let peer = Peer::start().await;
    let wanted = json!({"notifications": {"resourceSubscriptions": ["memo://notes", "x://none"]}});
    let mut stream = peer.post("subscriptions/listen", wanted).await.unwrap();
    let first = event(&mut stream).await.unwrap();
    assert_eq!(first["params"]["notifications"]["resourceSubscriptions"], json!(["memo://notes"]));
    assert_eq!(first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7);
    assert_eq!(peer.seen("?listens=1").await.listens, 1);
    peer.tell("/events", json!([{"type": "ADDED"}])).await;
    peer.tell("/notes/todo", json!("milk")).await;
    let second = event(&mut stream).await.unwrap();
    assert_eq!(second["params"]["uri"], "memo://notes", "the log was not listened to");
    assert_eq!(peer.read("memo://notes").await, json!({"todo": "milk"}));
    assert_eq!(peer.read("log://events").await, json!({"events": [{"type": "ADDED", "seq": 1}]}));
    assert_eq!(peer.seen("").await.reads, 2);
}

#[tokio::test]
async fn calls_are_counted_and_do_what_they_say() {
    let peer = Peer::start().await;
    peer.result("tools/call", json!({"name": "memo_set", "arguments": {"key": "a", "value": 1}})).await;
    let looked = peer.result("tools/call", json!({"name": "look", "arguments": {"key": "a"}})).await;
    assert_eq!(looked["structuredContent"], json!({"value": 1}));
    let calls = peer.seen("").await.calls;
    assert_eq!(calls.iter().map(|call| call.tool.as_str()).collect::<Vec<_>>(), ["memo_set", "look"]);
}

#[tokio::test]
async fn a_restart_breaks_streams_and_counts_anew() {
    let peer = Peer::start().await;
    peer.tell("/events", json!([{"type": "ADDED"}, {"type": "DELETED"}])).await;
    let wanted = json!({"notifications": {"resourceSubscriptions": ["log://events"]}});
    let mut stream = peer.post("subscriptions/listen", wanted).await.unwrap();
    event(&mut stream).await.unwrap();
    peer.tell("/restart", Value::Null).await;
    assert_eq!(event(&mut stream).await, None);
    peer.tell("/events", json!([{"type": "ADDED"}])).await;
    assert_eq!(peer.read("log://events").await, json!({"events": [{"type": "ADDED", "seq": 1}]}));
}

#[tokio::test]
async fn while_it_is_down_connections_are_broken_off_and_counted() {
    let peer = Peer::start().await;
    peer.tell("/down", Value::Null).await;
    let other = reqwest::Client::new(); // without an open connection from before
    for _ in 0..2 {
        assert!(other.post(format!("http://{}/mcp", peer.mcp)).body("{}").send().await.is_err());
    }
    assert!(peer.seen("?attempts=2").await.attempts.len() >= 2);
    peer.tell("/up", Value::Null).await;
    assert_eq!(peer.read("memo://notes").await, json!({}));
}
