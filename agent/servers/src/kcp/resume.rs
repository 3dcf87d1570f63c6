//! Answers a read: from the log where it reaches, else by asking the API server about the reader's past.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use asyncai_eventlog::Since;

use crate::kcp::collection::{At, Collection};
use crate::kcp::error::Error;
use crate::kcp::log::{Answer, Log};

/// After this an API server that is only a little behind has caught up.
const CATCH_UP: Duration = Duration::from_secs(1);

/// A log and where it comes from.
pub(crate) struct Live {
    /// What readers are told.
    pub(crate) log: Log,
    /// Where it comes from; another one after each reconnect.
    pub(crate) collection: Arc<Collection>,
}

/// A log that a watcher fills while readers read it; none until it is seeded.
#[derive(Default)]
pub(crate) struct Shared(Mutex<Option<Live>>);

impl Shared {
    /// A log that is seeded already.
    pub(crate) fn seeded(live: Live) -> Self {
        Self(Mutex::new(Some(live)))
    }

    /// The log itself. The lock is held for as long as it takes to copy a body, never over a request.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<Live>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the log for a reader who stands at `since`; `None` if it is not seeded.
    pub(crate) async fn answer(&self, since: Option<&Since>) -> Result<Option<String>, Error> {
        let (answer, collection) = match &*self.lock() {
            None => return Ok(None),
            Some(live) => (live.log.answer(since), Arc::clone(&live.collection)),
        };
        match (answer, since) {
            (Answer::Body(body), _) => Ok(Some(body)),
            (Answer::Behind, Some(since)) => self.catch_up(&collection, since).await,
            (Answer::Ahead, Some(since)) => self.wait_for(&collection, since).await,
            (Answer::Behind | Answer::Ahead, None) => Ok(None),
        }
    }

    /// The reader missed events: compares the state it knew with the newest.
    async fn catch_up(&self, collection: &Collection, since: &Since) -> Result<Option<String>, Error> {
        match collection.list(At::Past(since.seq)).await {
            Ok((base, _)) => Ok(self.tell(|log| log.catch_up(since, &base))),
            Err(error) if error.is_past_lost() => Ok(self.tell(|log| log.compacted(since))),
            Err(error) if error.is_future_version() => Ok(self.tell(Log::reset)),
            Err(error) => Err(error),
        }
    }

    /// The reader knows a version that the log has not reached: it is to come, or of another sequence.
    async fn wait_for(&self, collection: &Collection, since: &Since) -> Result<Option<String>, Error> {
        let mut probed = collection.probe(since.seq).await;
        if probed.as_ref().is_err_and(Error::is_future_version) {
            tokio::time::sleep(CATCH_UP).await;
            probed = collection.probe(since.seq).await;
        }
        match probed {
            Err(error) if error.is_future_version() => Ok(self.tell(Log::reset)),
            Err(error) if !error.is_past_lost() => Err(error),
            Ok(()) | Err(_) => Ok(Some(Log::nothing_yet(since))),
        }
    }

    fn tell(&self, body: impl FnOnce(&Log) -> String) -> Option<String> {
        self.lock().as_ref().map(|live| body(&live.log))
    }
}
