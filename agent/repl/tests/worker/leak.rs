//! A filter that runs for a long time grows no worker.

use asyncai_repl::{Filter, Limits};
use serde_json::json;

use crate::{Echo, catalogue, program};

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
fn resident(filter: &Filter) -> i64 {
    let pages = std::fs::read_to_string(format!("/proc/{}/statm", filter.process().unwrap())).unwrap();
    pages.split_whitespace().nth(1).unwrap().parse::<i64>().unwrap() * 4096
}

/// How much the worker grows over so many events, after the first tenth of them.
async fn growth(events: usize, source: &str) -> i64 {
    let fails = source.contains("if True");
    // Long enough for the busiest machine: time is not what is looked at.
    let limits = Limits { program: program(), wall: std::time::Duration::from_mins(1), ..Limits::filter() };
    let mut filter = Filter::new(source, limits);
    let catalogue = catalogue();
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
    end - begin
}

const MOST: i64 = 2 << 20;

#[tokio::test]
async fn a_filter_does_not_grow() {
    let growth = growth(50_000, &SOURCE.replace("FAILS", "False")).await;
    assert!(growth < MOST / 4, "{growth} bytes");
}

#[tokio::test]
#[ignore = "takes a minute, in a release build"]
async fn a_million_events_leave_nothing() {
    let growth = growth(1_000_000, &SOURCE.replace("FAILS", "False")).await;
    assert!(growth < MOST, "{growth} bytes");
}

/// Each exception leaves a little: the loop has to be fed again.
#[tokio::test]
async fn a_filter_that_fails_often_grows_slowly() {
    let growth = growth(20_000, &SOURCE.replace("FAILS", "True")).await;
    assert!(growth < MOST, "{growth} bytes");
}

/// Calls, futures and the coroutine that the filter becomes leave nothing either.
#[tokio::test]
async fn a_filter_that_calls_and_awaits_does_not_grow() {
    let source = "import asyncio\nn = event['seq']\na, b = await asyncio.gather(echo(x=n), get('a'))\nc = kcp.get('b')\na['x'] if n % 2 else None";
    let growth = growth(20_000, source).await;
    assert!(growth < MOST / 4, "{growth} bytes");
}
