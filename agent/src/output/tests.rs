//! Tests of what stdout carries.

use serde_json::json;

use super::*;

fn check(format: Output, verbose: bool, name: &str, detail: bool, fields: &Value) -> String {
    let mut sink = Sink { agent: "alice".to_owned(), format, verbose, to: Vec::new() };
    sink.event(name, detail, fields);
    String::from_utf8(sink.to).unwrap()
}

#[test]
fn an_ndjson_line_has_stamp_event_agent_and_fields() {
    let line = check(Output::Ndjson, false, "watch.notice", false, &json!({"watch": "cm", "lines": ["a"]}));
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["event"], "watch.notice");
    assert_eq!(line["agent"], "alice");
    assert_eq!(line["lines"], json!(["a"]));
    line["ts"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
}

#[test]
fn most_events_are_written_only_when_verbose() {
    let fields = json!({"watch": "cm", "seq": 1, "type": "ADDED", "kept": true});
    assert_eq!(check(Output::Ndjson, false, "watch.event", true, &fields), "");
    assert!(check(Output::Ndjson, true, "watch.event", true, &fields).contains("\"kept\":true"));
}

#[test]
fn people_see_no_notices_and_replies_on_the_screen_alone() {
    assert_eq!(check(Output::Text, true, "reply.published", false, &json!({"text": "a\nb"})), "");
    assert_eq!(check(Output::Text, false, "watch.notice", false, &json!({"lines": ["a"]})), "");
    assert!(check(Output::Text, false, "watch.failed", false, &json!({"watch": "cm"})).starts_with("# watch.failed"));
}
