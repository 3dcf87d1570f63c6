//! One configured server: its state, and who is told when that changes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::service::{Peer, RoleClient};
use tokio::sync::{Notify, mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::catalogue::Catalogue;
use crate::connect::Timeouts;
use crate::route::{Candidate, Known};
use crate::source::Source;

/// Something that the owner of the servers should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// What [`Servers::status`](crate::Servers::status) returns has changed.
    Status,
}

/// Tells everyone who cares that some server's state has changed.
#[derive(Clone)]
pub(crate) struct Noticeboard {
    events: mpsc::Sender<Event>,
    changes: watch::Sender<()>,
}

impl Noticeboard {
    pub(crate) fn new(events: mpsc::Sender<Event>) -> Self {
        let (changes, _) = watch::channel(());
        Self { events, changes }
    }

    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    pub(crate) fn changed(&self) {
        self.changes.send_replace(());
        let _ = self.events.try_send(Event::Status);
    }
}

/// A configured server.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) source: Source,
    pub(crate) cancel: CancellationToken,
    state: Mutex<State>,
}

struct State {
    link: Link,
    known: Option<Known>,
}

#[derive(Clone)]
pub(crate) enum Link {
    /// Never connected so far.
    Connecting,
    Up(Connection),
    /// Why.
    Down(String),
}

/// What a request needs.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) timeout: Duration,
    /// Triggered when the server is removed or replaced.
    pub(crate) cancel: CancellationToken,
    /// A request has failed in a way that makes the connection doubtful.
    doubt: Arc<Notify>,
}

impl Connection {
    pub(crate) fn new(peer: Peer<RoleClient>, timeout: Duration, cancel: CancellationToken) -> Self {
        let doubt = Arc::default();
        Self { peer, timeout, cancel, doubt }
    }

    /// Has the connection looked at, because it might be dead.
    pub(crate) fn doubt(&self) {
        self.doubt.notify_one();
    }

    /// Waits until somebody doubts it.
    pub(crate) async fn doubted(&self) {
        self.doubt.notified().await;
    }
}

impl Entry {
    pub(crate) fn new(name: &str, source: Source, cancel: CancellationToken) -> Self {
        Self { name: name.to_owned(), source, cancel, state: Mutex::new(State { link: Link::Connecting, known: None }) }
    }

    /// What a request to this server needs.
    pub(crate) fn connection(&self, peer: &Peer<RoleClient>, timeouts: &Timeouts) -> Connection {
        let timeout = match self.source {
            Source::Http { timeout, .. } => timeout,
            _ => timeouts.request,
        };
        Connection::new(peer.clone(), timeout, self.cancel.clone())
    }

    pub(crate) fn link(&self) -> Link {
        self.lock().link.clone()
    }

    pub(crate) fn known(&self) -> Option<Known> {
        self.lock().known.clone()
    }

    pub(crate) fn candidate(&self) -> Candidate {
        let state = self.lock();
        match (&state.known, &state.link) {
            (Some(known), _) => Candidate::Known(known.clone()),
            (None, Link::Down(message)) => Candidate::Down(message.clone()),
            (None, _) => Candidate::Connecting,
        }
    }

    pub(crate) fn down(&self, message: String) {
        tracing::warn!(target: "mcp", server = self.name, message, "server is down");
        self.lock().link = Link::Down(message);
    }

    /// It is connected; lists that it did not give are still those of the last connection.
    pub(crate) fn up(&self, connection: Connection, mut known: Known) {
        let mut state = self.lock();
        state.link = Link::Up(connection);
        if let Some(old) = &state.known {
            known.catalogue = Arc::new(known.catalogue.or(&old.catalogue));
        }
        state.known = Some(known);
    }

    /// Its lists were asked for again; those that it did not give stay as they are.
    pub(crate) fn relist(&self, catalogue: &Catalogue) {
        if let Some(known) = &mut self.lock().known {
            known.catalogue = Arc::new(catalogue.or(&known.catalogue));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
