//! A server whose every answer is written down, and what a test asks the client for.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use asyncai_mcp::{Event, ServerStatus, Servers, Source, Timeouts};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::mpsc;

pub(crate) const URI: &str = "x://thing";

/// What the server sends for a message.
type Answer = dyn Fn(&Value) -> Vec<Value> + Send + Sync;

/// In the place of a message: close the connection.
pub(crate) const HANG_UP: Value = Value::Null;

/// A scripted server: each connection answers by the script and can be written to at any time.
pub(crate) struct Script {
    pub(crate) source: Source,
    /// Every message of the client.
    pub(crate) heard: mpsc::UnboundedReceiver<Value>,
    latest: Arc<Mutex<Option<mpsc::UnboundedSender<Value>>>>,
}

impl Script {
    pub(crate) fn new(answer: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static) -> Self {
        let answer: Arc<Answer> = Arc::new(answer);
        let (hear, heard) = mpsc::unbounded_channel();
        let latest: Arc<Mutex<Option<mpsc::UnboundedSender<Value>>>> = Arc::default();
        let connections = Arc::clone(&latest);
        let connect = move || {
            let (client, server) = tokio::io::duplex(64 * 1024);
            let (push, pushed) = mpsc::unbounded_channel();
            *connections.lock().unwrap() = Some(push.clone());
            let (read, write) = tokio::io::split(server);
            tokio::spawn(writer(write, pushed));
            tokio::spawn(reader(read, Arc::clone(&answer), push, hear.clone(), Arc::clone(&connections)));
            client
        };
        Self { source: Source::InProcess(Arc::new(connect)), heard, latest }
    }

    /// Sends a message on the newest connection.
    pub(crate) fn push(&self, message: Value) {
        let latest = self.latest.lock().unwrap();
        latest.as_ref().expect("a connection").send(message).expect("an open connection");
    }

    /// Closes the newest connection.
    pub(crate) fn hang_up(&self) {
        self.push(HANG_UP);
    }

    /// The client's next message with this method.
    pub(crate) async fn hears(&mut self, method: &str) -> Value {
        let found = async {
            loop {
                let message = self.heard.recv().await.expect("the script lives");
                if message["method"] == method {
                    return message;
                }
            }
        };
        within(method, found).await
    }
}

async fn reader(
    read: ReadHalf<DuplexStream>,
    answer: Arc<Answer>,
    push: mpsc::UnboundedSender<Value>,
    hear: mpsc::UnboundedSender<Value>,
    latest: Arc<Mutex<Option<mpsc::UnboundedSender<Value>>>>,
) {
    // The registry of connections keeps the writer alive; this one must not.
    drop(latest);
    let mut lines = BufReader::new(read).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).expect("JSON");
        let answers = answer(&message);
        let _ = hear.send(message);
        for answer in answers {
            let hang_up = answer == HANG_UP;
            let _ = push.send(answer);
            if hang_up {
                return;
            }
        }
    }
}

async fn writer(mut write: WriteHalf<DuplexStream>, mut pushed: mpsc::UnboundedReceiver<Value>) {
    while let Some(message) = pushed.recv().await {
        if message == HANG_UP || write.write_all(format!("{message}\n").as_bytes()).await.is_err() {
            break;
        }
    }
    let _ = write.shutdown().await;
}

pub(crate) fn result(request: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
}

pub(crate) fn error(request: &Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})
}

pub(crate) fn acknowledged(listen: &Value, uris: &[&str]) -> Value {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
    json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
        "_meta": meta,
        "notifications": {"resourceSubscriptions": uris},
    }})
}

pub(crate) fn updated(listen: &Value, uri: &str) -> Value {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
    json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"_meta": meta, "uri": uri}})
}

pub(crate) fn contents(contents: Value) -> Value {
    json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "contents": contents})
}

/// A well-behaved watchable server with the one resource [`URI`]; the default of every script.
pub(crate) fn modern(request: &Value) -> Vec<Value> {
    match request["method"].as_str().unwrap_or_default() {
        "server/discover" => vec![discovered(request, &["2026-07-28"])],
        "resources/list" => vec![result(
            request,
            json!({
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "resources": [{"uri": URI, "name": "thing", "description": "A thing.\nExample: await watch_start(name=\"x\", uri=\"x://thing\")"}],
            }),
        )],
        "resources/templates/list" => vec![result(
            request,
            json!({
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "resourceTemplates": [{"uriTemplate": "x://{name}/part", "name": "part"}],
            }),
        )],
        "tools/list" => vec![result(
            request,
            json!({
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "tools": [{"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}],
            }),
        )],
        "resources/read" => vec![result(request, contents(json!([{"uri": URI, "text": "1"}])))],
        "subscriptions/listen" => vec![acknowledged(request, &[URI])],
        "tools/call" => {
            vec![result(request, json!({"resultType": "complete", "content": [{"type": "text", "text": "seen"}]}))]
        }
        _ => vec![],
    }
}

pub(crate) fn discovered(request: &Value, versions: &[&str]) -> Value {
    result(
        request,
        json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "supportedVersions": versions,
            "capabilities": {"resources": {"subscribe": true}, "tools": {}},
        }),
    )
}

/// A script that answers like [`modern`], but for one method.
pub(crate) fn modern_but(
    method: &'static str,
    answer: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static,
) -> Script {
    Script::new(move |request| if request["method"] == method { answer(request) } else { modern(request) })
}

pub(crate) fn timeouts() -> Timeouts {
    Timeouts {
        connect: Duration::from_secs(20),
        acknowledge: Duration::from_secs(20),
        request: Duration::from_secs(20),
        silence: Duration::from_secs(20),
    }
}

/// A registry with `source` as server `s`.
pub(crate) fn servers(source: &Source) -> Servers {
    let (events, _) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    servers.apply("s", source.clone());
    servers
}

/// Waits until the servers' states are as `wanted`.
pub(crate) async fn until(
    servers: &Servers,
    events: &mut mpsc::Receiver<Event>,
    wanted: impl Fn(&[ServerStatus]) -> bool,
) -> Vec<ServerStatus> {
    let reached = async {
        loop {
            let status = servers.status();
            if wanted(&status) {
                return status;
            }
            events.recv().await.expect("the servers live");
        }
    };
    within("a state of the servers", reached).await
}

/// Fails loudly instead of hanging.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_mins(1), future).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}
