//! The conversation: what was said, and what nobody has answered yet.

use std::collections::{BTreeSet, VecDeque};

use crate::message::Message;
use crate::turn::{self, Entry, Turn};

/// Below this a conversation is not shortened further: the model's context must be too small for its
/// system prompt.
const SMALLEST_LIMIT: usize = 1024;
/// Stands where turns were forgotten.
const FORGOTTEN: &str = "[earlier turns left out]";

/// The conversation.
#[derive(Debug)]
pub(crate) struct Thread {
    /// Turns that have ended.
    past: VecDeque<Vec<Message>>,
    /// A turn in which the model has begun something, and which the next run goes on with.
    carried: Option<Turn>,
    waiting: VecDeque<Entry>,
    /// Some turns were forgotten.
    forgotten: bool,
    /// Bytes that a call may hold.
    limit: usize,
}

/// What a run claims.
pub(crate) struct Claim {
    pub(crate) turn: Turn,
    /// How many of its entries waited until now; the others were claimed by a run before, with which this one goes on.
    pub(crate) fresh: usize,
}

impl Thread {
    pub(crate) fn new(limit: usize) -> Self {
        Self { past: VecDeque::new(), carried: None, waiting: VecDeque::new(), forgotten: false, limit }
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

    pub(crate) fn waiting_mut(&mut self) -> &mut VecDeque<Entry> {
        &mut self.waiting
    }

    pub(crate) fn carried(&self) -> Option<&Turn> {
        self.carried.as_ref()
    }

    pub(crate) fn take_carried(&mut self) -> Option<Turn> {
        self.carried.take()
    }

    /// How many turns are remembered.
    pub(crate) fn turns(&self) -> usize {
        self.past.len()
    }

    /// Says that there were turns before those that are known.
    pub(crate) fn set_forgotten(&mut self) {
        self.forgotten = true;
    }

    /// Says something after all that was said, if the model has called anything.
    pub(crate) fn note_if_called(&mut self, note: &str) {
        let note = Message::User(note.to_owned());
        if let Some(carried) = &mut self.carried {
            carried.say(note);
        } else if self.past.iter().flatten().any(|message| matches!(message, Message::Tool { .. })) {
            self.past.push_back(vec![note]);
        }
    }

    /// All that nobody has answered, in order.
    pub(crate) fn unanswered(&self) -> impl Iterator<Item = &Entry> {
        self.carried.iter().flat_map(Turn::asked).chain(&self.waiting)
    }

    /// Takes all that nobody has answered, for one who does not mind its size.
    pub(crate) fn claim_all(&mut self) -> Claim {
        let mut turn = self.carried.take().unwrap_or_default();
        let fresh = self.waiting.len();
        self.waiting.drain(..).for_each(|entry| turn.ask(entry));
        Claim { turn, fresh }
    }

    /// Takes the turn to go on with, and of what waits as much as one call may hold beside it; at least one of them.
    pub(crate) fn claim(&mut self) -> Claim {
        let mut turn = self.carried.take().unwrap_or_default();
        let mut bytes = turn.bytes();
        let mut fresh = 0;
        while let Some(entry) =
            self.waiting.pop_front_if(|entry| turn.is_empty() || bytes + entry.text.len() <= self.limit)
        {
            bytes += entry.text.len();
            turn.ask(entry);
            fresh += 1;
        }
        Claim { turn, fresh }
    }

    /// A run gave no answer. If the model has begun something, the next run goes on with it; else what it claimed waits
    /// again, in its old place.
    pub(crate) fn put_back(&mut self, turn: Turn) {
        if turn.has_begun() {
            self.carried = Some(turn);
            return;
        }
        for entry in turn.into_asked().rev() {
            // The record of the run tells of it.
            self.waiting.push_front(Entry { recorded: true, ..entry });
        }
    }

    /// The call for a turn. The oldest turns that do not fit beside it are forgotten, whole.
    pub(crate) fn messages(&mut self, system_prompt: &str, turn: &Turn) -> Vec<Message> {
        let asked = turn.messages(self.limit);
        let mut room = self.limit.saturating_sub(bytes(&asked));
        let fit = self.past.iter().rev().take_while(|messages| take(&mut room, bytes(messages))).count();
        let forgotten = self.past.drain(..self.past.len() - fit).count();
        self.forgotten |= forgotten > 0;
        let system = (!system_prompt.is_empty()).then(|| Message::System(system_prompt.to_owned()));
        let note = self.forgotten.then(|| Message::User(FORGOTTEN.to_owned()));
        system.into_iter().chain(note).chain(self.past.iter().flatten().cloned()).chain(asked).collect()
    }

    /// Remembers a turn that has ended.
    pub(crate) fn complete(&mut self, turn: &Turn) {
        if !turn.is_empty() {
            self.past.push_back(turn.messages(self.limit));
        }
    }

    /// The model found a call for `turn` too long: halves the limit. The new one; None if there is nothing left to
    /// leave out.
    pub(crate) fn shorten(&mut self, turn: &Turn) -> Option<usize> {
        let asked = turn.bytes().min(self.limit);
        let told: usize = self.past.iter().map(|messages| bytes(messages)).sum();
        let limit = usize::midpoint(asked, told);
        if limit < SMALLEST_LIMIT {
            return None;
        }
        self.limit = limit;
        Some(limit)
    }

    /// The channels in which somebody waits.
    pub(crate) fn channels(&self) -> BTreeSet<String> {
        turn::channels(self.unanswered())
    }
}

fn bytes(messages: &[Message]) -> usize {
    messages.iter().map(Message::bytes).sum()
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

#[cfg(test)]
mod tests;
