//! One watch on the wire: acknowledged, drained at once, cancelled when dropped.

use std::num::NonZeroUsize;
use std::time::Duration;

use rmcp::model::{ErrorCode, ServerNotification, SubscriptionFilter};
use rmcp::service::{ServiceError, SubscriptionEnd};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::entry::Connection;
use crate::error::{Error, describe};
use crate::limits::STEADY;

/// Notifications that may be underway while the drain is not scheduled.
const BUFFER: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1023);

/// What happened to a watched resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It may have changed; several changes may be told as one.
    Updated,
    /// No more will be told, for the given reason.
    Ended(String),
}

/// An acknowledged subscription. Dropping it cancels it on the server.
#[derive(Debug)]
pub struct Subscription {
    server: String,
    told: u64,
    state: watch::Receiver<State>,
    _drain: AbortOnDropHandle<()>,
}

#[derive(Debug, Default)]
struct State {
    updates: u64,
    ended: Option<String>,
}

impl Subscription {
    /// The name of the server that it was routed to.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The next change; after [`Change::Ended`], that again. Cancel safe.
    pub async fn next(&mut self) -> Change {
        let outcome = self.state.wait_for(|state| state.updates > self.told || state.ended.is_some()).await;
        match outcome {
            Ok(state) if state.updates > self.told => {
                self.told = state.updates;
                Change::Updated
            }
            Ok(state) => Change::Ended(state.ended.clone().unwrap_or_default()),
            Err(_) => Change::Ended("the subscription is no longer drained".to_owned()),
        }
    }
}

/// Subscribes to `uri` and waits for the acknowledgement.
pub(crate) async fn listen(
    server: &str,
    connection: Connection,
    uri: &str,
    acknowledge: Duration,
) -> Result<Subscription, Error> {
    let mut drain =
        Drain { server: server.to_owned(), connection, uri: uri.to_owned(), acknowledge, since: Instant::now() };
    let subscription = drain.subscribe().await?;
    let (sender, state) = watch::channel(State::default());
    let task = tokio::spawn(async move {
        let reason = drain.run(subscription, &sender).await;
        sender.send_modify(|state| state.ended = Some(reason));
    });
    Ok(Subscription { server: server.to_owned(), told: 0, state, _drain: AbortOnDropHandle::new(task) })
}

/// Takes notifications off the wire as they come, so that a burst costs one number.
struct Drain {
    server: String,
    connection: Connection,
    uri: String,
    acknowledge: Duration,
    /// The last acknowledgement.
    since: Instant,
}

impl Drain {
    async fn subscribe(&mut self) -> Result<rmcp::service::Subscription, Error> {
        let filter = SubscriptionFilter::builder().resource_subscriptions([self.uri.clone()]).build();
        let listening = self.connection.peer.listen_with_capacity(filter, BUFFER);
        let subscription = match tokio::time::timeout(self.acknowledge, listening).await {
            Ok(Ok(subscription)) => subscription,
            Ok(Err(error)) => return Err(self.refused(&error)),
            Err(_) => {
                self.connection.doubt();
                let seconds = self.acknowledge.as_secs_f32();
                let message = format!("the subscription was not acknowledged within {seconds} s");
                return Err(Error::down(&self.server, message));
            }
        };
        let honoured = subscription.acknowledged().resource_subscriptions.as_ref();
        if honoured.is_some_and(|uris| uris.contains(&self.uri)) {
            self.since = Instant::now();
            Ok(subscription)
        } else {
            Err(self.not_watchable("it acknowledged the subscription without this URI"))
        }
    }

    fn not_watchable(&self, reason: &str) -> Error {
        Error::NotWatchable { uri: self.uri.clone(), server: self.server.clone(), reason: reason.to_owned() }
    }

    fn refused(&self, error: &ServiceError) -> Error {
        if let ServiceError::McpError(error) = error
            && error.code == ErrorCode::METHOD_NOT_FOUND
        {
            return self.not_watchable("it does not serve subscriptions/listen");
        }
        let error = Error::from_service(&self.server, error);
        if matches!(error, Error::ServerDown { .. }) {
            self.connection.doubt();
        }
        error
    }

    /// Counts updates until the end; why it came.
    async fn run(&mut self, mut subscription: rmcp::service::Subscription, state: &watch::Sender<State>) -> String {
        let cancelled = self.connection.cancel.clone();
        loop {
            let next = tokio::select! {
                next = subscription.next() => next,
                () = cancelled.cancelled() => return "the server was removed".to_owned(),
            };
            let reason = match next {
                Ok(Some(ServerNotification::ResourceUpdatedNotification(_))) => {
                    state.send_modify(|state| state.updates += 1);
                    continue;
                }
                Ok(Some(_)) => continue,
                Ok(None) => self.end(subscription.end()),
                // The schema lets a server name a part of what is watched; the library does not.
                Err(ServiceError::UnexpectedResponse) => None,
                Err(error) => {
                    self.connection.doubt();
                    Some(describe(&error))
                }
            };
            if let Some(reason) = reason {
                return reason;
            }
            if self.since.elapsed() < STEADY {
                return "the server broke off the subscription".to_owned();
            }
            match self.subscribe().await {
                Ok(again) => subscription = again,
                Err(error) => return error.to_string(),
            }
            // What was told meanwhile is lost; whoever listens must read again.
            state.send_modify(|state| state.updates += 1);
        }
    }

    /// Why a subscription ended; None if it should be made anew at once.
    fn end(&self, end: Option<&SubscriptionEnd>) -> Option<String> {
        match end {
            Some(SubscriptionEnd::Lagged { .. }) => None,
            Some(SubscriptionEnd::Graceful(_)) => Some("the server ended the subscription".to_owned()),
            Some(SubscriptionEnd::Cancelled) => Some("the server cancelled the subscription".to_owned()),
            _ => {
                self.connection.doubt();
                Some("the connection was lost".to_owned())
            }
        }
    }
}
