//! The server's numbered answers.

use super::{OTHER_NICKS, Output, Session, Stage};
use crate::channel::irc::text;

impl Session {
    /// An answer; the first of its arguments is our nick, the last a sentence.
    pub(super) fn numeric(&mut self, number: u16, arguments: &[String]) {
        let said = arguments.last().map(|said| text::clean(said)).unwrap_or_default();
        let about = arguments.get(1).map(String::as_str).unwrap_or_default();
        match number {
            1 => self.welcome(arguments.first()),
            // Cannot send to the channel, no such nick, no text.
            401 | 404 | 407 | 412 | 417 if self.is_in() => {
                self.outputs.push_back(Output::Refused(format!("{about}: {said}")));
            }
            403 | 405 | 471 | 473..=477 | 480 | 489 | 520 if self.is_in() => self.not_joined(about, &said),
            437 if self.is_ours(about) => self.not_joined(about, &said),
            // What a server says that does not know CAP.
            421 | 451 if self.stage == Stage::Capabilities => self.no_capabilities(),
            432 => self.end(format!("the server does not accept the nick {:?}: {said}", self.nick)),
            433 | 436 | 437 => self.nick_in_use(&said),
            464 => match self.config.password {
                Ok(Some(_)) => self.end(format!("the server refused the password (PASS): {said}")),
                _ => self.end(format!("the server asks for a password, and there is no passwordSecretRef: {said}")),
            },
            465 => self.end(format!("banned: {said}")),
            903 => self.authenticated(),
            902 | 904..=906 => self.end(format!("SASL as {:?} was refused: {said}", self.config.nick)),
            _ => {}
        }
    }

    fn welcome(&mut self, nick: Option<&String>) {
        // The server may have shortened it.
        if let Some(nick) = nick {
            self.nick.clone_from(nick);
        }
        self.stage = Stage::In;
        self.join();
    }

    fn not_joined(&mut self, channel: &str, said: &str) {
        if self.is_ours(channel) {
            self.left(format!("cannot join {channel}: {said}"));
        } else {
            self.outputs.push_back(Output::Refused(format!("{channel}: {said}")));
        }
    }

    fn nick_in_use(&mut self, said: &str) {
        if self.is_in() {
            return; // We have another one, and keep it.
        }
        if self.nick.len() >= self.config.nick.len() + OTHER_NICKS {
            self.end(format!("the nick {:?} and those with _ after it are taken: {said}", self.config.nick));
        } else {
            self.nick.push('_');
            self.send(format!("NICK {}", self.nick));
        }
    }
}
