//! A cache of one kind that tells each change as before and after, also those found by a new list after a lost watch.
//!
//! kube's predicates see one object at a time and no deletion that happened while the watch was down; a pair of before
//! and after lets the caller decide exactly what is worth a reconciliation.

use std::{collections::HashMap, fmt::Debug, pin::pin, sync::Arc};

use futures::{Stream, StreamExt};
use kube::{
    Api, Resource,
    runtime::{
        WatchStreamExt,
        reflector::{ObjectRef, Store, store::Writer},
        watcher,
    },
};
use serde::de::DeserializeOwned;

use crate::{error::said, metrics::Metrics};

/// A change of the cache: what an object was and what it is; at least one is there.
pub(crate) type Change<'a, K> = (Option<&'a K>, Option<&'a K>);

/// Lists and watches `api` for ever, and keeps `writer` equal to it.
///
/// `trim` drops what nobody reads before an object is kept; `changed` is called after the cache shows the change.
pub(crate) async fn follow<K>(
    api: Api<K>,
    config: watcher::Config,
    writer: Writer<K>,
    trim: impl Fn(&mut K),
    metrics: &Metrics,
    changed: impl FnMut(Change<'_, K>),
) where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug + Send + Sync + 'static,
{
    // A watch that nobody ends makes no requests while nothing happens.
    let events = watcher(api, config.timeout(u32::MAX)).default_backoff().modify(trim);
    keep(events, writer, metrics, changed).await;
}

/// The part of [`follow`] that needs no API server.
async fn keep<K>(
    events: impl Stream<Item = watcher::Result<watcher::Event<K>>>,
    mut writer: Writer<K>,
    metrics: &Metrics,
    mut changed: impl FnMut(Change<'_, K>),
) where
    K: Resource<DynamicType = ()> + Clone + 'static,
{
    let (store, kind) = (writer.as_reader(), K::kind(&()));
    let mut events = pin!(events);
    let mut fault = None;
    while let Some(event) = events.next().await {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                metrics.watch_failed(&kind);
                // It is tried again every second or so: one line for each fault is enough.
                let message = said(&error);
                if fault.as_ref() != Some(&message) {
                    tracing::warn!(event = "watch.failed", kind = &*kind, error = message);
                    fault = Some(message);
                }
                continue;
            }
        };
        if !matches!(event, watcher::Event::Init) && fault.take().is_some() {
            tracing::info!(event = "watch.recovered", kind = &*kind);
        }
        let count = store.len();
        match &event {
            watcher::Event::Init | watcher::Event::InitApply(_) => writer.apply_watcher_event(&event),
            watcher::Event::InitDone => {
                let before = by_ref(&store);
                writer.apply_watcher_event(&event);
                replaced(&before, &by_ref(&store), &mut changed);
            }
            watcher::Event::Apply(now) => {
                let before = store.get(&ObjectRef::from_obj(now));
                writer.apply_watcher_event(&event);
                changed((before.as_deref(), Some(now)));
            }
            watcher::Event::Delete(last) => {
                writer.apply_watcher_event(&event);
                changed((Some(last), None));
            }
        }
        metrics.cached(&kind, i64::try_from(store.len()).unwrap_or(i64::MAX) - i64::try_from(count).unwrap_or(0));
    }
}

type ByRef<K> = HashMap<ObjectRef<K>, Arc<K>>;

fn by_ref<K: Resource<DynamicType = ()> + Clone + 'static>(store: &Store<K>) -> ByRef<K> {
    store.state().into_iter().map(|object| (ObjectRef::from_obj(&*object), object)).collect()
}

fn replaced<K>(before: &ByRef<K>, after: &ByRef<K>, changed: &mut impl FnMut(Change<'_, K>))
where
    K: Resource<DynamicType = ()> + Clone + 'static,
{
    for (key, was) in before {
        if !after.contains_key(key) {
            changed((Some(was), None));
        }
    }
    for (key, is) in after {
        changed((before.get(key).map(Arc::as_ref), Some(is)));
    }
}

#[cfg(test)]
mod tests;
