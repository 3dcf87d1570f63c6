//! One server's life: connect, load its lists, notice its end, connect again.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::RequestMetaObject;
use rmcp::service::{Peer, RoleClient};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::backoff::Backoff;
use crate::catalogue::Catalogue;
use crate::connect::{self, Open, Timeouts};
use crate::entry::{Entry, Noticeboard};
use crate::error::describe;
use crate::feed::Feed;
use crate::route::Known;

/// A connection that lasted this long was a good one: the next attempt comes soon.
const HEALTHY: Duration = Duration::from_secs(30);

/// Keeps `entry` connected until it is cancelled.
pub(crate) async fn supervise(entry: Arc<Entry>, board: Noticeboard, timeouts: Timeouts) {
    let mut backoff = Backoff::default();
    loop {
        let opened = tokio::select! {
            () = entry.cancel.cancelled() => return,
            opened = connect::open(&entry.name, &entry.source, &timeouts) => opened,
        };
        let since = Instant::now();
        let message = match opened {
            Ok(open) => match attend(&entry, &board, open, &timeouts).await {
                Some(message) => message,
                None => return,
            },
            Err(message) => message,
        };
        if since.elapsed() > HEALTHY {
            backoff.reset();
        }
        entry.down(message);
        board.changed();
        tokio::select! {
            () = entry.cancel.cancelled() => return,
            () = tokio::time::sleep(backoff.failed()) => {}
        }
    }
}

/// Watches over one connection; why it ended, or None if we ended it.
async fn attend(entry: &Entry, board: &Noticeboard, open: Open, timeouts: &Timeouts) -> Option<String> {
    let Open { service, last_words } = open;
    let peer = service.peer().clone();
    let lists_changed = Arc::clone(&service.service().lists_changed);
    let stop = service.cancellation_token();
    let mut ended = pin!(service.waiting());
    let reason = tokio::select! {
        () = entry.cancel.cancelled() => None,
        _ = &mut ended => {
            last_words.complete().await;
            return Some(last_words.explain("the connection was closed"));
        }
        reason = follow(entry, board, &peer, &lists_changed, timeouts) => Some(reason),
    };
    stop.cancel();
    // Reaps the child.
    let _ = ended.await;
    reason
}

/// Keeps the lists of a connected server up to date; why the connection must be given up.
async fn follow(
    entry: &Entry,
    board: &Noticeboard,
    peer: &Peer<RoleClient>,
    lists_changed: &Notify,
    timeouts: &Timeouts,
) -> String {
    let connection = entry.connection(peer, timeouts);
    let mut feed = Feed::default();
    feed.open(peer, timeouts).await;
    let catalogue = Catalogue::load(&entry.name, peer, timeouts.connect).await;
    let mut gaps = Gaps::default();
    gaps.after(&catalogue);
    entry.up(connection.clone(), known(peer, catalogue));
    board.changed();
    loop {
        tokio::select! {
            () = lists_changed.notified() => {}
            () = gaps.due() => {}
            alive = feed.changed() => if !alive {
                connection.doubt();
                continue;
            },
            () = connection.doubted() => {
                if let Err(message) = probe(peer, timeouts).await {
                    return message;
                }
                feed.open(peer, timeouts).await;
            }
        }
        let catalogue = Catalogue::load(&entry.name, peer, timeouts.connect).await;
        gaps.after(&catalogue);
        entry.relist(&catalogue);
        board.changed();
    }
}

/// When to ask again for lists that could not be had.
#[derive(Default)]
struct Gaps {
    backoff: Backoff,
    next: Option<Instant>,
}

impl Gaps {
    /// Takes note of what was answered.
    fn after(&mut self, catalogue: &Catalogue) {
        if catalogue.complete() {
            *self = Self::default();
        } else {
            self.next = Some(Instant::now() + self.backoff.failed());
        }
    }

    /// Waits until it is time; for ever if nothing is missing.
    async fn due(&self) {
        match self.next {
            Some(next) => tokio::time::sleep_until(next).await,
            None => std::future::pending().await,
        }
    }
}

pub(crate) fn known(peer: &Peer<RoleClient>, catalogue: Catalogue) -> Known {
    let info = peer.peer_info();
    let version = info.as_ref().map_or("unknown", |info| info.protocol_version.as_str());
    let resources = info.as_ref().and_then(|info| info.capabilities.resources.as_ref());
    Known {
        version: version.to_owned(),
        modern: info.as_ref().is_some_and(|info| !info.protocol_version.has_initialize()),
        subscribe: resources.is_some_and(|resources| resources.subscribe == Some(true)),
        resources: resources.is_some(),
        catalogue: Arc::new(catalogue),
    }
}

/// Asks a server whether it is there.
async fn probe(peer: &Peer<RoleClient>, timeouts: &Timeouts) -> Result<(), String> {
    let Some(info) = peer.peer_info().filter(|info| !info.protocol_version.has_initialize()) else {
        // An old server has no watches that a new connection could hurt.
        return Err("a request failed; connecting again".to_owned());
    };
    let client = rmcp::ClientHandler::get_info(&connect::Handler::default());
    let meta =
        RequestMetaObject::with_client_context(info.protocol_version.clone(), client.client_info, client.capabilities);
    match tokio::time::timeout(timeouts.acknowledge, peer.discover(meta)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(describe(&error)),
        Err(_) => Err("it does not answer".to_owned()),
    }
}
