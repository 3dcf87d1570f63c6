//! Logging in: by SASL where the server knows it, else by its own password, else just by a name.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use irc_proto::CapSubCommand;

use super::{Session, Stage};

/// An answer to the server is cut into pieces of this size; one that is shorter ends it.
const PIECE: usize = 400;

impl Session {
    pub(super) fn log_in(&mut self) {
        let control = |password: &str| password.chars().any(char::is_control);
        match &self.config.password {
            Ok(Some(password)) if control(&password.0) => {
                self.end("the password has control characters, which no server takes".to_owned());
            }
            Ok(Some(_)) => {
                self.stage = Stage::Capabilities;
                self.send("CAP LS 302".to_owned());
            }
            Ok(None) | Err(_) => self.introduce(),
        }
    }

    /// The server does not say what it can do: it is one that does not know the question.
    pub(in crate::channel::irc) fn no_capabilities(&mut self) {
        if self.stage == Stage::Capabilities {
            self.by_server_password();
        }
    }

    pub(super) fn capability(&mut self, what: CapSubCommand, first: Option<String>, last: Option<String>) {
        match what {
            CapSubCommand::LS if self.stage == Stage::Capabilities => {
                let more = last.is_some();
                let told = last.or(first).unwrap_or_default();
                self.capabilities.extend(told.split_whitespace().map(str::to_owned));
                if more {
                    return;
                }
                if self.capabilities.iter().any(|capability| is_plain(capability)) {
                    self.send("CAP REQ :sasl".to_owned());
                    self.introduce();
                } else {
                    self.by_server_password();
                }
            }
            CapSubCommand::ACK => self.send("AUTHENTICATE PLAIN".to_owned()),
            CapSubCommand::NAK => self.end("the server offers SASL and then refuses it".to_owned()),
            _ => {}
        }
    }

    pub(super) fn authenticate(&mut self, challenge: &str) {
        let Ok(Some(password)) = self.config.password.clone() else { return };
        if challenge != "+" {
            return;
        }
        let account = &self.config.nick;
        let answer = BASE64_STANDARD.encode(format!("{account}\0{account}\0{}", password.0));
        let mut rest = answer.as_str();
        loop {
            let (piece, after) = rest.split_at(rest.len().min(PIECE));
            self.send(format!("AUTHENTICATE {}", if piece.is_empty() { "+" } else { piece }));
            if piece.len() < PIECE {
                return;
            }
            rest = after;
        }
    }

    pub(super) fn authenticated(&mut self) {
        self.send("CAP END".to_owned());
    }

    fn by_server_password(&mut self) {
        if let Ok(Some(password)) = &self.config.password {
            let pass = format!("PASS :{}", password.0);
            self.send(pass);
        }
        self.introduce();
        self.send("CAP END".to_owned());
    }

    fn introduce(&mut self) {
        self.stage = Stage::Login;
        self.send(format!("NICK {}", self.nick));
        self.send(format!("USER {} 0 * :asyncai agent {}", self.config.nick, self.config.nick));
    }
}

/// Whether a capability is SASL with a plain password, or with we know not what.
fn is_plain(capability: &str) -> bool {
    match capability.split_once('=') {
        Some((name, mechanisms)) => name == "sasl" && mechanisms.split(',').any(|mechanism| mechanism == "PLAIN"),
        None => capability == "sasl",
    }
}
