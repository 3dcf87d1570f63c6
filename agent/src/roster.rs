//! The agent's Watches: which the engine runs, which are refused, and the last status of each. Pure.

use std::collections::HashMap;
use std::time::Duration;

use asyncai_crds::watch::Initial;
use asyncai_crds::{Reason, Time, Watch, WatchStatus, contract, support};
use asyncai_watch::{Id, Input, Origin, Spec, Status};
use kube::ResourceExt;

use crate::conditions;

#[cfg(test)]
mod tests;

/// The Watches by UID.
#[derive(Default)]
pub(crate) struct Roster {
    watches: HashMap<String, Entry>,
}

struct Entry {
    name: String,
    uri: String,
    status: WatchStatus,
}

/// A status to be saved.
pub(crate) struct Saved {
    pub(crate) uid: String,
    pub(crate) name: String,
    pub(crate) status: WatchStatus,
}

impl Roster {
    /// Takes in a Watch that is new or changed: an input for the engine, and a status if it is refused.
    pub(crate) fn take(&mut self, agent: &str, watch: &Watch, now: &Time) -> (Input, Option<Saved>) {
        let (uid, name) = (id(watch), watch.name_any());
        let generation = watch.metadata.generation.unwrap_or_default();
        let status = || watch.status.clone().unwrap_or_default();
        let entry =
            self.watches.entry(uid.clone()).or_insert_with(|| Entry { name, uri: String::new(), status: status() });
        entry.uri.clone_from(&watch.spec.uri);
        let unsupported = support::watch(&watch.spec);
        if unsupported.is_empty() {
            let resume = conditions::resume(&entry.status);
            return (Input::Apply { spec: spec(agent, watch), resume: Some(resume) }, None);
        }
        let message = unsupported.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        entry.status = conditions::refused(&entry.status, Reason::NotYetSupported, &message, generation, now);
        let saved = Saved { uid: uid.clone(), name: entry.name.clone(), status: entry.status.clone() };
        (Input::Remove(Id::from(uid)), Some(saved))
    }

    /// Forgets a Watch.
    pub(crate) fn remove(&mut self, uid: &str) -> Input {
        self.watches.remove(uid);
        Input::Remove(Id::from(uid))
    }

    /// Takes in what the engine says of a Watch; None if it is gone.
    pub(crate) fn status(&mut self, status: &Status, now: &Time) -> Option<Saved> {
        let entry = self.watches.get_mut(status.id.as_str())?;
        entry.status = conditions::watch(&entry.status, &entry.uri, status, now);
        Some(Saved { uid: status.id.to_string(), name: entry.name.clone(), status: entry.status.clone() })
    }

    pub(crate) fn len(&self) -> usize {
        self.watches.len()
    }
}

/// The UID; without a cluster, the name.
fn id(watch: &Watch) -> String {
    watch.uid().unwrap_or_else(|| watch.name_any())
}

/// Whether the model may replace and delete a Watch, which the API server makes sure was made by it or given to it.
fn origin(watch: &Watch) -> Origin {
    match watch.labels().get(contract::ORIGIN_LABEL).map(String::as_str) {
        Some(contract::ORIGIN_MODEL) => Origin::Model,
        _ => Origin::Declared,
    }
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
        origin: origin(watch),
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
