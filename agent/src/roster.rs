//! The agent's Watches: what the engine is told of them, and the last status of each. Pure.

use std::collections::HashMap;
use std::time::Duration;

use asyncai_crds::watch::Initial;
use asyncai_crds::{Time, Watch, WatchSpec, WatchStatus, contract};
use asyncai_watch::{Id, Input, Origin, Spec, Status};
use kube::ResourceExt;

use crate::conditions;
use crate::store::made;

#[cfg(test)]
mod tests;

/// The Watches by UID.
#[derive(Default)]
pub(crate) struct Roster {
    watches: HashMap<String, Entry>,
}

struct Entry {
    name: String,
    spec: WatchSpec,
    status: WatchStatus,
}

/// A status to be saved.
pub(crate) struct Saved {
    pub(crate) uid: String,
    pub(crate) name: String,
    pub(crate) status: WatchStatus,
}

impl Roster {
    /// Takes in a Watch that is new or changed: an input for the engine.
    pub(crate) fn take(&mut self, agent: &str, watch: &Watch) -> Input {
        let entry = self.watches.entry(id(watch)).or_insert_with(|| Entry {
            name: watch.name_any(),
            spec: watch.spec.clone(),
            status: watch.status.clone().unwrap_or_default(),
        });
        entry.spec.clone_from(&watch.spec);
        Input::Apply { spec: spec(agent, watch), resume: Some(conditions::resume(&entry.status)) }
    }

    /// Forgets a Watch.
    pub(crate) fn remove(&mut self, uid: &str) -> Input {
        self.watches.remove(uid);
        Input::Remove(Id::from(uid))
    }

    /// Takes in what the engine says of a Watch; None if it is gone.
    pub(crate) fn status(&mut self, status: &Status, now: &Time) -> Option<Saved> {
        let entry = self.watches.get_mut(status.id.as_str())?;
        entry.status = conditions::watch(&entry.status, &entry.spec.uri, status, now);
        Some(Saved { uid: status.id.to_string(), name: entry.name.clone(), status: entry.status.clone() })
    }

    /// The name of the Watch of a UID, for the store.
    pub(crate) fn name(&self, uid: &str) -> Option<&str> {
        self.watches.get(uid).map(|entry| entry.name.as_str())
    }

    /// What the Watch of that UID says now.
    pub(crate) fn spec(&self, uid: &str) -> Option<&WatchSpec> {
        self.watches.get(uid).map(|entry| &entry.spec)
    }

    pub(crate) fn len(&self) -> usize {
        self.watches.len()
    }
}

/// The UID; without a cluster, the name.
fn id(watch: &Watch) -> String {
    watch.uid().unwrap_or_else(|| watch.name_any())
}

fn spec(agent: &str, watch: &Watch) -> Spec {
    let of = &watch.spec;
    let seconds = |seconds: u32| Duration::from_secs(seconds.into());
    Spec {
        id: Id::from(id(watch)),
        name: contract::watch_alias(agent, &watch.name_any()).to_owned(),
        uri: of.uri.clone(),
        server: of.server.clone(),
        filter: of.on_event.as_deref().map(Into::into),
        origin: if made::is_of_model(watch) { Origin::Model } else { Origin::Declared },
        instructions: of.instructions.clone(),
        initial: match of.initial {
            Initial::Skip => asyncai_watch::Initial::Skip,
            Initial::Deliver => asyncai_watch::Initial::Deliver,
        },
        debounce: seconds(of.debounce_seconds),
        max_wait: seconds(of.max_wait_seconds),
        max_notices_per_hour: of.max_notices_per_hour,
        suspend: of.suspend,
        generation: watch.metadata.generation.unwrap_or_default(),
        created: watch.metadata.creation_timestamp.as_ref().map_or(0, |time| time.0.as_second()),
    }
}
