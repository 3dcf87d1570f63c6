//! Answers a read: from the log where it reaches, else by asking the API server about the reader's past.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use asyncai_eventlog::Since;
use tokio::time::sleep;

use crate::kcp::collection::{At, Collection};
use crate::kcp::error::Error;
use crate::kcp::live::{Live, Slot};
use crate::kcp::log::{Answer, Log};
use crate::kcp::source::Source;
use crate::kcp::uri::Workspace;

/// After this an API server that is only a little behind has caught up.
const CATCH_UP: Duration = Duration::from_secs(1);

/// A log that a watcher fills while readers read it; none until it is seeded.
pub(crate) struct Shared {
    source: Arc<Source>,
    workspace: Workspace,
    live: Slot,
}

impl Shared {
    /// A log of objects of this workspace.
    pub(crate) fn new(source: Arc<Source>, workspace: Workspace, live: Option<Live>) -> Self {
        Self { source, workspace, live: Slot::new(live) }
    }

    /// The log itself.
    pub(crate) fn live(&self) -> &Slot {
        &self.live
    }

    /// Reads the log for a reader who stands at `since`; `None` if it is not seeded.
    pub(crate) async fn answer(&self, since: Option<&Since>) -> Result<Option<String>, Error> {
        let (answer, collection) = match &*self.live.lock() {
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
    async fn catch_up(&self, collection: &Arc<Collection>, since: &Since) -> Result<Option<String>, Error> {
        let seq = since.seq;
        match self.ask(collection, |collection| async move { collection.list(At::Past(seq)).await }).await {
            Ok((base, _)) => Ok(self.tell(|log| log.catch_up(since, &base))),
            Err(error) if error.is_past_lost() => Ok(self.tell(|log| log.compacted(since))),
            Err(error) if error.is_future_version() => Ok(self.tell(Log::reset)),
            Err(error) => Err(error),
        }
    }

    /// The reader knows a version that the log has not reached: it is to come, or of another sequence.
    async fn wait_for(&self, collection: &Arc<Collection>, since: &Since) -> Result<Option<String>, Error> {
        let seq = since.seq;
        match self.ask(collection, |collection| async move { collection.probe(seq).await }).await {
            Err(error) if error.is_future_version() => Ok(self.tell(Log::reset)),
            Err(error) if !error.is_past_lost() => Err(error),
            Ok(()) | Err(_) => Ok(Some(Log::nothing_yet(since))),
        }
    }

    /// Asks about a version; once more with other credentials if these have expired, and once more if the API server
    /// may only be a little behind.
    async fn ask<T, A: Future<Output = Result<T, Error>>>(
        &self,
        collection: &Arc<Collection>,
        question: impl Fn(Arc<Collection>) -> A,
    ) -> Result<T, Error> {
        let mut collection = Arc::clone(collection);
        let mut answer = question(Arc::clone(&collection)).await;
        if answer.as_ref().is_err_and(Error::is_unauthorized)
            && let Some(renewed) = self.renew(&collection).await?
        {
            collection = renewed;
            answer = question(Arc::clone(&collection)).await;
        }
        if answer.as_ref().is_err_and(Error::is_future_version) {
            sleep(CATCH_UP).await;
            answer = question(collection).await;
        }
        answer
    }

    /// The collection with the credentials as they are now, for later readers as well; none if they lead to another
    /// cluster, which knows nothing of this one's versions.
    async fn renew(&self, expired: &Collection) -> Result<Option<Arc<Collection>>, Error> {
        let upstream = self.source.clients.renew(&self.workspace, expired.upstream()).await?;
        if upstream.epoch() != expired.upstream().epoch() {
            return Ok(None);
        }
        let renewed = Arc::new(expired.over(upstream));
        if let Some(live) = &mut *self.live.lock()
            && Arc::ptr_eq(live.collection.upstream(), expired.upstream())
        {
            live.collection = Arc::clone(&renewed);
        }
        Ok(Some(renewed))
    }

    fn tell(&self, body: impl FnOnce(&Log) -> String) -> Option<String> {
        self.live.lock().as_ref().map(|live| body(&live.log))
    }
}
