//! What goes over the wire, as far as we need it: foreign fields are skipped.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::{Message, Tool, ToolCall};

/// Bytes of a foreign text that an error repeats.
const EXCERPT: usize = 300;

/// A request for a streamed completion.
#[derive(Debug, Serialize)]
pub(crate) struct Request<'a> {
    pub(crate) model: &'a str,
    pub(crate) messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tools: Vec<WireTool<'a>>,
    #[serde(flatten)]
    pub(crate) limit: OutputLimit,
    pub(crate) stream: bool,
    pub(crate) stream_options: StreamOptions,
}

/// A message as it is sent.
#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(crate) enum WireMessage<'a> {
    System {
        content: &'a str,
    },
    User {
        content: &'a str,
    },
    Assistant {
        /// Null is for calls alone; an empty string is refused by some endpoints.
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

impl<'a> From<&'a Message> for WireMessage<'a> {
    fn from(message: &'a Message) -> Self {
        match message {
            Message::System(content) => Self::System { content },
            Message::User(content) => Self::User { content },
            Message::Assistant { text, calls } => Self::Assistant {
                content: Some(text.as_str()).filter(|text| calls.is_empty() || !text.is_empty()),
                tool_calls: calls.iter().map(WireCall::from).collect(),
            },
            Message::Tool { call, text } => Self::Tool { tool_call_id: call, content: text },
        }
    }
}

/// A call of an earlier reply.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "function")]
pub(crate) struct WireCall<'a> {
    id: &'a str,
    function: CalledFunction<'a>,
}

#[derive(Debug, Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: &'a str,
}

impl<'a> From<&'a ToolCall> for WireCall<'a> {
    fn from(call: &'a ToolCall) -> Self {
        Self { id: &call.id, function: CalledFunction { name: &call.name, arguments: &call.arguments } }
    }
}

/// A tool on offer.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "function")]
pub(crate) struct WireTool<'a> {
    function: OfferedFunction<'a>,
}

#[derive(Debug, Serialize)]
struct OfferedFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Map<String, Value>,
}

impl<'a> From<&'a Tool> for WireTool<'a> {
    fn from(Tool { name, description, parameters }: &'a Tool) -> Self {
        Self { function: OfferedFunction { name, description, parameters } }
    }
}

/// The two names of the same setting: nearly all endpoints know the first, OpenAI's reasoning models
/// take the second only.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutputLimit {
    MaxTokens(u32),
    MaxCompletionTokens(u32),
}

#[derive(Debug, Serialize)]
pub(crate) struct StreamOptions {
    pub(crate) include_usage: bool,
}

/// An event of the stream.
#[derive(Debug, Deserialize)]
pub(crate) struct Chunk {
    pub(crate) choices: Option<Vec<Choice>>,
    pub(crate) usage: Option<WireUsage>,
    pub(crate) error: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Choice {
    #[serde(default)]
    pub(crate) index: u32,
    pub(crate) delta: Option<Delta>,
    pub(crate) finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Delta {
    pub(crate) content: Option<Content>,
    pub(crate) refusal: Option<String>,
    pub(crate) tool_calls: Option<Vec<CallPiece>>,
}

/// A piece of a call: what it lacks came before, or follows.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct CallPiece {
    pub(crate) index: Option<usize>,
    pub(crate) id: Option<String>,
    pub(crate) function: Option<FunctionPiece>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct FunctionPiece {
    pub(crate) name: Option<String>,
    pub(crate) arguments: Option<Arguments>,
}

/// A string of JSON; a few endpoints send the JSON itself.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Arguments {
    Text(String),
    Json(Map<String, Value>),
}

impl Arguments {
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Json(arguments) => Value::Object(arguments).to_string(),
        }
    }
}

/// Text is a string; some endpoints send a list of parts, of which thinking is one.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize)]
pub(crate) struct Part {
    text: Option<String>,
}

impl Content {
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.into_iter().filter_map(|part| part.text).collect(),
        }
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct WireUsage {
    #[serde(default)]
    pub(crate) prompt_tokens: u64,
    #[serde(default)]
    pub(crate) completion_tokens: u64,
}

/// Message and code of an error body. Endpoints agree on `{"error": {"message", "code", "type"}}` as
/// a habit only: codes may be numbers, `error` a string, the message on top, the whole not JSON.
pub(crate) fn explain(body: &str) -> (String, Option<String>) {
    match serde_json::from_str::<Value>(body) {
        Ok(value) => explain_value(&value),
        Err(_) if body.trim().is_empty() => ("no explanation".to_owned(), None),
        Err(_) => (excerpt(body), None),
    }
}

/// [`explain`] for what is parsed already.
pub(crate) fn explain_value(value: &Value) -> (String, Option<String>) {
    let error = value.get("error").unwrap_or(value);
    let message =
        [error.get("message"), error.get("detail"), Some(error)].into_iter().flatten().find_map(Value::as_str);
    let code = [error.get("code"), error.get("type")].into_iter().flatten().find_map(Value::as_str);
    (message.map_or_else(|| excerpt(&value.to_string()), excerpt), code.map(str::to_owned))
}

/// The beginning of a foreign text, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.floor_char_boundary(EXCERPT);
    if end == line.len() { line } else { format!("{}…", &line[..end]) }
}

#[cfg(test)]
mod tests;
