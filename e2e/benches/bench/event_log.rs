//! Reading an event log after one event: what the server and the reader spend, beside doing it the plain way.

use std::collections::BTreeMap;
use std::hint::black_box;

use asyncai_eventlog::{Body, Ring, Since};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::stats::{Ratio, median};
use crate::table::Row;

const EVENTS: u64 = 256;
const ROUNDS: usize = 7;
const REPEATS: u32 = 20;
const EPOCH: &str = "7c2f5f0e-6f5c-4d7a-9f5d-1b1f0a3c9d11";

/// Measures both ends on a ring of 256 events of 2.4 KB, object and `old`.
pub(crate) fn rows() -> Vec<Row> {
    let events: Vec<Value> = (1..=EVENTS).map(event).collect();
    let mut ring = Ring::new(256, 0);
    for (seq, event) in (1..).zip(&events) {
        ring.push(seq, text(event));
    }
    let since = Since { epoch: EPOCH.to_owned(), seq: EVENTS - 1 };
    let (whole, news) = (ring.body(Some(EPOCH), None), ring.body(Some(EPOCH), Some(&since)));
    let plain_server = || serde_json::to_string(&BTreeMap::from([("events", &events)])).map_or(0, |body| body.len());
    let plain_reader =
        || serde_json::from_str::<Value>(&whole).map_or(0, |body| body["events"].as_array().map_or(0, Vec::len));
    vec![
        row(
            "event log of 256 x 2.4 KB, one new: server",
            "serialise all",
            "<= 0.01x",
            || ring.body(Some(EPOCH), Some(&since)).len(),
            plain_server,
        ),
        row("event log, one new: reader that says where it is", "parse all", "<= 0.05x", || read(&news), plain_reader),
        row("event log, one new: reader of a plain server", "parse all", "<= 0.05x", || read(&whole), plain_reader),
    ]
}

/// An update of an object whose text, with the one before, has about 2.4 KB.
fn event(seq: u64) -> Value {
    let object = |version: u64| {
        let labels: Value = (0..12).map(|n| (format!("label-{n}"), json!(format!("value-{n}-{version}")))).collect();
        let data: Value = (0..12)
            .map(|n| (format!("key-{n}"), json!(format!("{n} of version {version}: {}", "x".repeat(40)))))
            .collect();
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": data,
            "metadata": {"name": "settings", "namespace": "default", "resourceVersion": version.to_string(), "labels": labels}})
    };
    json!({"seq": seq, "type": "MODIFIED", "object": object(seq), "old": object(seq - 1)})
}

/// The event as servers mostly write it, `seq` first.
fn text(event: &Value) -> String {
    let part = |key: &str| event[key].to_string();
    let (seq, kind, object, old) = (part("seq"), part("type"), part("object"), part("old"));
    format!(r#"{{"seq":{seq},"type":{kind},"object":{object},"old":{old}}}"#)
}

/// Reads a body as the agent does: the newest event alone is parsed.
fn read(body: &str) -> usize {
    let Ok(body) = Body::read(body) else { return 0 };
    let newest = body.events.last().and_then(|event| serde_json::from_str::<Value>(event.json.get()).ok());
    newest.map_or(0, |event| event["object"]["data"].as_object().map_or(0, serde_json::Map::len))
}

fn row(what: &str, anchor: &str, target: &'static str, ours: impl Fn() -> usize, theirs: impl Fn() -> usize) -> Row {
    let rounds: Vec<_> = (0..ROUNDS).map(|_| (micros(&ours), micros(&theirs))).collect();
    let (ours, theirs): (Vec<f64>, Vec<f64>) = rounds.iter().copied().unzip();
    Row {
        what: what.to_owned(),
        ours: format!("{:.1} us", median(&ours)),
        anchor: format!("{anchor} {:.0} us", median(&theirs)),
        ratio: Some(Ratio::of(&rounds)),
        target,
    }
}

/// CPU time of a call on this thread, which a loaded machine does not stretch.
fn micros(work: impl Fn() -> usize) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        #[expect(clippy::cast_precision_loss, reason = "CPU time of a short run")]
        let micros = (time.tv_sec * 1_000_000) as f64 + time.tv_nsec as f64 / 1_000.0;
        micros
    };
    let start = now();
    for _ in 0..REPEATS {
        black_box(work());
    }
    (now() - start) / f64::from(REPEATS)
}
