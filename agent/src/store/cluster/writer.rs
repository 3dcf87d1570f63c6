//! Writes status: one request at a time, the newest of each object, again until it is through.

use std::time::Duration;

use asyncai_crds::{Agent, AgentStatus, Watch, WatchStatus, contract};
use kube::api::{Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
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
    /// To be answered when all that came before is written.
    Flush(oneshot::Sender<()>),
}

/// Why a status is not written, and whether to try again.
enum Refusal {
    Transient(kube::Error),
    Final(String),
}

#[derive(Default)]
struct Queue {
    agent: Option<AgentStatus>,
    watches: Vec<(String, String, WatchStatus)>,
    flush: Vec<oneshot::Sender<()>>,
}

impl Queue {
    fn add(&mut self, write: Write) {
        match write {
            Write::Agent(status) => self.agent = Some(status),
            Write::Watch { uid, name, status } => {
                self.watches.retain(|(other, ..)| *other != uid);
                self.watches.push((uid, name, status));
            }
            Write::Flush(done) => self.flush.push(done),
        }
    }
}

/// Writes what comes until the sender is gone.
pub(super) async fn run(
    agents: Api<Agent>,
    watches: Api<Watch>,
    agent: String,
    mut incoming: mpsc::UnboundedReceiver<Write>,
) {
    let mut queue = Queue::default();
    let mut delay = FIRST_DELAY;
    while let Some(write) = incoming.recv().await {
        queue.add(write);
        loop {
            while let Ok(write) = incoming.try_recv() {
                queue.add(write);
            }
            match next(&agents, &watches, &agent, &mut queue).await {
                Ok(true) => delay = FIRST_DELAY,
                Ok(false) => break,
                Err(Refusal::Final(message)) => warn!(message, "a status was refused"),
                Err(Refusal::Transient(error)) => {
                    warn!(%error, "a status cannot be written; trying again");
                    tokio::time::sleep(delay).await;
                    delay = (delay * 2).min(LONGEST_DELAY);
                }
            }
        }
    }
}

/// Writes one; false if there is none left. What may succeed later stays in the queue.
async fn next(agents: &Api<Agent>, watches: &Api<Watch>, agent: &str, queue: &mut Queue) -> Result<bool, Refusal> {
    if let Some(status) = queue.agent.take() {
        if let Err(refusal) = apply(agents, agent, None, "Agent", &status).await {
            if matches!(refusal, Refusal::Transient(_)) {
                queue.agent = Some(status);
            }
            return Err(refusal);
        }
        return Ok(true);
    }
    if queue.watches.is_empty() {
        for done in queue.flush.drain(..) {
            let _ = done.send(());
        }
        return Ok(false);
    }
    let (uid, name, status) = queue.watches.remove(0);
    if let Err(refusal) = apply(watches, &name, Some(&uid), "Watch", &status).await {
        if matches!(refusal, Refusal::Transient(_)) {
            queue.watches.push((uid, name, status));
        }
        return Err(refusal);
    }
    Ok(true)
}

/// An apply of the whole set of our fields; those left out are given up.
async fn apply<K, S>(api: &Api<K>, name: &str, uid: Option<&str>, kind: &str, status: &S) -> Result<(), Refusal>
where
    K: Clone + DeserializeOwned + std::fmt::Debug + ResourceExt,
    S: Serialize,
{
    let body: Value = json!({
        "apiVersion": contract::API_VERSION,
        "kind": kind,
        "metadata": {"name": name, "uid": uid},
        "status": status,
    });
    let params = PatchParams::apply(contract::AGENT_MANAGER).force();
    match api.patch_status(name, &params, &Patch::Apply(&body)).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {
            // Deleted, and perhaps made anew with another UID: what we know is not about that one.
            Err(Refusal::Final(format!("{kind} {name}: {}", status.message)))
        }
        // The server does not take this body, now or later.
        Err(kube::Error::Api(status)) if matches!(status.code, 400 | 422) => {
            Err(Refusal::Final(format!("{kind} {name}: {}", status.message)))
        }
        Err(error) => Err(Refusal::Transient(error)),
    }
}
