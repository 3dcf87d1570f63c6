//! The store of a cluster: Agent and Watches in by watching them, status out by server-side apply.

use std::collections::HashMap;
use std::time::Duration;

use asyncai_crds::{Agent, AgentStatus, Watch, WatchStatus};
use futures::{Stream, StreamExt, pin_mut};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event as Seen, watcher};
use kube::{Api, Client, ResourceExt};
use tokio::sync::{mpsc, oneshot};
use tracing::warn;

use crate::conditions;
use crate::event::Event;
use crate::store::cluster::writer::{Write, Writer};
use crate::store::made;

mod model;
#[cfg(test)]
mod tests;
mod writer;

/// A client of the pod's own cluster, or of the one that the kubeconfig names.
pub(crate) async fn connect() -> anyhow::Result<Client> {
    Ok(asyncai_servers::kcp::client(&kube::Config::infer().await?)?)
}

/// The agent's place in a cluster.
pub(crate) struct Store {
    writes: mpsc::UnboundedSender<Write>,
    watches: Api<Watch>,
}

impl Store {
    /// Watches the Agent `name` and its Watches; what comes goes to `events`.
    pub(crate) fn open(client: &Client, namespace: &str, name: &str, events: &mpsc::Sender<Event>) -> Self {
        let agents: Api<Agent> = Api::namespaced(client.clone(), namespace);
        let watches: Api<Watch> = Api::namespaced(client.clone(), namespace);
        // Without a timeout of its own an idle watch makes no requests.
        let config = watcher::Config::default().timeout(u32::MAX);
        let agent = watcher(agents.clone(), config.clone().fields(&format!("metadata.name={name}")));
        let of_agent = watcher(watches.clone(), config.fields(&format!("spec.agentRef.name={name}")));
        tokio::spawn(follow_agent(agent.default_backoff(), events.clone()));
        tokio::spawn(follow_watches(of_agent.default_backoff(), events.clone()));
        let (writes, queue) = mpsc::unbounded_channel();
        tokio::spawn(Writer::new(agents, watches.clone(), name.to_owned()).run(queue));
        Self { writes, watches }
    }

    pub(crate) fn create_watch(
        &self,
        watch: Watch,
        replaces: Option<String>,
    ) -> impl Future<Output = Result<String, String>> + Send + use<> {
        model::create(self.watches.clone(), watch, replaces)
    }

    pub(crate) fn delete_watch(
        &self,
        name: &str,
        uid: &str,
    ) -> impl Future<Output = Result<(), String>> + Send + use<> {
        model::delete(self.watches.clone(), name.to_owned(), uid.to_owned())
    }

    pub(crate) fn save_agent(&self, status: AgentStatus) {
        let _ = self.writes.send(Write::Agent(status));
    }

    pub(crate) fn save_watch(&self, uid: &str, name: &str, status: WatchStatus) {
        let _ = self.writes.send(Write::Watch { uid: uid.to_owned(), name: name.to_owned(), status });
    }

    pub(crate) fn forget_watch(&self, uid: &str) {
        let _ = self.writes.send(Write::Forget(uid.to_owned()));
    }

    pub(crate) async fn flush(self, limit: Duration) {
        let (done, flushed) = oneshot::channel();
        let _ = self.writes.send(Write::Flush(done));
        if tokio::time::timeout(limit, flushed).await.is_err() {
            warn!("not every status was saved; the next pod may repeat what was told");
        }
    }
}

async fn follow_agent(stream: impl Stream<Item = Result<Seen<Agent>, watcher::Error>>, events: mpsc::Sender<Event>) {
    pin_mut!(stream);
    let mut known = None;
    let mut listed = false;
    while let Some(seen) = stream.next().await {
        let event = match seen {
            Ok(Seen::Apply(agent) | Seen::InitApply(agent)) => {
                listed = true;
                // The rest of the status is our own word, or the operator's about us.
                let now = (agent.uid(), agent.metadata.generation, conditions::may_manage(&agent).is_ok());
                if known.replace(now.clone()) == Some(now) {
                    continue;
                }
                Event::Agent(Box::new(agent))
            }
            Ok(Seen::Init) => {
                listed = false;
                continue;
            }
            Ok(Seen::InitDone) if listed => continue,
            Ok(Seen::InitDone | Seen::Delete(_)) => {
                known = None;
                Event::AgentGone
            }
            Err(error) => {
                warn!(%error, "the Agent cannot be watched; trying again");
                continue;
            }
        };
        if events.send(event).await.is_err() {
            return;
        }
    }
}

async fn follow_watches(stream: impl Stream<Item = Result<Seen<Watch>, watcher::Error>>, events: mpsc::Sender<Event>) {
    pin_mut!(stream);
    let mut known = Known::default();
    while let Some(seen) = stream.next().await {
        let news = match seen {
            Ok(seen) => known.take(seen),
            Err(error) => {
                warn!(%error, "the Watches cannot be watched; trying again");
                continue;
            }
        };
        for event in news {
            if events.send(event).await.is_err() {
                return;
            }
        }
    }
}

/// Which Watches there are, so that each change of a spec, or of who answers for it, is told once and a disappearance in
/// a gap is told too.
#[derive(Default)]
struct Known {
    versions: HashMap<String, (Option<i64>, bool)>,
    /// UIDs met in the listing that is under way.
    listing: Vec<String>,
    listed: bool,
}

impl Known {
    fn take(&mut self, seen: Seen<Watch>) -> Vec<Event> {
        match seen {
            Seen::Init => {
                self.listing.clear();
                Vec::new()
            }
            Seen::InitApply(watch) => {
                self.listing.extend(watch.uid());
                self.changed(watch)
            }
            Seen::Apply(watch) => self.changed(watch),
            Seen::Delete(watch) => {
                let uid = watch.uid().unwrap_or_default();
                self.versions.remove(&uid).map(|_| Event::WatchGone(uid)).into_iter().collect()
            }
            Seen::InitDone => {
                let gone = self.versions.keys().filter(|uid| !self.listing.contains(uid)).cloned().collect::<Vec<_>>();
                self.versions.retain(|uid, _| self.listing.contains(uid));
                let first = !std::mem::replace(&mut self.listed, true);
                gone.into_iter().map(Event::WatchGone).chain(first.then_some(Event::Listed)).collect()
            }
        }
    }

    fn changed(&mut self, watch: Watch) -> Vec<Event> {
        let (uid, version) = (watch.uid().unwrap_or_default(), (watch.metadata.generation, made::is_of_model(&watch)));
        if self.versions.insert(uid, version) == Some(version) {
            return Vec::new();
        }
        vec![Event::Watch(Box::new(watch))]
    }
}
