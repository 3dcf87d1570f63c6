//! What becomes of a reply.

use crate::io::{Finish, Reply};

/// The word by which a model says nothing.
pub(crate) const NO_REPLY: &str = "NO_REPLY";

/// The text to publish; None if the model wants to say nothing.
///
/// A reply that is not complete says so: an empty one too, since its silence was not chosen.
pub(crate) fn published(reply: &Reply) -> Option<String> {
    let text = reply.text.trim();
    if text.lines().any(|line| line.trim() == NO_REPLY) {
        return None;
    }
    let note = match &reply.finish {
        Finish::Length => Some("cut at the token limit"),
        Finish::Filtered => Some("withheld in part by the model's content filter"),
        Finish::Stop | Finish::Other(_) => None,
    };
    match (text.is_empty(), note) {
        (true, None) => None,
        (false, None) => Some(text.to_owned()),
        (true, Some(note)) => Some(format!("[no reply: {note}]")),
        (false, Some(note)) => Some(format!("{text}\n[reply {note}]")),
    }
}

/// What of a reply can be shown while it comes: not a line that may turn out to be [`NO_REPLY`].
#[derive(Debug, Default)]
pub(crate) struct Shown {
    held: String,
}

impl Shown {
    /// Takes in a piece, and gives back what to show now.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let line = self.held.rfind('\n').map_or(0, |at| at + 1);
        let undecided = NO_REPLY.starts_with(self.held[line..].trim());
        let rest = self.held.split_off(if undecided { line } else { self.held.len() });
        std::mem::replace(&mut self.held, rest)
    }
}

#[cfg(test)]
mod tests;
