//! The model: a conversation in, a reply out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::{OpenAIError, StreamError};
use async_openai::types::stream::StreamResponse;
use futures::StreamExt;
use reqwest::StatusCode;

use crate::config::Config;
use crate::error::Error;
use crate::message::{Message, Tool};
use crate::reply::{Assembly, Reply};
use crate::transport::Transport;
use crate::wire::{self, Chunk, OutputLimit, Request, StreamOptions};

/// A model at an OpenAI-compatible endpoint. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Model {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    client: Client<OpenAIConfig>,
    transport: Transport,
    name: String,
    max_output_tokens: u32,
    /// The endpoint wants `max_completion_tokens`.
    new_limit: AtomicBool,
    timeout: Duration,
}

impl Model {
    /// Checks the settings; connects to nothing. A rustls crypto provider must be installed.
    pub fn new(config: Config) -> Result<Self, Error> {
        let transport = Transport::new(&config)?;
        // All of these would else be read from the environment.
        let endpoint =
            OpenAIConfig::new().with_api_base(config.endpoint()?).with_api_key("").with_org_id("").with_project_id("");
        let sender = transport.clone();
        let client = Client::build(transport.http(), endpoint)
            .with_http_service(tower::service_fn(move |factory| sender.clone().send(factory)));
        Ok(Self {
            inner: Arc::new(Inner {
                client,
                transport,
                name: config.name,
                max_output_tokens: config.max_output_tokens,
                new_limit: AtomicBool::new(false),
                timeout: config.timeout,
            }),
        })
    }

    /// Sends `messages` and gives back the whole reply, which may call some of `tools`; `on_delta` sees the pieces of
    /// its text as they come.
    ///
    /// What fails before a reply begins is tried again; dropping the future aborts the call.
    pub async fn complete(
        &self,
        messages: &[Message],
        tools: &[Tool],
        mut on_delta: impl FnMut(&str) + Send,
    ) -> Result<Reply, Error> {
        let call = self.inner.complete(messages, tools, &mut on_delta);
        tokio::time::timeout(self.inner.timeout, call).await.unwrap_or(Err(Error::Timeout(self.inner.timeout)))
    }
}

impl Inner {
    async fn complete(
        &self,
        messages: &[Message],
        tools: &[Tool],
        on_delta: &mut (impl FnMut(&str) + Send),
    ) -> Result<Reply, Error> {
        let mut stream = match self.open(messages, tools).await {
            Err(error) if self.learn_limit(&error) => self.open(messages, tools).await?,
            opened => opened?,
        };
        let mut assembly = Assembly::default();
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| self.translate(error, assembly.bytes()))?;
            assembly.absorb(chunk, on_delta).map_err(|error| self.scrubbed(error))?;
        }
        assembly.finish()
    }

    async fn open(&self, messages: &[Message], tools: &[Tool]) -> Result<StreamResponse<Chunk>, Error> {
        let limit = if self.new_limit.load(Ordering::Relaxed) {
            OutputLimit::MaxCompletionTokens(self.max_output_tokens)
        } else {
            OutputLimit::MaxTokens(self.max_output_tokens)
        };
        let stream_options = StreamOptions { include_usage: true };
        let request = Request {
            model: &self.name,
            messages: messages.iter().map(Into::into).collect(),
            tools: tools.iter().map(Into::into).collect(),
            limit,
            stream: true,
            stream_options,
        };
        self.client.chat().create_stream_byot(request).await.map_err(|error| self.translate(error, 0))
    }

    /// Whether the endpoint refused the old name of the output limit, which it is then not sent again.
    fn learn_limit(&self, error: &Error) -> bool {
        let refused = matches!(error, Error::Status { status: StatusCode::BAD_REQUEST, message, .. }
            if message.contains("max_completion_tokens"));
        refused && !self.new_limit.swap(true, Ordering::Relaxed)
    }

    fn translate(&self, error: OpenAIError, bytes: usize) -> Error {
        match error {
            OpenAIError::Boxed(error) => match error.downcast::<Error>() {
                Ok(error) => *error,
                Err(error) => Error::Unreachable(self.transport.scrub(&error.to_string())),
            },
            OpenAIError::StreamError(error) => {
                let reason = match *error {
                    StreamError::EventStream(reason) => reason,
                    StreamError::UnknownEvent(event) => wire::excerpt(&event.data),
                };
                Error::BrokenOff { bytes, reason: self.transport.scrub(&reason) }
            }
            OpenAIError::JSONDeserialize(error, event) => {
                Error::Malformed { reason: error.to_string(), excerpt: wire::excerpt(&self.transport.scrub(&event)) }
            }
            other => Error::Unreachable(self.transport.scrub(&other.to_string())),
        }
    }

    fn scrubbed(&self, error: Error) -> Error {
        match error {
            Error::Reported { message, code } => Error::Reported { message: self.transport.scrub(&message), code },
            other => other,
        }
    }
}
