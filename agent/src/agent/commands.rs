//! What is typed at the terminal.

use std::time::Instant;

use asyncai_orchestrator as turns;
use asyncai_watch as watch;

use super::{Running, Terminal};
use crate::channel::console;
use crate::channel::line::{HELP, Line};
use crate::event::Event;

impl Running {
    pub(super) fn typed(&mut self, line: Line) {
        match line {
            Line::Message(_) if self.settings.turns.relay => {
                self.sink.say("# this agent has no model to answer (provider Relay); /help lists the commands");
            }
            Line::Message(text) => {
                let input = turns::Input::User { channel: console::NAME.to_owned(), text };
                self.turns.handle(Instant::now(), input);
            }
            Line::Call { server, tool, arguments } => {
                let (servers, sender) = (self.servers.clone(), self.sender.clone());
                self.calls_typed += 1;
                tokio::spawn(async move {
                    let result = match servers.call(&server, &tool, arguments).await {
                        Ok(result) if result.failed => format!("# {tool} failed: {}", result.text),
                        Ok(result) => format!("# {tool}: {}", result.text),
                        Err(error) => format!("# {tool}: {error}"),
                    };
                    let _ = sender.send(Event::Called(result)).await;
                });
            }
            Line::Servers => self.list_servers(),
            Line::Help => self.sink.say(HELP),
            Line::Wrong(message) => self.sink.say(&format!("# {message}")),
        }
    }

    /// A call may have changed what is watched, and nobody may be left to wait for the push.
    pub(super) fn called(&mut self, line: &str) {
        self.calls_typed -= 1;
        self.sink.say(line);
        if self.terminal == Terminal::Closed {
            self.watches.handle(Instant::now(), watch::Input::Refresh);
        }
    }

    fn list_servers(&mut self) {
        for server in self.servers.status() {
            let state = if server.ready { "ready" } else { "not ready" };
            let message = server.message.map(|message| format!(": {message}")).unwrap_or_default();
            self.sink.say(&format!("# {} is {state}, with {} tools{message}", server.name, server.tool_count));
        }
    }
}
