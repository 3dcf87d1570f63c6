//! What becomes of a reply.

use crate::io::{Finish, Reply};

/// The word by which a model says nothing.
const NO_REPLY: &str = "NO_REPLY";

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

#[cfg(test)]
mod tests;
