//! The conversation with an IRC server over one connection: logging in, being in the channel, hearing what is said.
//! Lines in, lines and news out; no connection and no clock.

use std::collections::VecDeque;

use irc_proto::{Command, Message};

use crate::channel::irc::{Config, text};

mod login;
mod numeric;
#[cfg(test)]
mod tests;

/// Nicks that are tried after the one of the settings.
const OTHER_NICKS: usize = 5;

/// Something to do, or to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Send a line.
    Send(String),
    /// Somebody addressed the agent.
    Heard { from: String, private: bool, text: String },
    /// The agent is in the channel, by the nick that it has now.
    Joined,
    /// It is not, or no longer, for this reason.
    Left(String),
    /// The server has taken in all lines before the ping of this token.
    Confirmed(String),
    /// The server did not pass on what was said.
    Refused(String),
    /// There is nothing to hope for from this connection.
    End(String),
}

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The server was asked what it can do.
    Capabilities,
    /// It was told who we are.
    Login,
    /// It has let us in.
    In,
}

/// One connection.
pub(super) struct Session {
    config: Config,
    stage: Stage,
    nick: String,
    joined: bool,
    /// What the server can do, as far as it has told.
    capabilities: Vec<String>,
    outputs: VecDeque<Output>,
}

impl Session {
    /// A connection that was just made.
    pub(super) fn new(config: Config) -> Self {
        let nick = config.nick.clone();
        let mut session = Self {
            config,
            stage: Stage::Login,
            nick,
            joined: false,
            capabilities: Vec::new(),
            outputs: VecDeque::new(),
        };
        session.log_in();
        session
    }

    pub(super) fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Whether the server has let us in.
    pub(super) fn is_in(&self) -> bool {
        self.stage == Stage::In
    }

    /// Whether we are in the channel.
    pub(super) fn is_joined(&self) -> bool {
        self.joined
    }

    /// Our nick, which is another than that of the settings while somebody else has it.
    pub(super) fn nick(&self) -> &str {
        &self.nick
    }

    /// Asks to be let into the channel.
    pub(super) fn join(&mut self) {
        self.send(format!("JOIN {}", self.config.channel));
    }

    /// Takes in a line of the server.
    pub(super) fn line(&mut self, line: &str) {
        // What is no message is none of ours.
        let Ok(message) = line.trim_end_matches(['\r', '\n']).parse::<Message>() else { return };
        let from = message.source_nickname().unwrap_or_default().to_owned();
        match message.command {
            Command::PING(token, _) => self.send(format!("PONG :{token}")),
            Command::PONG(token, last) => self.outputs.push_back(Output::Confirmed(last.unwrap_or(token))),
            Command::ERROR(reason) => self.end(format!("the server ended the connection: {}", text::clean(&reason))),
            Command::CAP(_, what, first, last) => self.capability(what, first, last),
            Command::AUTHENTICATE(challenge) => self.authenticate(&challenge),
            Command::PRIVMSG(target, said) => self.heard(&from, &target, &said),
            Command::JOIN(channel, ..) if self.is_me(&from) && self.is_ours(&channel) => {
                self.joined = true;
                self.outputs.push_back(Output::Joined);
            }
            Command::PART(channel, _) if self.is_me(&from) && self.is_ours(&channel) => {
                self.left(format!("no longer in {channel}"));
            }
            Command::KICK(channel, nick, reason) if self.is_me(&nick) && self.is_ours(&channel) => {
                let reason = reason.map(|reason| format!(": {}", text::clean(&reason))).unwrap_or_default();
                self.left(format!("{from} kicked us out of {channel}{reason}"));
            }
            Command::NICK(new) if self.is_me(&from) => {
                self.nick = new;
                if self.joined {
                    self.outputs.push_back(Output::Joined);
                }
            }
            Command::NICK(_) | Command::QUIT(_) => self.freed(&from),
            Command::Response(response, arguments) => self.numeric(response as u16, &arguments),
            Command::Raw(command, arguments) => {
                if let Ok(number) = command.parse() {
                    self.numeric(number, &arguments);
                }
            }
            _ => {}
        }
    }

    fn heard(&mut self, from: &str, target: &str, said: &str) {
        // A server says nothing, and our own words come back on some. \x01 marks what programs say to each other.
        if from.is_empty() || self.is_me(from) || said.starts_with('\u{1}') {
            return;
        }
        let said = text::clean(said);
        let nicks = [self.config.nick.as_str(), self.nick.as_str()];
        let private = self.is_me(target);
        let text = if private {
            Some(text::addressed(&said, &nicks).unwrap_or(said.trim())).filter(|said| !said.is_empty())
        } else {
            text::addressed(&said, &nicks).filter(|_| self.is_ours(target))
        };
        if let Some(text) = text {
            self.outputs.push_back(Output::Heard { from: from.to_owned(), private, text: text.to_owned() });
        }
    }

    /// Somebody gave up a nick, which may be the one that we would like.
    fn freed(&mut self, nick: &str) {
        if self.is_in() && text::same(nick, &self.config.nick) && !self.is_me(nick) {
            self.send(format!("NICK {}", self.config.nick));
        }
    }

    fn left(&mut self, reason: String) {
        self.joined = false;
        self.outputs.push_back(Output::Left(reason));
    }

    fn is_me(&self, nick: &str) -> bool {
        text::same(nick, &self.nick)
    }

    fn is_ours(&self, channel: &str) -> bool {
        text::same(channel, &self.config.channel)
    }

    fn send(&mut self, line: String) {
        self.outputs.push_back(Output::Send(line));
    }

    fn end(&mut self, reason: String) {
        self.outputs.push_back(Output::End(reason));
    }
}
