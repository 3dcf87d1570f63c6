//! Answers what Python calls: tools by their servers, built-ins by the agent.

use asyncai_mcp::Servers;
use asyncai_repl::{Call, CallError, Exception, Limits};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

use super::builtins;
use super::catalogue;
use crate::event::Event;

/// The answer to a request.
pub(crate) type Answer = Result<Value, CallError>;

/// What the model asks of its watches; answered by the loop.
pub(crate) struct Request {
    pub(crate) what: What,
    pub(crate) answer: oneshot::Sender<Answer>,
}

/// A watch to be started, stopped, or all of them listed.
pub(crate) enum What {
    Start(Start),
    Stop { name: String },
    List,
}

/// A watch as the model wants it; the filter is checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) name: String,
    pub(crate) uri: String,
    pub(crate) on_event: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) server: Option<String>,
}

/// The agent's side of Python.
#[derive(Clone)]
pub(crate) struct Host {
    servers: Servers,
    events: mpsc::Sender<Event>,
}

impl Host {
    pub(crate) fn new(servers: Servers, events: mpsc::Sender<Event>) -> Self {
        Self { servers, events }
    }

    async fn answer(self, call: Call) -> Answer {
        let Call { server, name, arguments } = call;
        if let Some(server) = server {
            return self.tool(&server, &name, arguments).await;
        }
        match name.as_str() {
            builtins::LIST_RESOURCES => Ok(self.resources()),
            builtins::READ_RESOURCE => self.read(&text(&arguments, "uri").unwrap_or_default()).await,
            builtins::WATCH_START => self.start(&arguments).await,
            builtins::WATCH_STOP => {
                let name = text(&arguments, "name").unwrap_or_default();
                self.ask(What::Stop { name }).await
            }
            builtins::WATCH_LIST => self.ask(What::List).await,
            _ => Err(CallError::new(Exception::RuntimeError, format!("there is no built-in {name}"))),
        }
    }

    async fn tool(&self, server: &str, name: &str, arguments: Map<String, Value>) -> Answer {
        match self.servers.call(server, name, arguments).await {
            Ok(result) if result.failed => Err(CallError::new(Exception::RuntimeError, result.text)),
            Ok(result) => Ok(result.value()),
            Err(error) => Err(CallError::new(Exception::RuntimeError, error.to_string())),
        }
    }

    fn resources(&self) -> Value {
        let resource = |resource: asyncai_mcp::Resource| {
            json!({
                "uri": resource.uri,
                "template": resource.template,
                "name": resource.name,
                "description": resource.description,
                "example": resource.example,
                "mime_type": resource.mime_type,
                "server": resource.server,
                "subscribable": resource.subscribable,
            })
        };
        self.servers.resources().into_iter().map(resource).collect()
    }

    async fn read(&self, uri: &str) -> Answer {
        match self.servers.read(uri, None, None).await {
            Ok(contents) => Ok(contents.value()),
            Err(error) => Err(CallError::new(Exception::RuntimeError, error.to_string())),
        }
    }

    /// A broken filter fails here, before there is a watch.
    async fn start(&self, arguments: &Map<String, Value>) -> Answer {
        let start = Start {
            name: text(arguments, "name").unwrap_or_default(),
            uri: text(arguments, "uri").unwrap_or_default(),
            on_event: text(arguments, "on_event"),
            instructions: text(arguments, "instructions"),
            server: text(arguments, "server"),
        };
        if let Some(source) = &start.on_event {
            let refused = |message| CallError::new(Exception::ValueError, format!("on_event, {message}"));
            self.check(source).await.map_err(refused)?;
        }
        self.ask(What::Start(start)).await
    }

    /// Whether `source` may be a filter; if not, why.
    pub(crate) async fn check(&self, source: &str) -> Result<(), String> {
        let complete = catalogue::is_complete(&self.servers);
        // Not the current one, which follows the servers a moment later.
        let catalogue = catalogue::of(&self.servers).read_only();
        let checked = asyncai_repl::validate(source, &catalogue, complete, &Limits::filter()).await;
        checked.map_err(|finding| finding.to_string())
    }

    async fn ask(&self, what: What) -> Answer {
        let (answer, answered) = oneshot::channel();
        let _ = self.events.send(Event::Request(Box::new(Request { what, answer }))).await;
        let ended = || CallError::new(Exception::RuntimeError, "the agent is ending");
        answered.await.unwrap_or_else(|_| Err(ended()))
    }
}

impl asyncai_repl::Host for Host {
    fn call(&self, call: Call) -> BoxFuture<'static, Answer> {
        self.clone().answer(call).boxed()
    }
}

fn text(arguments: &Map<String, Value>, name: &str) -> Option<String> {
    arguments.get(name)?.as_str().map(str::to_owned)
}
