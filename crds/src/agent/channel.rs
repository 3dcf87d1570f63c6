//! The channels of an Agent: where its input comes from and its replies go.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{SecretKeyRef, schema::pattern};

/// A channel, by a name and exactly one kind.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
    "(has(self.irc) ? 1 : 0) + (has(self.webhook) ? 1 : 0) + (has(self.mailbox) ? 1 : 0) == 1"
).message("must set exactly one of irc, webhook, mailbox"))]
pub struct Channel {
    /// Name of the channel.
    #[schemars(length(min = 1, max = 63), regex(pattern = pattern::DNS_LABEL))]
    pub name: String,
    /// A channel of an IRC server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irc: Option<Irc>,
    /// An incoming webhook, such as Slack's: replies only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
    /// A mailbox on a blackboard server, for messages between agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mailbox: Option<Mailbox>,
}

/// The one kind of a [`Channel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind<'a> {
    /// `irc`.
    Irc(&'a Irc),
    /// `webhook`.
    Webhook(&'a Webhook),
    /// `mailbox`.
    Mailbox(&'a Mailbox),
}

impl Channel {
    /// The kind that is set; `None` if none or several are, which the API server refuses.
    pub fn kind(&self) -> Option<ChannelKind<'_>> {
        let mut set = [
            self.irc.as_ref().map(ChannelKind::Irc),
            self.webhook.as_ref().map(ChannelKind::Webhook),
            self.mailbox.as_ref().map(ChannelKind::Mailbox),
        ]
        .into_iter()
        .flatten();
        set.next().filter(|_| set.next().is_none())
    }
}

/// A channel of an IRC server.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Irc {
    /// Host name of the server.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::WORD))]
    pub server: String,
    /// Port of the server.
    #[serde(default = "default_port")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: u16,
    /// Whether to connect by TLS.
    #[serde(default = "default_tls")]
    pub tls: bool,
    /// Nickname of the agent.
    #[schemars(length(min = 1, max = 64), regex(pattern = pattern::WORD))]
    pub nick: String,
    /// Channel to join, such as "#ops" (quoted: # opens a comment in YAML).
    #[schemars(length(min = 2, max = 64), regex(pattern = pattern::IRC_CHANNEL))]
    pub channel: String,
    /// Secret key that holds the server's password. Omitted: no password is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_secret_ref: Option<SecretKeyRef>,
}

/// An incoming webhook.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// Secret key that holds the URL to post to.
    pub url_secret_ref: SecretKeyRef,
}

/// A mailbox on a blackboard server.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Mailbox {
    /// Name of an entry of mcpServers whose source is mark.
    #[schemars(length(min = 1, max = 63), regex(pattern = pattern::DNS_LABEL))]
    pub server: String,
    /// The agent's address on that server.
    #[schemars(length(min = 1, max = 63), regex(pattern = pattern::DNS_LABEL))]
    pub id: String,
}

fn default_port() -> u16 {
    6697
}

fn default_tls() -> bool {
    true
}
