//! The reply that is being said, line by line, until the server has taken in all of it. Pure.

use std::collections::VecDeque;

use crate::channel::Post;
use crate::channel::irc::text;

#[cfg(test)]
mod tests;

/// Lines that may be under way unconfirmed: as many may be said twice after a connection broke.
const WINDOW: usize = 8;

/// What is to be sent next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A line of the reply.
    Line(String),
    /// A ping whose answer tells that the lines before it arrived.
    Ping(String),
}

/// One reply.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    private: bool,
    /// Not confirmed yet.
    lines: VecDeque<String>,
    /// How many of them were sent over this connection.
    sent: usize,
    /// The ping that is under way, and how many lines were sent before it.
    asked: Option<(String, usize)>,
    pings: u64,
}

impl Outbox {
    /// Takes in a reply, when it is empty.
    pub(super) fn load(&mut self, post: &Post, nick: &str, channel: &str) {
        let target = post.to.as_deref().unwrap_or(channel);
        self.private = post.to.is_some();
        self.lines = text::messages(nick, target, &post.text).into();
        self.sent = 0;
        self.asked = None;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether it is for one person, and needs no channel.
    pub(super) fn is_private(&self) -> bool {
        self.private
    }

    /// Whether a line is to be sent; a ping needs no leave.
    pub(super) fn wants_line(&self) -> bool {
        self.sent < self.lines.len() && self.sent < WINDOW && self.asked.is_none()
    }

    /// What to send now.
    pub(super) fn next(&mut self) -> Option<Next> {
        if self.asked.is_some() || self.lines.is_empty() {
            return None;
        }
        if self.wants_line() {
            let line = self.lines.get(self.sent)?.clone();
            self.sent += 1;
            return Some(Next::Line(line));
        }
        self.pings += 1;
        let token = format!("said-{}", self.pings);
        self.asked = Some((token.clone(), self.sent));
        Some(Next::Ping(token))
    }

    /// The server answered a ping.
    pub(super) fn confirmed(&mut self, token: &str) {
        if let Some((_, lines)) = self.asked.take_if(|(asked, _)| asked == token) {
            self.lines.drain(..lines);
            self.sent -= lines;
        }
    }

    /// The connection broke: what is not confirmed is sent again over the next one.
    pub(super) fn broken(&mut self) {
        self.sent = 0;
        self.asked = None;
    }
}
