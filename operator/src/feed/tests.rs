//! Each change is told once, also what a new list brings to light.

use asyncai_crds::Watch;
use futures::stream;
use kube::{
    ResourceExt,
    runtime::{
        reflector,
        watcher::{Error, Event},
    },
};

use super::keep;
use crate::{fixtures::watch, metrics::Metrics};

fn version(name: &str, version: &str) -> Watch {
    let mut watch = watch(name, "alice");
    watch.metadata.resource_version = Some(version.into());
    watch
}

/// Every change that is told while these events come: `name before -> after`, sorted within a list.
async fn told(events: Vec<Result<Event<Watch>, Error>>) -> (Vec<String>, usize, Metrics) {
    let (store, writer) = reflector::store();
    let metrics = Metrics::new().unwrap();
    let mut told = Vec::new();
    keep(stream::iter(events), writer, &metrics, |(before, after)| {
        let version = |watch: Option<&Watch>| watch.map_or("-".into(), |watch| watch.resource_version().unwrap());
        let name = before.or(after).unwrap().name_any();
        // The cache already shows it.
        assert_eq!(store.state().iter().any(|watch| watch.name_any() == name), after.is_some());
        told.push(format!("{name} {} -> {}", version(before), version(after)));
    })
    .await;
    (told, store.len(), metrics)
}

fn list(objects: &[Watch]) -> Vec<Result<Event<Watch>, Error>> {
    let items = objects.iter().cloned().map(Event::InitApply);
    [Event::Init].into_iter().chain(items).chain([Event::InitDone]).map(Ok).collect()
}

#[tokio::test]
async fn a_list_tells_what_is_there() {
    let (mut changes, count, _) = told(list(&[version("a", "1"), version("b", "2")])).await;
    changes.sort();
    assert_eq!((changes, count), (vec!["a - -> 1".into(), "b - -> 2".into()], 2));
}

#[tokio::test]
async fn changes_come_with_what_was_before() {
    let mut events = list(&[version("a", "1")]);
    events.extend([
        Ok(Event::Apply(version("a", "2"))),
        Ok(Event::Apply(version("b", "3"))),
        Ok(Event::Delete(version("a", "4"))),
    ]);
    let (changes, count, _) = told(events).await;
    assert_eq!(changes, ["a - -> 1", "a 1 -> 2", "b - -> 3", "a 4 -> -"]);
    assert_eq!(count, 1);
}

#[tokio::test]
async fn what_was_deleted_while_the_watch_was_down_is_told_by_the_next_list() {
    let mut events = list(&[version("a", "1"), version("b", "1")]);
    events.extend(list(&[version("b", "2"), version("c", "3")]));
    let (mut changes, count, _) = told(events).await;
    changes.drain(..2);
    changes.sort();
    assert_eq!(changes, ["a 1 -> -", "b 1 -> 2", "c - -> 3"]);
    assert_eq!(count, 2);
}

#[tokio::test]
async fn a_list_that_breaks_off_changes_nothing() {
    let mut events = list(&[version("a", "1")]);
    events.extend([Ok(Event::Init), Ok(Event::InitApply(version("b", "2"))), Err(Error::NoResourceVersion)]);
    events.extend(list(&[version("a", "1")]));
    let (changes, count, metrics) = told(events).await;
    assert_eq!(changes, ["a - -> 1", "a 1 -> 1"]);
    assert_eq!(count, 1);
    let metrics = metrics.render();
    assert!(metrics.contains(r#"watch_errors_total{kind="Watch"} 1"#), "{metrics}");
    assert!(metrics.contains(r#"cached_objects{kind="Watch"} 1"#), "{metrics}");
}
