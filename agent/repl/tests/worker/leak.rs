//! A filter that runs for a long time grows no worker.

use asyncai_repl::{Catalogue, Filter, Limits};
use serde_json::json;

use crate::{Echo, program};

const SOURCE: &str = "
try: count
except NameError: count = 0
count += 1
m = event['object']['metadata']
phases = {p: m['name'] for p in event['changed']}
if count % 10 == 0: event['missing' + str(count)] if FAILS else None
f'{event[\"type\"].lower()} {m[\"namespace\"]}/{m[\"name\"]} {count} {phases}' if count % 2 else None
";

fn event(n: usize) -> String {
    json!({
        "watch": "cm", "type": "MODIFIED", "seq": n, "changed": ["status.phase", format!("data.key{n}")],
        "object": {"metadata": {"name": format!("name-{n}"), "namespace": "default", "labels": {"a": "b"}},
            "data": {format!("key{n}"): "x".repeat(n % 500)}},
    })
    .to_string()
}

/// Resident memory of the filter's worker, in bytes.
fn resident(filter: &Filter) -> u64 {
    let pages = std::fs::read_to_string(format!("/proc/{}/statm", filter.process().unwrap())).unwrap();
    pages.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// How much the worker grows over so many events, after the first tenth of them.
async fn growth(events: usize, fails: bool) -> i64 {
    let source = SOURCE.replace("FAILS", if fails { "True" } else { "False" });
    let limits = Limits { program: program(), ..Limits::filter() };
    let mut filter = Filter::new(source, limits);
    let catalogue = Catalogue::default();
    let mut begin = 0;
    for n in 1..=events {
        let line = filter.event(&event(n), &catalogue, &Echo).await;
        match line {
            Err(error) => assert!(fails && n % 10 == 0, "{n}: {error}"),
            Ok(line) => assert!((fails && n % 10 == 0) || line.is_some() == (n % 2 == 1), "{n}: {line:?}"),
        }
        if n == events / 10 {
            begin = resident(&filter);
        }
    }
    let end = resident(&filter);
    println!("{events} events: from {begin} to {end} bytes");
    i64::try_from(end).unwrap() - i64::try_from(begin).unwrap()
}

const MOST: i64 = 2 << 20;

#[tokio::test]
async fn a_filter_does_not_grow() {
    let growth = growth(50_000, false).await;
    assert!(growth < MOST / 4, "{growth} bytes");
}

#[tokio::test]
#[ignore = "takes a minute, in a release build"]
async fn a_million_events_leave_nothing() {
    let growth = growth(1_000_000, false).await;
    assert!(growth < MOST, "{growth} bytes");
}

/// Each exception leaves a little: the loop has to be fed again.
#[tokio::test]
async fn a_filter_that_fails_often_grows_slowly() {
    let growth = growth(20_000, true).await;
    assert!(growth < MOST, "{growth} bytes");
}
