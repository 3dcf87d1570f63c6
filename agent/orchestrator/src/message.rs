//! A message of the conversation, as the model sees it.

use serde::{Deserialize, Serialize};

/// One message of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// The instructions that stand before everything else.
    System(String),
    /// Input, and notices.
    User(String),
    /// What the model said.
    Assistant {
        /// Its words; may be empty if it called something.
        text: String,
        /// What it called; each is answered by a [`Message::Tool`] that follows.
        calls: Vec<ToolCall>,
    },
    /// What a call gave.
    Tool {
        /// The [`ToolCall::id`].
        call: String,
        /// The result, for the model.
        text: String,
    },
}

impl Message {
    /// What the model said without calling anything.
    pub(crate) fn said(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), calls: Vec::new() }
    }

    /// Its length, as far as the model reads it.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::System(text) | Self::User(text) | Self::Tool { text, .. } => text.len(),
            Self::Assistant { text, calls } => text.len() + calls.iter().map(ToolCall::bytes).sum::<usize>(),
        }
    }
}

/// A call that a model makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Tells the calls of one message apart, and its result's.
    pub id: String,
    /// The function.
    pub name: String,
    /// Its arguments: JSON, if the model wrote it well.
    pub arguments: String,
}

impl ToolCall {
    /// Its length, as far as the model reads it.
    pub(crate) fn bytes(&self) -> usize {
        self.name.len() + self.arguments.len()
    }
}
