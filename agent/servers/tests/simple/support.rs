//! What the tests share: a registry with one server, the server program, waits that fail loudly.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use asyncai_mcp::{Change, Event, ServerStatus, Servers, Source, Subscription, Timeouts};
use asyncai_servers::serve::{Server, in_process};
use asyncai_servers::simple::NOTES;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

/// One agent's servers, with the news of their states.
pub(crate) struct Client {
    pub(crate) servers: Servers,
    pub(crate) events: mpsc::Receiver<Event>,
}

impl Client {
    /// A client whose server `s` is at `source`.
    pub(crate) fn new(source: Source) -> Self {
        Self::impatient(source, Duration::from_secs(20))
    }

    /// One that waits no longer than `patience` for an answer or a sign of life.
    pub(crate) fn impatient(source: Source, patience: Duration) -> Self {
        let (sender, events) = mpsc::channel(1);
        let timeouts = Timeouts {
            connect: Duration::from_secs(30),
            acknowledge: Duration::from_secs(20),
            request: patience,
            silence: patience,
        };
        let servers = Servers::with_timeouts(sender, timeouts);
        servers.apply("s", source);
        Self { servers, events }
    }

    pub(crate) async fn listen(&self) -> Subscription {
        let listening = self.servers.listen(NOTES, None);
        within("a subscription", listening).await.expect("a subscription")
    }

    pub(crate) async fn notes(&self) -> Value {
        let reading = self.servers.read(NOTES, None, None);
        let contents = within("a read", reading).await.expect("the notes");
        assert_eq!(contents.mime.as_deref(), Some("application/json"));
        serde_json::from_str(&contents.text).expect("JSON")
    }

    pub(crate) async fn set(&self, key: &str, value: Value) {
        let arguments = json!({"key": key, "value": value});
        let arguments: Map<String, Value> = arguments.as_object().cloned().expect("an object");
        let calling = self.servers.call("s", "memo_set", arguments);
        let result = within("a call", calling).await.expect("a result");
        assert!(!result.failed, "{}", result.text);
    }

    /// Waits until the server's state is as `wanted`.
    pub(crate) async fn until(&mut self, wanted: impl Fn(&ServerStatus) -> bool) -> ServerStatus {
        let reached = async {
            loop {
                let status = self.servers.status().remove(0);
                if wanted(&status) {
                    return status;
                }
                self.events.recv().await.expect("the servers live");
            }
        };
        within("a state of the server", reached).await
    }

    /// A change is pushed, and is there to be read.
    pub(crate) async fn hears_changes(&self) {
        let mut subscription = self.listen().await;
        self.set("todo", json!("tests")).await;
        assert_eq!(next(&mut subscription).await, Change::Updated);
        assert_eq!(self.notes().await["todo"], "tests");
    }
}

pub(crate) async fn next(subscription: &mut Subscription) -> Change {
    within("a change", subscription.next()).await
}

/// Why the subscription ended.
pub(crate) async fn ended(subscription: &mut Subscription) -> String {
    loop {
        if let Change::Ended(reason) = next(subscription).await {
            return reason;
        }
    }
}

/// Fails loudly instead of hanging.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_mins(1), future).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

pub(crate) fn here(server: impl Server) -> Source {
    Source::InProcess(Arc::new(move || in_process(server.clone())))
}

/// The example program `simple`.
pub(crate) fn program() -> String {
    example("simple")
}

/// An example program, which cargo builds with the tests.
pub(crate) fn example(name: &str) -> String {
    let test = std::env::current_exe().expect("a test is a program");
    let target = test.parent().and_then(|deps| deps.parent()).expect("a target folder");
    let program: PathBuf = target.join("examples").join(name);
    assert!(program.exists(), "cargo build -p asyncai-servers --example {name}");
    program.display().to_string()
}

pub(crate) fn command<const N: usize>(words: [&str; N]) -> Source {
    Source::Stdio { command: words.map(str::to_owned).to_vec(), env: BTreeMap::new() }
}
