//! The conversation: what was said, and what nobody has answered yet.

use std::collections::VecDeque;

use crate::message::Message;
use crate::notice::Notice;

/// Below this a conversation is not shortened further: the model's context must be too small for its
/// system prompt.
const SMALLEST_LIMIT: usize = 1024;

/// Where a message came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The `onStart` of the settings.
    Start,
    /// Somebody's input.
    User {
        /// Where the answer goes.
        channel: String,
    },
    /// News.
    Notice(Notice),
}

/// A message nobody has answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) origin: Origin,
    pub(crate) text: String,
}

impl Entry {
    pub(crate) fn start(text: String) -> Self {
        Self { origin: Origin::Start, text }
    }

    pub(crate) fn user(channel: String, text: String) -> Self {
        Self { origin: Origin::User { channel }, text }
    }

    pub(crate) fn notice(mut notice: Notice) -> Self {
        let text = std::mem::take(&mut notice.text);
        Self { origin: Origin::Notice(notice), text }
    }
}

/// The messages that one run answered, and its reply.
#[derive(Debug)]
struct Turn {
    messages: Vec<Message>,
}

impl Turn {
    fn bytes(&self) -> usize {
        self.messages.iter().map(|message| message.bytes()).sum()
    }
}

/// The conversation.
#[derive(Debug)]
pub(crate) struct Thread {
    turns: VecDeque<Turn>,
    waiting: VecDeque<Entry>,
    /// Bytes that a call may hold.
    limit: usize,
}

impl Thread {
    pub(crate) fn new(limit: usize) -> Self {
        Self { turns: VecDeque::new(), waiting: VecDeque::new(), limit }
    }

    /// Sets the limit anew, and with it forgets what was learned about the model's own.
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    pub(crate) fn add(&mut self, entry: Entry) {
        self.waiting.push_back(entry);
    }

    /// Puts an entry before all that waits.
    pub(crate) fn add_first(&mut self, entry: Entry) {
        self.waiting.push_front(entry);
    }

    pub(crate) fn waiting(&self) -> &VecDeque<Entry> {
        &self.waiting
    }

    /// All that waits, for one who does not mind its size.
    pub(crate) fn drain(&mut self) -> Vec<Entry> {
        self.waiting.drain(..).collect()
    }

    /// Takes what waits, as much as one call may hold, and forgets the oldest turns that do not fit
    /// beside it. At least one entry is taken.
    pub(crate) fn claim(&mut self) -> Vec<Entry> {
        let mut claimed = Vec::new();
        let mut bytes = 0;
        while let Some(entry) = self.waiting.front() {
            if !claimed.is_empty() && bytes + entry.text.len() > self.limit {
                break;
            }
            bytes += entry.text.len();
            claimed.extend(self.waiting.pop_front());
        }
        let mut kept = self.limit.saturating_sub(bytes);
        let fit = self.turns.iter().rev().take_while(|turn| take(&mut kept, turn.bytes())).count();
        self.turns.drain(..self.turns.len() - fit);
        claimed
    }

    /// A run gave no answer: what it claimed waits again, in its old place.
    pub(crate) fn put_back(&mut self, claimed: Vec<Entry>) {
        for entry in claimed.into_iter().rev() {
            self.waiting.push_front(entry);
        }
    }

    /// The call for what was claimed.
    pub(crate) fn messages(&self, system_prompt: &str, claimed: &[Entry]) -> Vec<Message> {
        let system = (!system_prompt.is_empty()).then(|| Message::System(system_prompt.to_owned()));
        let told = self.turns.iter().flat_map(|turn| turn.messages.iter().cloned());
        let asked = claimed.iter().map(|entry| Message::User(cut(&entry.text, self.limit)));
        system.into_iter().chain(told).chain(asked).collect()
    }

    /// Remembers a turn that was answered.
    pub(crate) fn complete(&mut self, claimed: Vec<Entry>, reply: &str) {
        let asked = claimed.into_iter().map(|entry| Message::User(cut(&entry.text, self.limit)));
        // A message without content is refused by some endpoints.
        let told = (!reply.trim().is_empty()).then(|| Message::said(reply));
        self.turns.push_back(Turn { messages: asked.chain(told).collect() });
    }

    /// The model found a call for `claimed` too long: halves the limit. The new one; None if there is
    /// nothing left to leave out.
    pub(crate) fn shorten(&mut self, claimed: &[Entry]) -> Option<usize> {
        let asked: usize = claimed.iter().map(|entry| entry.text.len().min(self.limit)).sum();
        let told: usize = self.turns.iter().map(Turn::bytes).sum();
        let limit = usize::midpoint(asked, told);
        if limit < SMALLEST_LIMIT {
            return None;
        }
        self.limit = limit;
        Some(limit)
    }
}

/// Takes `amount` from `rest` if it is there.
fn take(rest: &mut usize, amount: usize) -> bool {
    match rest.checked_sub(amount) {
        Some(left) => {
            *rest = left;
            true
        }
        None => false,
    }
}

/// `text` with its middle left out, and that said, if it is longer than `limit` bytes.
fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(limit / 2);
    let tail = text.ceil_char_boundary(text.len() - limit / 2);
    let left_out = tail - head;
    format!("{}\n[{left_out} bytes left out]\n{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests;
