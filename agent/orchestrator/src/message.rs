//! A message of the conversation, as the model sees it.

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The instructions that stand before everything else.
    System,
    /// Input, and notices.
    User,
    /// The model.
    Assistant,
}

/// One message of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    pub(crate) fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into() }
    }
}
