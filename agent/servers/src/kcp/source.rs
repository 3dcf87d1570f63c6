//! What every watcher and tool of one server shares: connections and discovery.

use std::sync::Arc;
use std::time::Duration;

use asyncai_eventlog::Since;
use tokio::time::timeout;

use crate::kcp::client::Clients;
use crate::kcp::collection::{At, Collection};
use crate::kcp::discovery::Discovery;
use crate::kcp::error::Error;
use crate::kcp::known::Known;
use crate::kcp::live::{Live, Slot};
use crate::kcp::log::Log;
use crate::kcp::uri::Target;

/// How long the first read of a URI waits for the list it begins with.
const SEED: Duration = Duration::from_secs(30);

/// The API servers that one server can ask.
pub(crate) struct Source {
    /// The connections.
    pub(crate) clients: Clients,
    /// What they serve.
    pub(crate) discovery: Discovery,
}

impl Source {
    /// Lists what a URI names and begins its log: where the oldest reader stands, if the API server has that version.
    pub(crate) async fn seed(&self, target: &Target, since: &[&Since]) -> Result<Live, Error> {
        let seed = async {
            match self.try_seed(target, since).await {
                // A cached connection may have outlived its token.
                Err(error) if error.is_unauthorized() => {
                    let failed = self.clients.get(&target.workspace).await?;
                    self.clients.renew(&target.workspace, &failed).await?;
                    self.try_seed(target, since).await
                }
                seeded => seeded,
            }
        };
        timeout(SEED, seed).await.unwrap_or(Err(Error::Timeout { seconds: SEED.as_secs() }))
    }

    async fn try_seed(&self, target: &Target, since: &[&Since]) -> Result<Live, Error> {
        let collection = Arc::new(self.resolve(target).await?);
        let epoch = collection.upstream().epoch();
        let live =
            |(known, version)| Live { log: Log::new(epoch, known, version), collection: Arc::clone(&collection) };
        let known = since.iter().filter(|since| since.seq > 0 && same_cluster(&since.epoch, epoch));
        if let Some(oldest) = known.map(|since| since.seq).min() {
            match collection.list(At::Start(oldest)).await {
                Ok(listed) => return Ok(live(listed)),
                Err(error) if error.is_past_lost() || error.is_future_version() => {}
                Err(error) => return Err(self.explain(target, error)),
            }
        }
        match collection.list(At::Now).await {
            Ok(listed) => Ok(live(listed)),
            Err(error) => Err(self.explain(target, error)),
        }
    }

    /// Lists again with the credentials as they are now; whether there is something to tell.
    ///
    /// In any case gives back the collection to go on with.
    pub(crate) async fn relist(
        &self,
        target: &Target,
        collection: &Arc<Collection>,
        slot: &Slot,
    ) -> Result<(Arc<Collection>, bool), (Arc<Collection>, Error)> {
        let mut renewed = Arc::clone(collection);
        let relist = async {
            let upstream = self.clients.renew(&target.workspace, collection.upstream()).await?;
            renewed = Arc::new(collection.over(upstream));
            let listed = match renewed.list(At::Now).await {
                // The definition may have gone to another version.
                Err(error) if error.is_not_found() => {
                    self.discovery.forget(&target.workspace);
                    renewed = Arc::new(self.resolve(target).await?);
                    renewed.list(At::Now).await?
                }
                listed => listed?,
            };
            Ok(take_over(slot, &renewed, listed))
        };
        match relist.await {
            Ok(told) => Ok((renewed, told)),
            Err(error) => Err((renewed, error)),
        }
    }

    async fn resolve(&self, target: &Target) -> Result<Collection, Error> {
        let resource =
            self.discovery.find(&target.workspace, &self.clients, &target.resource, &["list", "watch"]).await?;
        let upstream = self.clients.get(&target.workspace).await?;
        Collection::new(upstream, &resource, target)
    }

    fn explain(&self, target: &Target, error: Error) -> Error {
        if error.is_not_found() {
            self.discovery.forget(&target.workspace);
        }
        error.with_selectors(target.label_selector.as_deref(), target.field_selector.as_deref())
    }
}

fn take_over(slot: &Slot, collection: &Arc<Collection>, (known, version): (Known, u64)) -> bool {
    let mut live = slot.lock();
    let Some(live) = live.as_mut() else { return false };
    live.collection = Arc::clone(collection);
    for uid in live.log.known().gone(&known) {
        collection.forget(uid);
    }
    let epoch = collection.upstream().epoch();
    if live.log.cluster() == epoch {
        return live.log.relist(known, version);
    }
    // The credentials now lead to another cluster, which no version of the old one says anything about.
    live.log = Log::new(epoch, known, version);
    true
}

/// Whether a reader's epoch is of the cluster called `cluster`, perhaps after its versions went back.
fn same_cluster(epoch: &str, cluster: &str) -> bool {
    epoch.strip_prefix(cluster).is_some_and(|rest| rest.is_empty() || rest.starts_with('~'))
}
