//! Performs the turn engine's calls of the model.

use asyncai_model::{Config, Model};
use asyncai_orchestrator::{Failure, FailureKind, Finish, Input, Message, Notice, Reply, Tokens, ToolCall};
use asyncai_repl::Catalogue;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::event::Event;

/// What goes on beside the loop tells the turn engine something here.
#[derive(Clone)]
pub(crate) struct OrchestratorHandle {
    events: mpsc::Sender<Event>,
}

impl OrchestratorHandle {
    pub(crate) fn new(events: mpsc::Sender<Event>) -> Self {
        Self { events }
    }

    /// Tells the agent something in a turn, as a watch does: the way for every other source in the background.
    pub(crate) async fn notice_tx(&self, source: &str, text: &str) {
        self.send(Input::Notice(Notice::new(source, text))).await;
    }

    /// Gives an input to the engine, unless the agent has ended.
    async fn send(&self, input: Input) {
        let _ = self.events.send(Event::Turns(input)).await;
    }
}

/// The model, and the call of it that is under way.
pub(crate) struct Calls {
    handle: OrchestratorHandle,
    /// The client of the last call and what it was made from; kept because making one reads the trust roots.
    client: Option<(Config, Model)>,
    active: Option<(u64, AbortHandle)>,
}

impl Calls {
    pub(crate) fn new(handle: OrchestratorHandle) -> Self {
        Self { handle, client: None, active: None }
    }

    /// Calls the model that `config` describes; a problem with that is the call's result.
    pub(crate) fn call(
        &mut self,
        run: u64,
        messages: &[Message],
        catalogue: &Catalogue,
        config: Result<Config, String>,
    ) {
        let model = config.and_then(|config| self.client(config));
        let messages = messages.iter().map(message).collect::<Vec<_>>();
        let tools = [run_code(catalogue)];
        let handle = self.handle.clone();
        let task = tokio::spawn(async move {
            let result = match model {
                Ok(model) => complete(&handle, run, &model, &messages, &tools).await,
                Err(message) => Err(Failure { kind: FailureKind::Refused, message, retry_after: None }),
            };
            handle.send(Input::Reply { run, result }).await;
        });
        self.active = Some((run, task.abort_handle()));
    }

    /// Aborts the call for `run`.
    pub(crate) fn cancel(&mut self, run: u64) {
        if let Some((_, task)) = self.active.take_if(|(active, _)| *active == run) {
            task.abort();
        }
    }

    fn client(&mut self, config: Config) -> Result<Model, String> {
        if let Some((_, model)) = self.client.as_ref().filter(|(made_from, _)| *made_from == config) {
            return Ok(model.clone());
        }
        let model = Model::new(config.clone()).map_err(|error| chain(&error))?;
        self.client = Some((config, model.clone()));
        Ok(model)
    }
}

async fn complete(
    handle: &OrchestratorHandle,
    run: u64,
    model: &Model,
    messages: &[asyncai_model::Message],
    tools: &[asyncai_model::Tool],
) -> Result<Reply, Failure> {
    let events = handle.events.clone();
    let delta = move |text: &str| {
        // A delta is for those who look on; the reply holds the whole text, so one that finds no room is left out.
        let _ = events.try_send(Event::Turns(Input::Delta { run, text: text.to_owned() }));
    };
    match model.complete(messages, tools, delta).await {
        Ok(reply) => Ok(self::reply(reply)),
        Err(error) => Err(failure(&error)),
    }
}

/// The one tool of the model.
fn run_code(catalogue: &Catalogue) -> asyncai_model::Tool {
    let parameters = json!({
        "type": "object",
        "properties": {"code": {"type": "string", "description": "Python source"}},
        "required": ["code"],
    });
    asyncai_model::Tool {
        name: asyncai_orchestrator::RUN_CODE.to_owned(),
        description: asyncai_repl::describe(catalogue),
        parameters: parameters.as_object().cloned().unwrap_or_default(),
    }
}

fn message(message: &Message) -> asyncai_model::Message {
    match message.clone() {
        Message::System(text) => asyncai_model::Message::System(text),
        Message::User(text) => asyncai_model::Message::User(text),
        Message::Assistant { text, calls } => {
            let call = |ToolCall { id, name, arguments }| asyncai_model::ToolCall { id, name, arguments };
            asyncai_model::Message::Assistant { text, calls: calls.into_iter().map(call).collect() }
        }
        Message::Tool { call, text } => asyncai_model::Message::Tool { call, text },
    }
}

fn reply(reply: asyncai_model::Reply) -> Reply {
    let finish = match reply.finish {
        asyncai_model::Finish::Stop => Finish::Stop,
        asyncai_model::Finish::Length => Finish::Length,
        asyncai_model::Finish::Filtered => Finish::Filtered,
        asyncai_model::Finish::Other(reason) => Finish::Other(reason),
    };
    let tokens = reply.usage.map(|usage| Tokens { prompt: usage.prompt, completion: usage.completion });
    let call = |asyncai_model::ToolCall { id, name, arguments }| ToolCall { id, name, arguments };
    Reply { text: reply.text, calls: reply.calls.into_iter().map(call).collect(), finish, tokens }
}

fn failure(error: &asyncai_model::Error) -> Failure {
    let kind = match error.kind() {
        asyncai_model::Kind::Transient => FailureKind::Transient,
        asyncai_model::Kind::Refused => FailureKind::Refused,
        asyncai_model::Kind::ContextTooLong => FailureKind::ContextTooLong,
    };
    Failure { kind, message: chain(error), retry_after: error.retry_after() }
}

/// The error and what caused it, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
