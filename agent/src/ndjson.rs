//! A line of what programs read: when, what, of which agent, and the fields of the event.

use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Serialize)]
struct Line<'a> {
    ts: jiff::Timestamp,
    event: &'a str,
    agent: &'a str,
    #[serde(flatten)]
    fields: Option<&'a Map<String, Value>>,
}

/// The line of an event that happens now, without its end.
pub(crate) fn line(agent: &str, event: &str, fields: Option<&Map<String, Value>>) -> Option<String> {
    serde_json::to_string(&Line { ts: jiff::Timestamp::now(), event, agent, fields }).ok()
}
