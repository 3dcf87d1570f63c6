//! The registry of servers: who there is, how they are, and which of them a request goes to.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::catalogue::{Resource, Tool};
use crate::connect::Timeouts;
use crate::entry::{Connection, Entry, Event, Link, Noticeboard};
use crate::error::{Error, WATCHABLE};
use crate::read::{self, Contents};
use crate::route::{Known, Route, route};
use crate::source::Source;
use crate::subscribe::{self, Subscription};
use crate::supervise::supervise;
use crate::tools::{self, ToolResult};

/// One server, as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// Its configured name.
    pub name: String,
    /// Whether it is connected.
    pub ready: bool,
    /// The negotiated protocol version; kept while it is down.
    pub protocol_version: Option<String>,
    /// Whether its resources can be watched.
    pub subscribable: bool,
    /// How many tools it has.
    pub tool_count: usize,
    /// Why it is not ready, or not watchable.
    pub message: Option<String>,
}

/// The MCP servers of one agent. Cheap to clone; the last clone ends all connections.
#[derive(Clone)]
pub struct Servers {
    inner: Arc<Inner>,
}

struct Inner {
    entries: Mutex<Vec<Arc<Entry>>>,
    board: Noticeboard,
    timeouts: Timeouts,
    tasks: TaskTracker,
    cancel: CancellationToken,
    _guard: DropGuard,
}

impl Servers {
    /// No servers yet. `events` gets [`Event::Status`] on each change; one that does not fit is
    /// dropped, since the one in the channel says the same.
    pub fn new(events: mpsc::Sender<Event>) -> Self {
        Self::with_timeouts(events, Timeouts::default())
    }

    /// Like [`new`](Self::new), with other timeouts.
    pub fn with_timeouts(events: mpsc::Sender<Event>, timeouts: Timeouts) -> Self {
        let cancel = CancellationToken::new();
        Self {
            inner: Arc::new(Inner {
                entries: Mutex::default(),
                board: Noticeboard::new(events),
                timeouts,
                tasks: TaskTracker::new(),
                _guard: cancel.clone().drop_guard(),
                cancel,
            }),
        }
    }

    /// Adds a server, or replaces it if `source` differs; connects in the background and again
    /// whenever the connection is lost. Must be called within a runtime.
    pub fn apply(&self, name: &str, source: Source) {
        let mut entries = self.lock();
        let old = entries.iter().position(|entry| entry.name == name);
        if old.is_some_and(|index| entries[index].source.same(&source)) {
            return;
        }
        let entry = Arc::new(Entry::new(name, source, self.inner.cancel.child_token()));
        match old {
            Some(index) => {
                entries[index].cancel.cancel();
                entries[index] = Arc::clone(&entry);
            }
            None => entries.push(Arc::clone(&entry)),
        }
        drop(entries);
        let (board, timeouts) = (self.inner.board.clone(), self.inner.timeouts);
        self.inner.tasks.spawn(supervise(entry, board, timeouts));
        self.inner.board.changed();
    }

    /// Disconnects and forgets a server; its subscriptions end.
    pub fn remove(&self, name: &str) {
        let mut entries = self.lock();
        entries.iter().filter(|entry| entry.name == name).for_each(|entry| entry.cancel.cancel());
        entries.retain(|entry| entry.name != name);
        drop(entries);
        self.inner.board.changed();
    }

    /// Every server, in the order in which they were added.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.lock().iter().map(|entry| status(entry)).collect()
    }

    /// Returns when every server has connected, or has failed to, at least once.
    pub async fn settled(&self) {
        let mut changes = self.inner.board.watch();
        loop {
            changes.borrow_and_update();
            let connecting = self.lock().iter().any(|entry| matches!(entry.link(), Link::Connecting));
            if !connecting || wait(&mut changes).await.is_err() {
                return;
            }
        }
    }

    /// Disconnects all servers and waits until their children are gone.
    pub async fn close(&self) {
        self.inner.cancel.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }

    /// Subscribes to `uri` on `server`, else on the one that it is routed to, and waits for the
    /// acknowledgement. Whoever gets one must read the resource: nothing older is told.
    pub async fn listen(&self, uri: &str, server: Option<&str>) -> Result<Subscription, Error> {
        let (entry, connection) = self.reach(uri, server).await?;
        if let Some(reason) = entry.known().and_then(|known| unwatchable(&known)) {
            return Err(Error::NotWatchable { uri: uri.to_owned(), server: entry.name.clone(), reason });
        }
        let listening = subscribe::listen(&entry.name, connection, uri, self.inner.timeouts.acknowledge).await;
        listening.map_err(|error| match (error, entry.known()) {
            (Error::NotWatchable { uri, server, reason }, Some(known)) => {
                let reason = known.catalogue.instead_of(&uri).unwrap_or(reason);
                Error::NotWatchable { uri, server, reason }
            }
            (error, _) => error,
        })
    }

    /// Reads `uri`. `since` is the reader's cursor: the epoch and the sequence number up to which
    /// it knows the event log; a server may then answer with what is newer.
    pub async fn read(&self, uri: &str, server: Option<&str>, since: Option<(&str, u64)>) -> Result<Contents, Error> {
        let (entry, connection) = self.reach(uri, server).await?;
        read::read(&entry.name, &connection, uri, since).await
    }

    /// Calls a tool. A failure of the tool itself is a result.
    pub async fn call(&self, server: &str, tool: &str, arguments: Map<String, Value>) -> Result<ToolResult, Error> {
        let entry = self.named(server)?;
        let connection = self.connected(&entry).await?;
        tools::call(server, &connection, tool, arguments).await
    }

    /// The resources and templates of all servers that were ever connected.
    pub fn resources(&self) -> Vec<Resource> {
        let entries = self.lock().clone();
        let known = entries.iter().filter_map(|entry| Some((entry, entry.known()?)));
        known.flat_map(|(entry, known)| known.catalogue.resources(&entry.name, known.subscribable())).collect()
    }

    /// The tools of all servers that were ever connected.
    pub fn tools(&self) -> Vec<Tool> {
        let entries = self.lock().clone();
        let known = entries.iter().filter_map(|entry| Some((entry, entry.known()?)));
        known.flat_map(|(entry, known)| known.catalogue.tools(&entry.name).collect::<Vec<_>>()).collect()
    }

    /// The server for `uri` and a connection to it, once that is decided.
    async fn reach(&self, uri: &str, server: Option<&str>) -> Result<(Arc<Entry>, Connection), Error> {
        let entry = match server {
            Some(name) => self.named(name)?,
            None => self.routed(uri).await?,
        };
        let connection = self.connected(&entry).await?;
        Ok((entry, connection))
    }

    fn named(&self, name: &str) -> Result<Arc<Entry>, Error> {
        let entries = self.lock();
        let found = entries.iter().find(|entry| entry.name == name);
        found.cloned().ok_or_else(|| Error::UnknownServer {
            name: name.to_owned(),
            known: entries.iter().map(|entry| entry.name.clone()).collect(),
        })
    }

    async fn routed(&self, uri: &str) -> Result<Arc<Entry>, Error> {
        let mut changes = self.inner.board.watch();
        loop {
            changes.borrow_and_update();
            let entries = self.lock().clone();
            let candidates: Vec<_> = entries.iter().map(|entry| entry.candidate()).collect();
            match route(&candidates, uri) {
                Route::To(index) => return Ok(Arc::clone(&entries[index])),
                Route::Nowhere => return Err(unrouted(&entries, uri)),
                Route::Down { index, message } => return Err(Error::down(&entries[index].name, message)),
                Route::Wait => wait(&mut changes).await?,
            }
        }
    }

    /// Waits for a first connection, but not for a lost one to come back.
    async fn connected(&self, entry: &Entry) -> Result<Connection, Error> {
        let mut changes = self.inner.board.watch();
        loop {
            changes.borrow_and_update();
            if entry.cancel.is_cancelled() {
                return Err(Error::down(&entry.name, "it is being removed"));
            }
            match entry.link() {
                Link::Up(connection) => return Ok(connection),
                Link::Down(message) => return Err(Error::down(&entry.name, message)),
                Link::Connecting => wait(&mut changes).await?,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Entry>>> {
        self.inner.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn wait(changes: &mut watch::Receiver<()>) -> Result<(), Error> {
    // The board lives as long as the registry that is being asked.
    changes.changed().await.map_err(|_| Error::down("asyncai", "it is shutting down"))
}

/// Why a connected server cannot be watched.
fn unwatchable(known: &Known) -> Option<String> {
    if !known.modern {
        Some(format!("it speaks MCP {}, watching needs {WATCHABLE}", known.version))
    } else if !known.subscribe {
        Some("it does not advertise the capability resources.subscribe".to_owned())
    } else {
        None
    }
}

fn unrouted(entries: &[Arc<Entry>], uri: &str) -> Error {
    let reasons = entries.iter().map(|entry| {
        let reason = entry.known().and_then(|known| unwatchable(&known));
        format!("{}: {}", entry.name, reason.unwrap_or_else(|| "it has no resources".to_owned()))
    });
    Error::Unrouted { uri: uri.to_owned(), reasons: reasons.collect() }
}

fn status(entry: &Entry) -> ServerStatus {
    let known = entry.known();
    let (ready, message) = match entry.link() {
        Link::Connecting => (false, Some("connecting".to_owned())),
        Link::Down(message) => (false, Some(message)),
        Link::Up(_) => (true, known.as_ref().and_then(unwatchable)),
    };
    ServerStatus {
        name: entry.name.clone(),
        ready,
        subscribable: known.as_ref().is_some_and(Known::subscribable),
        tool_count: known.as_ref().map_or(0, |known| known.catalogue.tool_count()),
        protocol_version: known.map(|known| known.version),
        message,
    }
}
