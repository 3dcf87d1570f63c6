//! The built-in system prompts.

/// Which built-in prompt an agent has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prompt {
    /// One agent among people in a channel.
    #[default]
    Channel,
    /// One agent of several that look after a fleet of clusters or workspaces.
    Fleet,
}

impl Prompt {
    /// The whole text.
    pub fn text(self) -> &'static str {
        match self {
            Self::Channel => include_str!("prompt/channel.md"),
            Self::Fleet => concat!(include_str!("prompt/channel.md"), "\n", include_str!("prompt/fleet.md")),
        }
    }
}

#[cfg(test)]
mod tests;
