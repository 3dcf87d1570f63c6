//! One watch of the API server for one URI: seeds its log, follows, and comes back after every failure.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use asyncai_eventlog::Since;
use bytes::Bytes;
use futures::FutureExt as _;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::kcp::backoff::Backoff;
use crate::kcp::collection::{Collection, Event};
use crate::kcp::error::Error;
use crate::kcp::live::Live;
use crate::kcp::resume::Shared;
use crate::kcp::source::Source;
use crate::kcp::upstream::Events;
use crate::kcp::uri::Target;

/// How long a subscriber's first read is waited for, which may say from where to start.
const GRACE: Duration = Duration::from_secs(1);
/// Bookmarks come each minute: a stream that is silent for longer than this is dead.
const SILENCE: Duration = Duration::from_mins(3);
/// After this a connection counts as good.
const HEALTHY: Duration = Duration::from_secs(30);
/// At this many failures in a row readers are told.
const TOLD: u32 = 3;
/// At this many streams without a single line the API server is taken not to send bookmarks.
const MUTE: u32 = 2;
/// Events taken over at once.
const BATCH: usize = 256;

/// A running watch; ends when dropped.
pub(crate) struct Watcher {
    shared: Arc<Shared>,
    asks: mpsc::UnboundedSender<Ask>,
    task: AbortHandle,
}

/// A reader waits for the log to be seeded.
struct Ask {
    since: Option<Since>,
    reply: oneshot::Sender<Result<(), Arc<Error>>>,
}

impl Watcher {
    /// Starts to watch; `changed` is called after each new event.
    pub(crate) fn start(source: Arc<Source>, target: Target, changed: impl Fn() + Send + Sync + 'static) -> Self {
        let (asks, asked) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared::new(Arc::clone(&source), target.workspace.clone(), None));
        let task = Task {
            source,
            target,
            shared: Arc::clone(&shared),
            asked,
            changed: Box::new(changed),
            backoff: Backoff::default(),
            failures: 0,
            mute: 0,
            heard: true,
        };
        Self { shared, asks, task: tokio::spawn(task.run()).abort_handle() }
    }

    /// What a reader who stands at `since` is told; the first read waits for the seed.
    pub(crate) async fn read(&self, since: Option<&Since>) -> Result<String, Arc<Error>> {
        if let Some(body) = self.shared.answer(since).await? {
            return Ok(body);
        }
        let (reply, seeded) = oneshot::channel();
        // Nobody takes an ask that comes while the seed is put in place: then the log is there.
        if self.asks.send(Ask { since: since.cloned(), reply }).is_ok()
            && let Ok(result) = seeded.await
        {
            result?;
        }
        let ended = || Arc::new(Error::Connection("the watch has ended".to_owned()));
        self.shared.answer(since).await?.ok_or_else(ended)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Task {
    source: Arc<Source>,
    target: Target,
    shared: Arc<Shared>,
    asked: mpsc::UnboundedReceiver<Ask>,
    changed: Box<dyn Fn() + Send + Sync>,
    backoff: Backoff,
    /// In a row, since a watch last said something or was open for long.
    failures: u32,
    /// Streams in a row that never said anything.
    mute: u32,
    /// Something was heard since the last list: if its version is too old already, a newer one will do.
    heard: bool,
}

/// How a stream came to its end.
enum End {
    /// Its version is compacted, though a list of that version was answered: there is a newer one.
    Gone,
    /// For another reason.
    Failed(Error),
    /// By the API server, or the network.
    Closed,
}

impl Task {
    async fn run(mut self) {
        let mut collection = self.seed().await;
        loop {
            let end = self.watch(&collection).await;
            collection = self.recover(collection, end).await;
        }
    }

    /// Waits for a reader, who is told whether seeding worked. Without one, tries by itself.
    async fn seed(&mut self) -> Arc<Collection> {
        let mut wait = GRACE;
        loop {
            let mut asks: Vec<Ask> = timeout(wait, self.asked.recv()).await.ok().flatten().into_iter().collect();
            while let Ok(ask) = self.asked.try_recv() {
                asks.push(ask);
            }
            let since: Vec<&Since> = asks.iter().filter_map(|ask| ask.since.as_ref()).collect();
            let result = match self.source.seed(&self.target, &since).await {
                Ok(live) => {
                    let collection = Arc::clone(&live.collection);
                    *self.shared.live().lock() = Some(live);
                    Ok(collection)
                }
                Err(error) => Err(Arc::new(error)),
            };
            for ask in asks {
                let _ = ask.reply.send(result.as_ref().map(drop).map_err(Arc::clone));
            }
            match result {
                Ok(collection) => {
                    self.backoff.reset();
                    self.asked.close();
                    while self.asked.try_recv().is_ok() {}
                    return collection;
                }
                Err(error) => self.report("cannot start a watch", &error),
            }
            wait = self.backoff.next(fastrand::f64());
        }
    }

    /// Opens a stream and follows it until it ends.
    async fn watch(&mut self, collection: &Collection) -> End {
        let version = self.shared.live().lock().as_ref().map_or(0, |live| live.log.version());
        let mut events = match collection.watch(version).await {
            Ok(events) => events,
            Err(error) if error.is_gone() => return End::Gone,
            Err(error) => return End::Failed(error),
        };
        let opened = Instant::now();
        let end = self.follow(collection, &mut events).await;
        if opened.elapsed() >= HEALTHY {
            self.backoff.reset();
            self.failures = 0;
        }
        end
    }

    /// Takes events over until the stream ends.
    async fn follow(&mut self, collection: &Collection, events: &mut Events) -> End {
        loop {
            match self.listen(events).await {
                Ok(Some(line)) => {
                    self.mute = 0;
                    if let Some(end) = self.take(collection, line, events) {
                        return end;
                    }
                }
                Ok(None) => return End::Closed,
                Err(error) => return End::Failed(error),
            }
        }
    }

    /// The next line, waited for as long as a living API server may be silent.
    async fn listen(&mut self, events: &mut Events) -> Result<Option<Bytes>, Error> {
        if self.mute >= MUTE {
            return events.next().await;
        }
        if let Ok(line) = timeout(SILENCE, events.next()).await {
            return line;
        }
        self.mute += 1;
        Err(Error::Timeout { seconds: SILENCE.as_secs() })
    }

    /// Takes over a line and what else has arrived, so that readers see what belongs together at once.
    fn take(&mut self, collection: &Collection, first: Bytes, events: &mut Events) -> Option<End> {
        let mut batch = Vec::new();
        let mut end = None;
        let mut line = Some(first);
        while let Some(bytes) = line.take() {
            match collection.event(&bytes) {
                Ok(Event::Failed(error)) if error.is_gone() => end = Some(End::Gone),
                Ok(Event::Failed(error)) | Err(error) => end = Some(End::Failed(error)),
                Ok(event) => batch.push(event),
            }
            if end.is_none() && batch.len() < BATCH {
                match events.next().now_or_never() {
                    Some(Ok(next)) => line = next,
                    Some(Err(error)) => end = Some(End::Failed(error)),
                    None => {}
                }
            }
        }
        let heard = !batch.is_empty();
        if heard {
            self.heard = true;
            self.failures = 0;
        }
        let told = self.shared.live().lock().as_mut().is_some_and(|live| {
            let recovered = heard && live.log.recovered();
            apply(live, batch) || recovered
        });
        if told {
            (self.changed)();
        }
        end
    }

    /// Connects anew and lists, until that works; tells readers about what changed, and about a failure that lasts.
    async fn recover(&mut self, mut collection: Arc<Collection>, end: End) -> Arc<Collection> {
        let mut delay = match end {
            End::Gone if std::mem::take(&mut self.heard) => None,
            End::Gone | End::Closed => Some(self.backoff.next(fastrand::f64())),
            End::Failed(error) => Some(self.failed(&error)),
        };
        loop {
            if let Some(delay) = delay {
                tracing::debug!(target: "kcp", uri = %self.target.resource, ?delay, "watching again");
                sleep(delay).await;
            }
            match self.source.relist(&self.target, &collection, self.shared.live()).await {
                Ok((renewed, told)) => {
                    if told {
                        (self.changed)();
                    }
                    return renewed;
                }
                Err((renewed, error)) => {
                    collection = renewed;
                    delay = Some(self.failed(&error));
                }
            }
        }
    }

    /// Counts a failure; how long to wait.
    fn failed(&mut self, error: &Error) -> Duration {
        self.failures = self.failures.saturating_add(1);
        self.report("the watch failed", error);
        if self.failures == TOLD {
            if let Some(live) = self.shared.live().lock().as_mut() {
                live.log.fail(&error.to_string());
            }
            (self.changed)();
        }
        self.backoff.next(fastrand::f64())
    }

    fn report(&self, what: &'static str, error: &Error) {
        let Target { workspace, resource, .. } = &self.target;
        tracing::info!(target: "kcp", %workspace, resource, %error, what);
    }
}

/// Whether there is something to tell.
fn apply(live: &mut Live, batch: Vec<Event>) -> bool {
    let mut told = false;
    for event in batch {
        match event {
            Event::Change(kind, object) => told |= live.log.follow(kind, object),
            Event::Bookmark(version) => live.log.bookmark(version),
            Event::Failed(_) => {}
        }
    }
    live.log.seal();
    told
}
