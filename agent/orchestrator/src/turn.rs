//! A turn: what runs are to answer, and what was said on the way to it.

use std::collections::BTreeSet;

use crate::fit;
use crate::message::Message;
use crate::notice::{Key, Notice};
use crate::record::Monitor;

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

/// A message that asks for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) origin: Origin,
    pub(crate) text: String,
    /// The session tells of it already.
    pub(crate) recorded: bool,
}

impl Entry {
    pub(crate) fn start(text: String) -> Self {
        Self { origin: Origin::Start, text, recorded: false }
    }

    pub(crate) fn user(channel: String, text: String) -> Self {
        Self { origin: Origin::User { channel }, text, recorded: false }
    }

    pub(crate) fn notice(mut notice: Notice) -> Self {
        let text = std::mem::take(&mut notice.text);
        Self { origin: Origin::Notice(notice), text, recorded: false }
    }

    /// The channel of input.
    pub(crate) fn channel(&self) -> Option<&str> {
        match &self.origin {
            Origin::User { channel } => Some(channel),
            Origin::Start | Origin::Notice(_) => None,
        }
    }

    pub(crate) fn as_notice(&self) -> Option<&Notice> {
        match &self.origin {
            Origin::Notice(notice) => Some(notice),
            Origin::Start | Origin::User { .. } => None,
        }
    }

    /// What its source calls it when it tells it again, after a restart, until it has been dealt with.
    pub(crate) fn key(&self) -> Option<Key> {
        self.as_notice()?.key()
    }

    /// A notice as the session tells of it.
    pub(crate) fn monitor(&self) -> Option<Monitor> {
        let notice = self.as_notice()?;
        Some(Monitor {
            task_id: notice.task.clone(),
            description: notice.description.clone(),
            note: notice.note.clone(),
            notice_id: notice.id.clone(),
            text: self.text.clone(),
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Asked(Entry),
    Said(Message),
}

/// What is asked and said, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    items: Vec<Item>,
}

impl Turn {
    pub(crate) fn ask(&mut self, entry: Entry) {
        self.items.push(Item::Asked(entry));
    }

    pub(crate) fn say(&mut self, message: Message) {
        self.items.push(Item::Said(message));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// What is to be answered.
    pub(crate) fn asked(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.items.iter().filter_map(|item| match item {
            Item::Asked(entry) => Some(entry),
            Item::Said(_) => None,
        })
    }

    pub(crate) fn into_asked(self) -> impl DoubleEndedIterator<Item = Entry> {
        self.items.into_iter().filter_map(|item| match item {
            Item::Asked(entry) => Some(entry),
            Item::Said(_) => None,
        })
    }

    fn said(&self) -> impl Iterator<Item = &Message> {
        self.items.iter().filter_map(|item| match item {
            Item::Said(message) => Some(message),
            Item::Asked(_) => None,
        })
    }

    /// Whether the model has spoken, and so may have done something.
    pub(crate) fn has_begun(&self) -> bool {
        self.said().next().is_some()
    }

    /// The calls that have no result.
    pub(crate) fn unanswered(&self) -> Vec<String> {
        let mut open = Vec::new();
        for message in self.said() {
            match message {
                Message::Assistant { calls, .. } => open.extend(calls.iter().map(|call| call.id.clone())),
                // Ids are unique in a message only, so the first that fits is answered.
                Message::Tool { call, .. } => {
                    if let Some(at) = open.iter().position(|id| id == call) {
                        open.remove(at);
                    }
                }
                Message::System(_) | Message::User(_) => {}
            }
        }
        open
    }

    /// The channels of the input, each once.
    pub(crate) fn channels(&self) -> BTreeSet<String> {
        channels(self.asked())
    }

    /// The numbers of the notices.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        self.asked().filter_map(|entry| entry.as_notice()?.number).collect()
    }

    /// How long it is.
    pub(crate) fn bytes(&self) -> usize {
        self.items.iter().map(Item::bytes).sum()
    }

    /// Its messages, cut to `limit` bytes in all.
    pub(crate) fn messages(&self, limit: usize) -> Vec<Message> {
        let messages = self.items.iter().map(|item| match item {
            Item::Asked(entry) => Message::User(entry.text.clone()),
            Item::Said(message) => message.clone(),
        });
        fit::fit(messages.collect(), limit)
    }
}

impl Item {
    fn bytes(&self) -> usize {
        match self {
            Self::Asked(entry) => entry.text.len(),
            Self::Said(message) => message.bytes(),
        }
    }
}

/// The channels of the input among `entries`, each once.
pub(crate) fn channels<'a>(entries: impl Iterator<Item = &'a Entry>) -> BTreeSet<String> {
    entries.filter_map(Entry::channel).map(str::to_owned).collect()
}
