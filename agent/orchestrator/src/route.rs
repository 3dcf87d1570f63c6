//! Where replies go.

use crate::turn::Entry;

/// The channels in play.
#[derive(Debug, Default)]
pub(crate) struct Route {
    /// The channel of the latest message that addressed the agent in public.
    last_addressed: Option<String>,
}

impl Route {
    /// Notes that the agent was addressed. A name with `/` is one person's or one request's: who writes there gets
    /// the answer, but must not draw what was meant for everybody to themselves.
    pub(crate) fn addressed(&mut self, channel: &str) {
        if !channel.contains('/') {
            self.last_addressed = Some(channel.to_owned());
        }
    }

    /// The channel of the latest message that addressed the agent in public.
    pub(crate) fn last_addressed(&self) -> Option<&str> {
        self.last_addressed.as_deref()
    }

    /// The channel for a run that claimed `entries`: that of the latest input among them; notices
    /// alone go where the agent was addressed last, else to the default.
    pub(crate) fn reply<'a>(
        &self,
        entries: impl DoubleEndedIterator<Item = &'a Entry>,
        default: Option<&str>,
    ) -> Option<String> {
        let asked = entries.rev().find_map(Entry::channel);
        asked.or(self.last_addressed.as_deref()).or(default).map(str::to_owned)
    }
}
