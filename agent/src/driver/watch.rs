//! Performs the watch engine's subscriptions and reads.

use std::collections::HashMap;

use asyncai_mcp::{Change, Kind, Servers};
use asyncai_watch::{Contents, Cursor, Failure, FailureKind, Id, Input};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::event::Event;

/// The subscriptions that are open or being opened.
pub(crate) struct Subscriptions {
    servers: Servers,
    events: mpsc::Sender<Event>,
    /// One for each watch; aborting it cancels the subscription on the wire.
    open: HashMap<Id, AbortHandle>,
}

impl Subscriptions {
    pub(crate) fn new(servers: Servers, events: mpsc::Sender<Event>) -> Self {
        Self { servers, events, open: HashMap::new() }
    }

    /// Opens a subscription in place of the one that the watch has.
    pub(crate) fn subscribe(&mut self, id: Id, ticket: u64, uri: String, server: Option<String>) {
        let (servers, events) = (self.servers.clone(), self.events.clone());
        let watch = id.clone();
        let task = tokio::spawn(async move {
            let follow = follow(&servers, &events, &watch, ticket, &uri, server.as_deref());
            if let Some(end) = follow.await {
                let _ = events.send(Event::watches(end)).await;
            }
        });
        if let Some(old) = self.open.insert(id, task.abort_handle()) {
            old.abort();
        }
    }

    /// Cancels the subscription of a watch.
    pub(crate) fn unsubscribe(&mut self, id: &Id) {
        if let Some(task) = self.open.remove(id) {
            task.abort();
        }
    }

    /// Reads a resource.
    pub(crate) fn read(&self, id: Id, ticket: u64, uri: String, server: Option<String>, since: Option<Cursor>) {
        let (servers, events) = (self.servers.clone(), self.events.clone());
        tokio::spawn(async move {
            let since = since.as_ref().map(|cursor| (cursor.epoch.as_str(), cursor.seq));
            let result = match servers.read(&uri, server.as_deref(), since).await {
                Ok(contents) => Ok(Contents { mime: contents.mime, text: contents.text }),
                Err(error) => Err(failure(&error)),
            };
            let _ = events.send(Event::watches(Input::Read { id, ticket, result })).await;
        });
    }
}

/// Follows a subscription to its end; None if nobody listens any more.
async fn follow(
    servers: &Servers,
    events: &mpsc::Sender<Event>,
    id: &Id,
    ticket: u64,
    uri: &str,
    server: Option<&str>,
) -> Option<Input> {
    let mut subscription = match servers.listen(uri, server).await {
        Ok(subscription) => subscription,
        Err(error) => return Some(Input::SubscribeFailed { id: id.clone(), ticket, failure: failure(&error) }),
    };
    let acknowledged = Input::Acknowledged { id: id.clone(), ticket, server: subscription.server().to_owned() };
    events.send(Event::watches(acknowledged)).await.ok()?;
    loop {
        match subscription.next().await {
            Change::Updated => events.send(Event::watches(Input::Updated { id: id.clone(), ticket })).await.ok()?,
            Change::Ended(message) => return Some(Input::Ended { id: id.clone(), ticket, message }),
        }
    }
}

fn failure(error: &asyncai_mcp::Error) -> Failure {
    let kind = match error.kind() {
        Kind::UnknownServer => FailureKind::UnknownServer,
        Kind::NotWatchable => FailureKind::NotWatchable,
        Kind::ServerDown => FailureKind::ServerDown,
        Kind::SourceError => FailureKind::SourceError,
    };
    Failure { kind, message: error.to_string() }
}
