//! The channels that an Agent's spec names, and what they are called on the command line.

use std::fmt;

use asyncai_crds::agent::{Channel, ChannelKind};
use asyncai_crds::{AgentSpec, SecretKeyRef};
use thiserror::Error;

use crate::channel::{console, irc, webhook};
use crate::secrets::Secrets;

#[cfg(test)]
mod tests;

/// A channel and all that it takes to open it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// What kind of channel it is. No `Debug`: it holds secrets.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Irc(irc::Config),
    Webhook(webhook::Config),
}

/// The value of a Secret, which no log may show.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(super) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The value, or a sentence that says why it is not there.
pub(super) type Resolved = Result<Secret, String>;

/// A name on the command line that is no channel's.
#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum Unknown {
    #[error("unknown channel {name:?}; the agent {agent} has: {known}")]
    Channel { name: String, agent: String, known: String },
    #[error("channel {name:?} may be {several}: name one of these")]
    Ambiguous { name: String, several: String },
}

/// The channels of `spec` that are served, the default one first. Mailboxes are not yet, which is said elsewhere.
pub(crate) fn resolve(spec: &AgentSpec, secrets: &Secrets) -> Vec<Spec> {
    let one = |channel: &Channel| {
        let kind = match channel.kind()? {
            ChannelKind::Irc(irc) => Kind::Irc(irc::Config {
                server: irc.server.clone(),
                port: irc.port,
                tls: irc.tls,
                nick: irc.nick.clone(),
                channel: irc.channel.clone(),
                password: irc.password_secret_ref.as_ref().map(|reference| secret(reference, secrets)).transpose(),
            }),
            ChannelKind::Webhook(webhook) => {
                Kind::Webhook(webhook::Config { url: secret(&webhook.url_secret_ref, secrets) })
            }
            ChannelKind::Mailbox(_) => return None,
        };
        Some(Spec { name: channel.name.clone(), kind })
    };
    spec.channels.iter().filter_map(one).collect()
}

fn secret(reference: &SecretKeyRef, secrets: &Secrets) -> Resolved {
    secrets.get(reference).map(Secret)
}

/// The channels that `names` mean, in their order and each once: a name of the spec, an IRC channel such as `#ops`, or
/// the terminal.
///
/// # Errors
/// When a name means none of them, or several.
pub(crate) fn select(agent: &str, spec: &AgentSpec, names: &[String]) -> Result<Vec<String>, Unknown> {
    let mut selected = Vec::new();
    for name in names {
        let found = find(agent, spec, name)?;
        if !selected.contains(&found) {
            selected.push(found);
        }
    }
    Ok(selected)
}

fn find(agent: &str, spec: &AgentSpec, name: &str) -> Result<String, Unknown> {
    if name == console::NAME || spec.channels.iter().any(|channel| channel.name == name) {
        return Ok(name.to_owned());
    }
    let joins = |channel: &&Channel| channel.irc.as_ref().is_some_and(|irc| irc.channel.eq_ignore_ascii_case(name));
    match spec.channels.iter().filter(joins).map(|channel| channel.name.as_str()).collect::<Vec<_>>().as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => {
            let irc = |channel: &Channel| channel.irc.as_ref().map(|irc| format!(" ({})", irc.channel));
            let known = spec.channels.iter().map(|channel| channel.name.clone() + &irc(channel).unwrap_or_default());
            let known = known.chain([console::NAME.to_owned()]).collect::<Vec<_>>().join(", ");
            Err(Unknown::Channel { name: name.to_owned(), agent: agent.to_owned(), known })
        }
        several => Err(Unknown::Ambiguous { name: name.to_owned(), several: several.join(" or ") }),
    }
}
