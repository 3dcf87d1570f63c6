//! Where Agent and Watches come from and their status goes: a cluster, or files.

pub(crate) mod cluster;
pub(crate) mod forward;
pub(crate) mod local;
pub(crate) mod made;

use std::time::Duration;

use asyncai_crds::{Agent, AgentStatus, Watch, WatchStatus};
use futures::future::{BoxFuture, FutureExt as _};

use crate::event::Event;

/// One of the two stores.
pub(crate) enum Store {
    /// The API server.
    Cluster(Box<cluster::Store>),
    /// Manifests, and a folder for the status.
    Local(Box<local::Store>),
}

/// A change of the Watches: what is known of it at once, and what will have come of it.
pub(crate) type Change<T> = (Vec<Event>, BoxFuture<'static, Result<T, String>>);

impl Store {
    /// Takes in what the manifests hold now; what that changes is told as a cluster would.
    pub(crate) fn take(&mut self, agent: Agent, watches: Vec<Watch>) -> Vec<Event> {
        match self {
            Self::Cluster(_) => Vec::new(),
            Self::Local(store) => store.take(agent, watches),
        }
    }

    /// Saves a Watch that the model made, as [`made::watch`] gives it; the one of the UID `replaces`, which has the same
    /// name, is deleted before. The future yields the UID (without a cluster: the name) under which [`Event::Watch`] tells
    /// of it, or what the store says against it, in a line. What is known at once of the change is told at once.
    pub(crate) fn create_watch(&mut self, watch: Watch, replaces: Option<String>) -> Change<String> {
        match self {
            Self::Cluster(store) => (Vec::new(), store.create_watch(watch, replaces).boxed()),
            Self::Local(store) => told(store.create_watch(watch)),
        }
    }

    /// Deletes the Watch `name` of that UID, which the model made; [`Event::WatchGone`] tells of it. One that is gone
    /// already is no error.
    pub(crate) fn delete_watch(&mut self, name: &str, uid: &str) -> Change<()> {
        match self {
            Self::Cluster(store) => (Vec::new(), store.delete_watch(name, uid).boxed()),
            Self::Local(store) => told(store.delete_watch(name)),
        }
    }

    /// Saves what the agent says of itself.
    pub(crate) fn save_agent(&mut self, status: AgentStatus) {
        match self {
            Self::Cluster(store) => store.save_agent(status),
            Self::Local(store) => store.save_agent(status),
        }
    }

    /// Saves what the agent says of the Watch `name`, of that UID.
    pub(crate) fn save_watch(&mut self, uid: &str, name: &str, status: WatchStatus) {
        match self {
            Self::Cluster(store) => store.save_watch(uid, name, status),
            Self::Local(store) => store.save_watch(name, status),
        }
    }

    /// The Watch of that UID is gone: nothing more is saved of it.
    pub(crate) fn forget_watch(&mut self, uid: &str) {
        match self {
            Self::Cluster(store) => store.forget_watch(uid),
            Self::Local(_) => {}
        }
    }

    /// Returns when everything is saved, or after `limit`.
    pub(crate) async fn flush(self, limit: Duration) {
        match self {
            Self::Cluster(store) => store.flush(limit).await,
            Self::Local(_) => {}
        }
    }
}

/// A change that is made already.
fn told<T: Send + 'static>(made: Result<(T, Vec<Event>), String>) -> Change<T> {
    let (result, events) = match made {
        Ok((value, events)) => (Ok(value), events),
        Err(message) => (Err(message), Vec::new()),
    };
    (events, std::future::ready(result).boxed())
}
