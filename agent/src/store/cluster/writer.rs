//! Writes status: one request at a time, the newest of each object, again until it is through.

use std::collections::VecDeque;
use std::time::Duration;

use asyncai_crds::{Agent, AgentStatus, Watch, WatchStatus, contract};
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tracing::warn;

const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// Something to be written.
pub(super) enum Write {
    /// What the agent says of itself.
    Agent(AgentStatus),
    /// What it says of a Watch.
    Watch { uid: String, name: String, status: WatchStatus },
    /// That Watch is gone, and perhaps another has its name.
    Forget(String),
    /// To be answered when all that came before is written.
    Flush(oneshot::Sender<()>),
}

/// Why a status is not written.
enum Refusal {
    /// It may be taken later.
    Transient(kube::Error),
    /// The object is gone.
    Gone(String),
    /// The server does not take this body, now or later.
    Invalid(String),
}

/// A status that waits.
enum Item {
    Agent(AgentStatus),
    Watch { uid: String, name: String, status: WatchStatus },
}

/// Writes what comes until the sender is gone.
pub(super) struct Writer {
    agents: Api<Agent>,
    watches: Api<Watch>,
    agent: String,
    /// The newest status of each object; one that has failed goes to the end, so that it holds up no other.
    queue: VecDeque<Item>,
    flush: Vec<oneshot::Sender<()>>,
}

impl Writer {
    pub(super) fn new(agents: Api<Agent>, watches: Api<Watch>, agent: String) -> Self {
        Self { agents, watches, agent, queue: VecDeque::new(), flush: Vec::new() }
    }

    pub(super) async fn run(mut self, mut incoming: mpsc::UnboundedReceiver<Write>) {
        let mut delay = FIRST_DELAY;
        loop {
            while let Ok(write) = incoming.try_recv() {
                self.add(write);
            }
            let Some(item) = self.queue.pop_front() else {
                for done in self.flush.drain(..) {
                    let _ = done.send(());
                }
                let Some(write) = incoming.recv().await else { return };
                self.add(write);
                continue;
            };
            match self.write(&item).await {
                Ok(()) => delay = FIRST_DELAY,
                Err(Refusal::Gone(message) | Refusal::Invalid(message)) => warn!(message, "a status was refused"),
                Err(Refusal::Transient(error)) => {
                    warn!(%error, "a status cannot be written; trying again");
                    self.queue.push_back(item);
                    self.pause(delay, &mut incoming).await;
                    delay = (delay * 2).min(LONGEST_DELAY);
                }
            }
        }
    }

    /// Waits before the next attempt, but not while somebody waits for the last one.
    async fn pause(&mut self, delay: Duration, incoming: &mut mpsc::UnboundedReceiver<Write>) {
        let over = tokio::time::sleep(if self.flush.is_empty() { delay } else { FIRST_DELAY });
        tokio::pin!(over);
        loop {
            let write = tokio::select! {
                () = &mut over => return,
                Some(write) = incoming.recv() => write,
            };
            let flush = matches!(write, Write::Flush(_));
            self.add(write);
            if flush {
                return;
            }
        }
    }

    /// A status that is put back after a newer one came would undo it, so the newer one replaces it.
    fn add(&mut self, write: Write) {
        match write {
            Write::Agent(status) => {
                self.queue.retain(|item| !matches!(item, Item::Agent(_)));
                self.queue.push_back(Item::Agent(status));
            }
            Write::Watch { uid, name, status } => {
                self.forget(&uid);
                self.queue.push_back(Item::Watch { uid, name, status });
            }
            Write::Forget(uid) => self.forget(&uid),
            Write::Flush(done) => self.flush.push(done),
        }
    }

    fn forget(&mut self, gone: &str) {
        self.queue.retain(|item| !matches!(item, Item::Watch { uid, .. } if uid == gone));
    }

    async fn write(&self, item: &Item) -> Result<(), Refusal> {
        match item {
            Item::Agent(status) => apply(&self.agents, &self.agent, "Agent", status).await,
            Item::Watch { name, status, .. } => match apply(&self.watches, name, "Watch", status).await {
                Err(Refusal::Invalid(_)) if status.cursor.is_some() => {
                    // The cursor of another resource may be lower, which the API server takes for a rewind unless
                    // there was none in between.
                    let without = WatchStatus { cursor: None, ..status.clone() };
                    apply(&self.watches, name, "Watch", &without).await?;
                    apply(&self.watches, name, "Watch", status).await
                }
                result => result,
            },
        }
    }
}

/// An apply of the whole set of our fields; those left out are given up. It goes by the name: the API server does not
/// compare a UID here, so what is known of a deleted object must be forgotten before.
async fn apply<K, S>(api: &Api<K>, name: &str, kind: &str, status: &S) -> Result<(), Refusal>
where
    K: Clone + DeserializeOwned + std::fmt::Debug,
    S: Serialize,
{
    let body = json!({
        "apiVersion": contract::API_VERSION,
        "kind": kind,
        "metadata": {"name": name},
        "status": status,
    });
    let params = PatchParams::apply(contract::AGENT_MANAGER).force();
    match api.patch_status(name, &params, &Patch::Apply(&body)).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {
            Err(Refusal::Gone(format!("{kind} {name}: {}", status.message)))
        }
        Err(kube::Error::Api(status)) if matches!(status.code, 400 | 422) => {
            Err(Refusal::Invalid(format!("{kind} {name}: {}", status.message)))
        }
        Err(error) => Err(Refusal::Transient(error)),
    }
}
