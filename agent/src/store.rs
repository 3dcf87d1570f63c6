//! Where Agent and Watches come from and their status goes: a cluster, or files.

pub(crate) mod cluster;
pub(crate) mod forward;
pub(crate) mod local;

use std::time::Duration;

use asyncai_crds::{Agent, AgentStatus, Watch, WatchStatus};

use crate::event::Event;

/// One of the two stores.
pub(crate) enum Store {
    /// The API server.
    Cluster(cluster::Store),
    /// Manifests, and a folder for the status.
    Local(Box<local::Store>),
}

impl Store {
    /// Takes in what the manifests hold now; what that changes is told as a cluster would.
    pub(crate) fn take(&mut self, agent: Agent, watches: Vec<Watch>) -> Vec<Event> {
        match self {
            Self::Cluster(_) => Vec::new(),
            Self::Local(store) => store.take(agent, watches),
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

    pub(crate) fn create_watch(
        &mut self,
        _agent: &Agent,
        _start: &crate::python::host::Start,
        _old: Option<&asyncai_watch::Id>,
    ) -> futures::future::BoxFuture<'static, Result<String, String>> {
        Box::pin(async { Err("not built".to_owned()) })
    }

    pub(crate) fn delete_watch(
        &mut self,
        _id: &asyncai_watch::Id,
    ) -> futures::future::BoxFuture<'static, Result<(), String>> {
        Box::pin(async { Err("not built".to_owned()) })
    }

    /// Returns when everything is saved, or after `limit`.
    pub(crate) async fn flush(self, limit: Duration) {
        match self {
            Self::Cluster(store) => store.flush(limit).await,
            Self::Local(_) => {}
        }
    }
}
