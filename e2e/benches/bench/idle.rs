//! What the API server is asked while nothing happens, by its own audit log.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context, Result};
use asyncai_crds::contract;
use asyncai_e2e::chart;
use asyncai_e2e::cluster::audit_log;
use asyncai_e2e::story::Story;
use serde_json::Value;
use tokio::fs;
use tokio::time::sleep;

use crate::setup::AGENT;
use crate::table::Row;

/// Until the last counts have been written to the status.
const SETTLE: Duration = Duration::from_secs(45);

/// Counts the requests of the agent and of the operator over some minutes in which nobody does anything.
pub(crate) async fn rows(story: &Story) -> Result<Vec<Row>> {
    let Some(path) = audit_log() else {
        eprintln!("no audit log: the requests of the idle are not counted (AUDIT=1 make cluster-up)");
        return Ok(Vec::new());
    };
    let minutes =
        std::env::var("BENCH_IDLE_MINUTES").map_or(Ok(5), |minutes| minutes.parse()).context("BENCH_IDLE_MINUTES")?;
    eprintln!("watching the idle for {minutes} minutes");
    sleep(SETTLE).await;
    let start = jiff::Timestamp::now();
    sleep(Duration::from_mins(minutes)).await;
    let requests = requests(&fs::read_to_string(&path).await?, start);
    let agent = format!("system:serviceaccount:{}:{}", story.namespace, contract::child_name(AGENT));
    let operator = format!("system:serviceaccount:{}:", chart::NAMESPACE);
    let row = |who: &str, account: &str| Row {
        what: format!("{who}: requests in {minutes} idle minutes"),
        ours: count(&requests, account),
        anchor: "-".to_owned(),
        ratio: None,
        target: "0",
    };
    Ok(vec![row("agent with 5 watches", &agent), row("operator", &operator)])
}

/// Account and verb of each request that came after `start`, by its id.
fn requests(log: &str, start: jiff::Timestamp) -> BTreeMap<String, (String, String)> {
    let text =
        |event: &Value, pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    log.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|event| {
            let received = text(event, "/requestReceivedTimestamp").parse::<jiff::Timestamp>();
            received.is_ok_and(|received| received > start)
        })
        .map(|event| (text(&event, "/auditID"), (text(&event, "/user/username"), text(&event, "/verb"))))
        .collect()
}

fn count(requests: &BTreeMap<String, (String, String)>, account: &str) -> String {
    let verbs: Vec<&str> =
        requests.values().filter(|(user, _)| user.starts_with(account)).map(|(_, verb)| verb.as_str()).collect();
    let kinds: BTreeSet<&str> = verbs.iter().copied().collect();
    let kinds: Vec<_> =
        kinds.iter().map(|kind| format!("{} {kind}", verbs.iter().filter(|verb| verb == &kind).count())).collect();
    if kinds.is_empty() { "0".to_owned() } else { format!("{}: {}", verbs.len(), kinds.join(", ")) }
}
