//! Who listens to which URI: registered before the acknowledgement, coalesced, ended gracefully.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::ErrorData;
use rmcp::model::SubscriptionFilter;
use rmcp::service::{SubscriptionContext, SubscriptionSendError, SubscriptionSink};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How long an accepted subscription may wait for its listen before it counts as abandoned.
///
/// Only an acknowledgement that could not be sent leaves one behind.
const PENDING: Duration = Duration::from_secs(30);

/// The subscriptions of one server, shared by all of its connections.
///
/// A server calls [`accept`](Self::accept) in `accepted_subscription_filter`, which the protocol
/// library runs before it acknowledges, and [`listen`](Self::listen) in `listen`, which it runs
/// afterwards. Registering in the first means that a change between the two is not lost.
///
/// `L` is what keeps the source of a URI running: one lease for each URI of a subscription,
/// dropped when the subscription ends. A server without such a source uses `()`.
pub struct Subscriptions<L = ()> {
    registry: Arc<Registry<L>>,
}

struct Registry<L> {
    state: Mutex<State<L>>,
    closing: CancellationToken,
}

struct State<L> {
    /// Accepted, not yet listening; by the task that serves the request.
    pending: HashMap<tokio::task::Id, Pending<L>>,
    subscribers: HashMap<Arc<str>, Vec<Arc<Subscriber>>>,
}

struct Pending<L> {
    since: Instant,
    registration: Registration<L>,
}

#[derive(Default)]
struct Subscriber {
    dirty: Mutex<BTreeSet<Arc<str>>>,
    wake: Notify,
}

/// One subscription from its acceptance on; dropping it unregisters it and gives back its leases.
struct Registration<L> {
    registry: Arc<Registry<L>>,
    subscriber: Arc<Subscriber>,
    uris: Vec<Arc<str>>,
    _leases: Vec<L>,
}

impl<L> Clone for Subscriptions<L> {
    fn clone(&self) -> Self {
        Self { registry: Arc::clone(&self.registry) }
    }
}

impl<L: Send + 'static> Default for Subscriptions<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: Send + 'static> Subscriptions<L> {
    /// No subscriptions yet.
    pub fn new() -> Self {
        let state = State { pending: HashMap::new(), subscribers: HashMap::new() };
        Self { registry: Arc::new(Registry { state: Mutex::new(state), closing: CancellationToken::new() }) }
    }

    /// Registers the calling task as listener of those requested URIs for which `lease` returns
    /// something, and answers with the filter that is honoured.
    ///
    /// A URI without a lease is left out, so that its client learns that it cannot be watched.
    /// Must be called from `ServerHandler::accepted_subscription_filter`.
    pub fn accept(
        &self,
        requested: &SubscriptionFilter,
        mut lease: impl FnMut(&str) -> Option<L>,
    ) -> SubscriptionFilter {
        let mut honoured = SubscriptionFilter::new();
        let Some(task) = tokio::task::try_id() else {
            tracing::error!("a subscription was accepted outside of a task");
            return honoured;
        };
        if self.registry.closing.is_cancelled() {
            return honoured;
        }
        let requested = requested.resource_subscriptions.iter().flatten();
        let (uris, leases): (BTreeSet<&str>, Vec<L>) = requested
            .map(String::as_str)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter_map(|uri| Some((uri, lease(uri)?)))
            .unzip();
        if uris.is_empty() {
            return honoured;
        }
        honoured.resource_subscriptions = Some(uris.iter().map(ToString::to_string).collect());
        self.registry.register(task, uris, leases);
        honoured
    }

    /// Tells the client of `context` about changes until it leaves or [`close`](Self::close) is called; then its final
    /// result is sent.
    ///
    /// Changes that come while one is being sent are told once.
    pub async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let task = tokio::task::try_id();
        let pending = task.and_then(|task| self.registry.lock().pending.remove(&task));
        let told = async {
            match &pending {
                Some(Pending { registration, .. }) => forward(context.sink(), &registration.subscriber).await,
                // Nothing was honoured; the stream stays open because the client decides when to go.
                None => std::future::pending().await,
            }
        };
        // Whatever is being sent: a peer that does not take it must not hold us up.
        tokio::select! {
            biased;
            () = context.cancelled() => {}
            () = self.registry.closing.cancelled() => {}
            () = told => {}
        }
        Ok(())
    }

    /// Tells every listener of `uri` that it changed. Never waits.
    pub fn changed(&self, uri: &str) {
        let (abandoned, listeners) = {
            let mut state = self.registry.lock();
            let abandoned = state.abandoned();
            let listeners =
                state.subscribers.get_key_value(uri).map(|(uri, listeners)| (Arc::clone(uri), listeners.clone()));
            (abandoned, listeners)
        };
        // Outside of the lock: dropping a registration takes it again.
        drop(abandoned);
        let Some((uri, listeners)) = listeners else {
            return;
        };
        for listener in listeners {
            lock(&listener.dirty).insert(Arc::clone(&uri));
            listener.wake.notify_one();
        }
    }

    /// Ends every subscription gracefully and accepts none from now on.
    pub fn close(&self) {
        self.registry.closing.cancel();
    }
}

/// Sends what changes until the client is gone.
async fn forward(sink: &SubscriptionSink, subscriber: &Subscriber) {
    loop {
        subscriber.wake.notified().await;
        let dirty = std::mem::take(&mut *lock(&subscriber.dirty));
        for uri in dirty {
            match sink.notify_resource_updated(uri.as_ref()).await {
                // A URI that the capabilities do not let through was never promised.
                Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)) => {}
                Err(_) => return,
            }
        }
    }
}

impl<L> Registry<L> {
    fn lock(&self) -> MutexGuard<'_, State<L>> {
        lock(&self.state)
    }

    fn register(self: &Arc<Self>, task: tokio::task::Id, uris: BTreeSet<&str>, leases: Vec<L>) {
        let subscriber = Arc::<Subscriber>::default();
        let mut state = self.lock();
        let abandoned = state.abandoned();
        let uris = uris.into_iter().map(|uri| state.subscribe(uri, &subscriber)).collect();
        let registration = Registration { registry: Arc::clone(self), subscriber, uris, _leases: leases };
        let since = Instant::now();
        let replaced = state.pending.insert(task, Pending { since, registration });
        drop(state);
        drop((abandoned, replaced));
    }
}

impl<L> State<L> {
    fn subscribe(&mut self, uri: &str, subscriber: &Arc<Subscriber>) -> Arc<str> {
        // The key is shared with every listener of the URI: a thousand of them store it once.
        let known = self.subscribers.get_key_value(uri).map(|(uri, _)| uri);
        let uri = known.map_or_else(|| Arc::from(uri), Arc::clone);
        let listeners = self.subscribers.entry(Arc::clone(&uri)).or_default();
        listeners.push(Arc::clone(subscriber));
        uri
    }

    fn abandoned(&mut self) -> Vec<Pending<L>> {
        let tasks = self.pending.iter();
        let old: Vec<_> =
            tasks.filter(|(_, pending)| pending.since.elapsed() > PENDING).map(|(task, _)| *task).collect();
        old.iter().filter_map(|task| self.pending.remove(task)).collect()
    }
}

impl<L> Drop for Registration<L> {
    fn drop(&mut self) {
        let mut state = self.registry.lock();
        for uri in &self.uris {
            if let Some(listeners) = state.subscribers.get_mut(uri) {
                listeners.retain(|listener| !Arc::ptr_eq(listener, &self.subscriber));
                if listeners.is_empty() {
                    state.subscribers.remove(uri);
                }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
