//! A message of the conversation, and what a model may call.

use serde_json::{Map, Value};

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Instructions.
    System(String),
    /// Whoever asks.
    User(String),
    /// The model.
    Assistant {
        /// What it said.
        text: String,
        /// What it called.
        calls: Vec<ToolCall>,
    },
    /// What a call gave.
    Tool {
        /// The [`ToolCall::id`].
        call: String,
        /// The result.
        text: String,
    },
}

/// A call that a model makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Tells the calls of one reply apart.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments, as the model wrote them: JSON, if all is well.
    pub arguments: String,
}

/// Something a model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Map<String, Value>,
}
