//! A reply, put together from the pieces of a stream.

use crate::calls::Calls;
use crate::error::Error;
use crate::message::ToolCall;
use crate::wire::{self, Choice, Chunk};

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The whole text, without the thoughts that some models put before it.
    pub text: String,
    /// What the model calls, in order, each with an id of its own. The last may be cut if `finish` says so.
    pub calls: Vec<ToolCall>,
    /// Why it ended.
    pub finish: Finish,
    /// What it cost, if the endpoint says so.
    pub usage: Option<Usage>,
}

/// Why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// It is complete; if it holds calls, the model waits for their results.
    Stop,
    /// It was cut at the token limit.
    Length,
    /// The endpoint withheld the rest.
    Filtered,
    /// Some other reason, in the endpoint's word.
    Other(String),
}

/// What a call cost, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Read by the model.
    pub prompt: u64,
    /// Written by the model.
    pub completion: u64,
}

/// What has come so far.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    text: String,
    /// How much of the text a caller has seen, or need not see.
    shown: usize,
    calls: Calls,
    finish: Option<String>,
    usage: Option<Usage>,
}

impl Assembly {
    /// Takes in an event; `on_delta` sees the text that it adds.
    pub(crate) fn absorb(&mut self, chunk: Chunk, on_delta: &mut impl FnMut(&str)) -> Result<(), Error> {
        if let Some(error) = chunk.error {
            let (message, code) = wire::explain_value(&error);
            return Err(Error::Reported { message, code });
        }
        if let Some(usage) = chunk.usage {
            self.usage = Some(Usage { prompt: usage.prompt_tokens, completion: usage.completion_tokens });
        }
        for choice in chunk.choices.into_iter().flatten().filter(|choice| choice.index == 0) {
            self.choose(choice, on_delta);
        }
        Ok(())
    }

    fn choose(&mut self, choice: Choice, on_delta: &mut impl FnMut(&str)) {
        if let Some(delta) = choice.delta {
            let text = delta.content.map(wire::Content::into_text).or(delta.refusal).unwrap_or_default();
            self.text.push_str(&text);
            let fresh = self.fresh();
            if !fresh.is_empty() {
                on_delta(fresh);
                self.shown = self.text.len();
            }
            for piece in delta.tool_calls.into_iter().flatten() {
                self.calls.absorb(piece);
            }
        }
        if choice.finish_reason.is_some() {
            self.finish = choice.finish_reason;
        }
    }

    /// The text that a caller has not seen: none as long as it may be thoughts.
    fn fresh(&self) -> &str {
        if self.shown > 0 {
            return &self.text[self.shown..];
        }
        if THOUGHTS.starts_with(self.text.trim()) { "" } else { without_thoughts(&self.text) }
    }

    /// Bytes of text so far.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The stream has ended: the reply, if that was its end too.
    pub(crate) fn finish(self) -> Result<Reply, Error> {
        let bytes = self.bytes();
        let Some(finish) = self.finish else {
            return Err(Error::BrokenOff { bytes, reason: "the stream ended without a finish reason".into() });
        };
        let finish = match finish.as_str() {
            "stop" | "tool_calls" | "function_call" => Finish::Stop,
            "length" => Finish::Length,
            "content_filter" => Finish::Filtered,
            _ => Finish::Other(finish),
        };
        let calls = self.calls.finish();
        Ok(Reply { text: without_thoughts(&self.text).to_owned(), calls, finish, usage: self.usage })
    }
}

const THOUGHTS: &str = "<think>";

/// The text after a leading `<think>` block, which endpoints that do not separate thoughts leave in;
/// nothing if it was cut within.
fn without_thoughts(text: &str) -> &str {
    match text.trim_start().strip_prefix(THOUGHTS) {
        Some(rest) => rest.split_once("</think>").map_or("", |(_, said)| said.trim_start()),
        None => text,
    }
}

#[cfg(test)]
mod tests;
