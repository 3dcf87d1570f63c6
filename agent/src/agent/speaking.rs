//! What is said in the channels, to the agent and by it.

use std::time::Instant;

use super::Running;
use crate::channel::{Incoming, console, spec};

/// What one hears who talks to an agent that has no model.
const RELAY: &str = "I relay notices; there is no model to answer.";

impl Running {
    /// Opens the channels that the settings name, as far as the command line allows; returns the default one.
    pub(super) fn open_channels(&mut self) -> Option<String> {
        let mut wanted = spec::resolve(&self.agent.spec, &self.secrets);
        if let Some(only) = &self.only {
            let place = |name: &str| only.iter().position(|allowed| allowed == name);
            wanted.retain(|channel| place(&channel.name).is_some());
            wanted.sort_by_key(|channel| place(&channel.name));
        }
        let named = self.only.as_ref().and_then(|only| only.first().cloned());
        let first = named.or_else(|| wanted.first().map(|channel| channel.name.clone()));
        self.channels.apply(wanted);
        first.or_else(|| self.console.then(|| console::NAME.to_owned()))
    }

    /// Somebody addressed the agent.
    pub(super) fn heard(&mut self, message: Incoming) {
        if self.settings.turns.relay {
            self.channels.publish(None, Some(&message.channel), RELAY);
        } else {
            self.turns.handle(Instant::now(), message.input());
        }
    }

    /// A reply goes out. The log has it already.
    pub(super) fn publish(&mut self, run: Option<u64>, channel: Option<&str>, text: &str) {
        self.metrics.replies.with_label_values(&["published"]).inc();
        self.channels.publish(run, channel, text);
    }
}
