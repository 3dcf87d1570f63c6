//! What goes over the wire, as far as we need it: foreign fields are skipped.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::Message;

/// Bytes of a foreign text that an error repeats.
const EXCERPT: usize = 300;

/// A request for a streamed completion.
#[derive(Debug, Serialize)]
pub(crate) struct Request<'a> {
    pub(crate) model: &'a str,
    pub(crate) messages: &'a [Message],
    #[serde(flatten)]
    pub(crate) limit: OutputLimit,
    pub(crate) stream: bool,
    pub(crate) stream_options: StreamOptions,
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
