//! One server's life: connect, load its lists, notice its end, connect again.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::RequestMetaObject;
use rmcp::service::{Peer, RoleClient};
use tokio::time::Instant;

use crate::catalogue::Catalogue;
use crate::connect::{self, Open, Timeouts};
use crate::entry::{Entry, Noticeboard};
use crate::error::describe;
use crate::feed::Feed;
use crate::route::Known;

const LONGEST_DELAY: Duration = Duration::from_mins(1);
/// A connection that lasted this long was a good one: the next attempt comes soon.
const HEALTHY: Duration = Duration::from_secs(30);

/// Keeps `entry` connected until it is cancelled.
pub(crate) async fn supervise(entry: Arc<Entry>, board: Noticeboard, timeouts: Timeouts) {
    let mut attempt = 0;
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
            attempt = 0;
        }
        entry.down(message);
        board.changed();
        tokio::select! {
            () = entry.cancel.cancelled() => return,
            () = tokio::time::sleep(delay(attempt)) => {}
        }
        attempt += 1;
    }
}

/// 1 s, doubled up to a minute, less up to a half of it so that a fleet does not return at once.
fn delay(attempt: u32) -> Duration {
    let full = Duration::from_secs(1 << attempt.min(6)).min(LONGEST_DELAY);
    let random = RandomState::new().build_hasher().finish() % 1000;
    full.mul_f64(1.0 - 0.0005 * f64::from(u32::try_from(random).unwrap_or(0)))
}

/// Watches over one connection; why it ended, or None if we ended it.
async fn attend(entry: &Entry, board: &Noticeboard, open: Open, timeouts: &Timeouts) -> Option<String> {
    let Open { service, last_words } = open;
    let peer = service.peer().clone();
    let lists_changed = Arc::clone(&service.service().lists_changed);
    let stop = service.cancellation_token();
    let mut ended = pin!(service.waiting());
    let connection = entry.connection(&peer, timeouts);
    let mut feed = Feed::default();
    let reason = tokio::select! {
        () = entry.cancel.cancelled() => None,
        _ = &mut ended => {
            last_words.complete().await;
            return Some(last_words.explain("the connection was closed"));
        }
        reason = async {
            feed.open(&peer, timeouts).await;
            let catalogue = Catalogue::load(&entry.name, &peer, timeouts.connect).await;
            entry.up(connection.clone(), known(&peer, catalogue));
            board.changed();
            loop {
                tokio::select! {
                    () = lists_changed.notified() => {}
                    alive = feed.changed() => if !alive {
                        connection.doubt();
                        continue;
                    },
                    () = connection.doubted() => {
                        if let Err(message) = probe(&peer, timeouts).await {
                            break message;
                        }
                        feed.open(&peer, timeouts).await;
                    }
                }
                entry.relist(Catalogue::load(&entry.name, &peer, timeouts.connect).await);
                board.changed();
            }
        } => Some(reason),
    };
    stop.cancel();
    // Reaps the child.
    let _ = ended.await;
    reason
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
