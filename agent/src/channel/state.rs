//! How each channel is, for the Agent's status.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

/// How a channel is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) name: String,
    /// Whether it can post.
    pub(crate) connected: bool,
    /// Why not; or what is not as it should be all the same.
    pub(crate) message: Option<String>,
}

/// How they all are.
#[derive(Clone)]
pub(super) struct States {
    channels: Arc<Mutex<BTreeMap<String, Status>>>,
    changes: mpsc::Sender<()>,
}

impl States {
    pub(super) fn new(changes: mpsc::Sender<()>) -> Self {
        Self { channels: Arc::default(), changes }
    }

    pub(super) fn status(&self) -> Vec<Status> {
        self.lock().values().cloned().collect()
    }

    /// Forgets all but `names`.
    pub(super) fn retain(&self, names: &[&str]) {
        self.lock().retain(|name, _| names.contains(&name.as_str()));
        self.tell();
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Status>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        // One that finds no room is beside another that says the same.
        let _ = self.changes.try_send(());
    }
}

/// What one channel tells of itself.
#[derive(Clone)]
pub(super) struct Reporter {
    name: String,
    states: States,
}

impl Reporter {
    /// Tells of the channel `name`, which is not connected yet.
    pub(super) fn new(states: &States, name: &str) -> Self {
        states.lock().insert(name.to_owned(), Status { name: name.to_owned(), ..Status::default() });
        Self { name: name.to_owned(), states: states.clone() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn set(&self, connected: bool, message: Option<String>) {
        // A channel that was removed may still have something to say.
        if let Some(status) = self.states.lock().get_mut(&self.name) {
            let new = Status { name: self.name.clone(), connected, message };
            if *status == new {
                return;
            }
            *status = new;
        }
        self.states.tell();
    }
}
