//! A channel of an IRC server: who addresses the agent is answered, and replies wait while there is no connection.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use tokio::sync::{mpsc, watch};
use tracing::{info, warn};

use crate::channel::backoff::Backoff;
use crate::channel::irc::connection::{Connection, End, PATIENCE, Patience};
use crate::channel::irc::outbox::Outbox;
use crate::channel::irc::session::Session;
use crate::channel::spec::Secret;
use crate::channel::state::Reporter;
use crate::channel::{Inbox, Post, QUEUE, tls};

mod bucket;
mod connection;
mod lines;
mod outbox;
mod session;
#[cfg(test)]
mod tests;
mod text;

/// A connection that lasted this long was a good one.
const GOOD: Duration = Duration::from_secs(30);

/// Where to be, and as whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(super) server: String,
    pub(super) port: u16,
    pub(super) tls: bool,
    pub(super) nick: String,
    pub(super) channel: String,
    /// Why it is missing, or the password; None: the server asks for none.
    pub(super) password: Result<Option<Secret>, String>,
}

/// Makes the settings of TLS, which read the certificate authorities anew.
type Tls = fn() -> Result<Arc<ClientConfig>, rustls::Error>;

/// A channel, connected or not.
struct Irc {
    config: watch::Receiver<Config>,
    /// Replies wait here while there is no connection.
    posts: mpsc::Receiver<Post>,
    /// The next ones. While the server lets us in but not into the channel, those for the channel stay here, and
    /// private ones pass them by.
    held: VecDeque<Post>,
    /// The reply that is being said.
    outbox: Outbox,
    inbox: Inbox,
    reporter: Reporter,
    tls: Tls,
    patience: Patience,
}

/// Stays connected until `posts` ends and all of it is posted.
pub(super) async fn run(
    config: watch::Receiver<Config>,
    posts: mpsc::Receiver<Post>,
    inbox: Inbox,
    reporter: Reporter,
) {
    let (held, outbox) = (VecDeque::new(), Outbox::default());
    Irc { config, posts, held, outbox, inbox, reporter, tls: tls::config, patience: PATIENCE }.run().await;
}

impl Irc {
    async fn run(mut self) {
        let mut backoff = Backoff::default();
        loop {
            let config = self.config.borrow_and_update().clone();
            let began = tokio::time::Instant::now();
            let end = match Connection::open(&config, self.tls).await {
                Ok(connection) => connection.hold(&mut self, config).await,
                Err(reason) => End::Lost(reason),
            };
            if began.elapsed() >= GOOD {
                backoff.reset();
            }
            match end {
                End::Done => return,
                End::Changed => backoff.reset(),
                End::Lost(reason) => {
                    let delay = backoff.failed();
                    info!(channel = self.reporter.name(), "{reason}; connecting again in {:.0} s", delay.as_secs_f64());
                    self.reporter.set(false, Some(reason));
                    if !self.wait(delay, &mut backoff).await {
                        return;
                    }
                }
            }
        }
    }

    /// Whether there is room for one more reply.
    fn takes(&self) -> bool {
        self.outbox.is_empty() && self.held.len() < QUEUE
    }

    /// Begins with the next reply that can be said.
    fn load(&mut self, session: &Session, channel: &str) {
        let next = self.held.iter().position(|post| session.is_joined() || session.is_in() && post.to.is_some());
        if self.outbox.is_empty()
            && let Some(post) = next.and_then(|index| self.held.remove(index))
        {
            self.outbox.load(&post, session.nick(), channel);
        }
    }

    /// Whether nothing waits to be said.
    fn is_done(&self) -> bool {
        self.outbox.is_empty() && self.held.is_empty() && self.posts.is_empty()
    }

    /// Waits, or until the settings change; false if the channel was closed and nobody will be there to read.
    async fn wait(&mut self, delay: Duration, backoff: &mut Backoff) -> bool {
        tokio::select! {
            () = tokio::time::sleep(delay) => return true,
            changed = self.config.changed() => if changed.is_ok() {
                backoff.reset();
                return true;
            },
        }
        let lost = self.posts.len() + self.held.len() + usize::from(!self.outbox.is_empty());
        if lost > 0 {
            let channel = self.reporter.name();
            warn!(channel, lost, "closed without a connection; replies are in the log alone");
        }
        false
    }
}
