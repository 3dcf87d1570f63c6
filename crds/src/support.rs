//! What the API accepts and this version does not serve yet, so that it is refused and never silently ignored.

use crate::agent::{AgentSpec, ChannelKind, Source};

/// Something that is not served yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The field, such as `spec.channels[inbox].mailbox`.
    pub field: String,
    /// What it is, as a sentence without the field.
    pub message: String,
}

impl Unsupported {
    fn new(field: String, what: &str) -> Self {
        Self { field, message: format!("{what} are not served by this version yet") }
    }
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// What of an Agent is not served yet.
pub fn agent(spec: &AgentSpec) -> Vec<Unsupported> {
    let servers = spec.mcp_servers.iter().filter_map(|server| {
        let (kind, what) = match server.source()? {
            Source::Mark(_) => ("mark", "blackboard servers"),
            Source::Container(_) => ("container", "servers in sidecars"),
            Source::Kcp(_) | Source::Simple(_) | Source::File(_) | Source::Http(_) | Source::Stdio(_) => return None,
        };
        Some(Unsupported::new(format!("spec.mcpServers[{}].{kind}", server.name), what))
    });
    let channels = spec.channels.iter().filter_map(|channel| match channel.kind()? {
        ChannelKind::Mailbox(_) => {
            Some(Unsupported::new(format!("spec.channels[{}].mailbox", channel.name), "mailboxes"))
        }
        ChannelKind::Irc(_) | ChannelKind::Webhook(_) => None,
    });
    servers.chain(channels).collect()
}

#[cfg(test)]
mod tests;
