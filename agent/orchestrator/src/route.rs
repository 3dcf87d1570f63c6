//! Where replies go.

use crate::thread::{Entry, Origin};

/// The channels in play.
#[derive(Debug, Default)]
pub(crate) struct Route {
    /// The channel of the latest message that addressed the agent.
    last_addressed: Option<String>,
}

impl Route {
    /// Notes that the agent was addressed.
    pub(crate) fn addressed(&mut self, channel: &str) {
        self.last_addressed = Some(channel.to_owned());
    }

    /// The channel for a run that claimed `entries`: that of the latest input among them; notices
    /// alone go where the agent was addressed last, else to the default.
    pub(crate) fn reply(&self, entries: &[Entry], default: Option<&str>) -> Option<String> {
        let asked = entries.iter().rev().find_map(|entry| match &entry.origin {
            Origin::User { channel } => Some(channel.as_str()),
            Origin::Start | Origin::Notice(_) => None,
        });
        asked.or(self.last_addressed.as_deref()).or(default).map(str::to_owned)
    }
}
