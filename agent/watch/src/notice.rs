//! The message by which an agent is told of changes.

use std::fmt::Write as _;

use crate::line::visible;

#[cfg(test)]
mod tests;

/// What ends every message: the model is to know who speaks, and that it need not answer.
pub const NOTE: &str = "This is a watch notification, not a user message. Tell the channel only if the change matters to \
                    what was asked; otherwise reply exactly NO_REPLY.";

/// Lines for the agent, gathered over the debounce time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// To be given back in [`Input::Seen`](crate::Input::Seen).
    pub number: u64,
    /// The name of the watch.
    pub watch: String,
    /// What is watched.
    pub uri: String,
    /// `<uid>/<epoch>/<from>-<to>`: names the events told, so that a repeat after a crash can be recognised.
    pub id: String,
    /// At most 20 single lines, each of at most 2,000 characters before a ` ×N`; not escaped for [`Notice::text`].
    pub lines: Vec<String>,
    /// How many more lines there were.
    pub more: usize,
    /// What the agent is to do about it.
    pub instructions: Option<String>,
}

impl Notice {
    /// The whole message for the model.
    pub fn text(&self) -> String {
        let mut text = format!(
            "<watch-event name=\"{}\" uri=\"{}\" id=\"{}\">\n",
            attribute(&self.watch),
            attribute(&self.uri),
            attribute(&self.id)
        );
        for line in &self.lines {
            text.push_str(&escape(line));
            text.push('\n');
        }
        if self.more > 0 {
            let _ = writeln!(text, "+{} more", self.more);
        }
        text.push_str("</watch-event>\n");
        if let Some(instructions) = &self.instructions {
            text.push_str(instructions.trim_end());
            text.push('\n');
        }
        text.push_str(NOTE);
        text
    }
}

fn attribute(text: &str) -> String {
    escape(&visible(text, usize::MAX)).replace('"', "&quot;")
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
