//! Channels: where messages for the agent come from and its replies go.

use std::time::Duration;

use asyncai_orchestrator as turns;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tracing::{info, warn};

use crate::channel::api::Api;
use crate::channel::console::Screen;
use crate::channel::spec::{Kind, Spec};
use crate::channel::state::{Reporter, States};
use crate::event::Event;

pub(crate) use self::state::Status;

pub(crate) mod api;
mod backoff;
pub(crate) mod console;
mod irc;
pub(crate) mod line;
pub(crate) mod spec;
mod state;
pub(crate) mod stream;
#[cfg(test)]
mod tests;
mod tls;
mod webhook;

/// Replies that wait in a channel while it cannot post.
const QUEUE: usize = 256;

/// A message for the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Incoming {
    /// Where the reply goes: `ops`, for a private message `ops/bob`, for a request `api/7`.
    pub(crate) channel: String,
    /// Who says it, where several can.
    pub(crate) from: Option<String>,
    pub(crate) text: String,
}

impl Incoming {
    /// What the turn engine takes in.
    pub(crate) fn input(self) -> turns::Input {
        let text = match self.from {
            Some(from) => format!("<{from}> {}", self.text),
            None => self.text,
        };
        turns::Input::User { channel: self.channel, text }
    }
}

/// A reply, on its way out.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Post {
    /// Who alone is to see it.
    to: Option<String>,
    text: String,
}

/// Where a channel's messages go.
#[derive(Clone)]
struct Inbox {
    channel: String,
    events: mpsc::Sender<Event>,
}

impl Inbox {
    /// Gives the agent a message. It waits for room, so that a flood slows down its source and nobody else.
    async fn take(&self, from: &str, private: bool, text: String) {
        let channel = if private { format!("{}/{from}", self.channel) } else { self.channel.clone() };
        let message = Incoming { channel, from: Some(from.to_owned()), text };
        let _ = self.events.send(Event::Incoming(message)).await;
    }
}

/// The channels that an agent's settings name: opened, changed and closed as these change.
pub(crate) struct Channels {
    events: mpsc::Sender<Event>,
    states: States,
    /// In the order of the settings: the first is the default.
    open: Vec<Open>,
    api: Option<Api>,
    screen: Option<Screen>,
}

struct Open {
    name: String,
    settings: Settings,
    posts: mpsc::Sender<Post>,
    /// Replies that found no room since one last did.
    missed: usize,
    task: JoinHandle<()>,
}

/// The task's settings, which it follows.
enum Settings {
    Irc(watch::Sender<irc::Config>),
    Webhook(watch::Sender<webhook::Config>),
}

impl Channels {
    /// None yet. Messages go to `events`; `changes` hears when [`Channels::status`] changes.
    pub(crate) fn new(
        events: mpsc::Sender<Event>,
        changes: mpsc::Sender<()>,
        api: Option<Api>,
        screen: Option<Screen>,
    ) -> Self {
        Self { events, states: States::new(changes), open: Vec::new(), api, screen }
    }

    /// Makes the channels those of `wanted`. What waits in one whose settings change goes out by the new ones; one that
    /// is gone still posts what it can.
    pub(crate) fn apply(&mut self, wanted: Vec<Spec>) {
        let mut before = std::mem::take(&mut self.open);
        for Spec { name, kind } in wanted {
            let kept = before.iter().position(|open| open.name == name).map(|index| before.swap_remove(index));
            let open = match kept {
                Some(open) if open.settings.follow(&kind) => open,
                _ => self.start(name, kind),
            };
            self.open.push(open);
        }
        let names = self.open.iter().map(|open| open.name.as_str()).collect::<Vec<_>>();
        self.states.retain(&names);
    }

    /// Posts the reply of `run`, or what no run said; it never waits. One for a channel that is gone goes to the
    /// default one; what one person or one request was to see (`ops/bob`, `api/7`) then goes nowhere.
    pub(crate) fn publish(&mut self, run: Option<u64>, channel: Option<&str>, text: &str) {
        if let Some(screen) = &self.screen {
            screen.reply(text);
        }
        let Some(channel) = channel.filter(|channel| *channel != console::NAME) else { return };
        if self.api.as_ref().is_some_and(|api| api.publish(run, channel, text)) {
            return;
        }
        let (name, to) = channel.split_once('/').map_or((channel, None), |(name, to)| (name, Some(to.to_owned())));
        let found = self.open.iter().position(|open| open.name == name).or(to.is_none().then_some(0));
        if let Some(open) = found.and_then(|index| self.open.get_mut(index)) {
            open.post(Post { to, text: text.to_owned() });
        } else {
            info!(channel, "nobody is there any more; the reply is in the log alone");
        }
    }

    /// Shows a piece of what the model says, where it is shown as it comes.
    pub(crate) fn delta(&mut self, run: u64, channel: &str, text: &str) {
        if let Some(screen) = self.screen.as_ref().filter(|_| channel == console::NAME) {
            screen.delta(run, text);
        }
        if let Some(api) = &self.api {
            api.delta(run, text);
        }
    }

    /// Shows those who look on what the turn engine tells the log.
    pub(crate) fn observe(&mut self, event: &turns::Event) {
        if let Some(screen) = &self.screen {
            screen.observe(event.name());
        }
        if let Some(api) = &self.api {
            api.observe(event);
        }
    }

    /// How each channel is, in the order of their names.
    pub(crate) fn status(&self) -> Vec<Status> {
        self.states.status()
    }

    /// Posts what waits, as far as that goes within `limit`.
    pub(crate) async fn close(self, limit: Duration) {
        let ends = tokio::time::Instant::now() + limit;
        let tasks = self.open.into_iter().map(|open| (open.name, open.task)).collect::<Vec<_>>();
        for (name, mut task) in tasks {
            if tokio::time::timeout_at(ends, &mut task).await.is_err() {
                task.abort();
                warn!(channel = name, "not every reply was posted before the end");
            }
        }
    }

    fn start(&self, name: String, kind: Kind) -> Open {
        let (posts, queue) = mpsc::channel(QUEUE);
        let reporter = Reporter::new(&self.states, &name);
        let (settings, task) = match kind {
            Kind::Irc(config) => {
                let (settings, config) = watch::channel(config);
                let inbox = Inbox { channel: name.clone(), events: self.events.clone() };
                (Settings::Irc(settings), tokio::spawn(irc::run(config, queue, inbox, reporter)))
            }
            Kind::Webhook(config) => {
                let (settings, config) = watch::channel(config);
                (Settings::Webhook(settings), tokio::spawn(webhook::run(config, queue, reporter)))
            }
        };
        Open { name, settings, posts, missed: 0, task }
    }
}

impl Open {
    fn post(&mut self, post: Post) {
        if self.missed > 0 {
            let text =
                format!("[{} replies before this one are in the agent's log only: too many waited]", self.missed);
            if self.posts.try_send(Post { to: None, text }).is_ok() {
                self.missed = 0;
            }
        }
        if self.missed > 0 || self.posts.try_send(post).is_err() {
            self.missed += 1;
            warn!(channel = self.name, missed = self.missed, "too many replies wait; this one is in the log alone");
        }
    }
}

impl Settings {
    /// Gives the task its new settings; false if it is of another kind.
    fn follow(&self, kind: &Kind) -> bool {
        match (self, kind) {
            (Self::Irc(settings), Kind::Irc(new)) => replace(settings, new),
            (Self::Webhook(settings), Kind::Webhook(new)) => replace(settings, new),
            (Self::Irc(_), Kind::Webhook(_)) | (Self::Webhook(_), Kind::Irc(_)) => return false,
        }
        true
    }
}

fn replace<T: Clone + PartialEq>(settings: &watch::Sender<T>, new: &T) {
    settings.send_if_modified(|old| {
        let changed = old != new;
        if changed {
            old.clone_from(new);
        }
        changed
    });
}
