//! Tests of taking Watches in.

use serde_json::{Value, json};

use super::*;

fn watch(spec: &Value) -> Watch {
    let manifest = json!({
        "apiVersion": "asyncai.dev/v1alpha1",
        "kind": "Watch",
        "metadata": {"name": "alice.cm", "uid": "u1", "generation": 2},
        "spec": spec,
    });
    serde_json::from_value(manifest).unwrap()
}

fn now() -> Time {
    Time(jiff::Timestamp::UNIX_EPOCH)
}

#[test]
fn a_watch_becomes_a_spec_under_the_name_that_the_model_knows() {
    let spec =
        json!({"agentRef": {"name": "alice"}, "uri": "memo://notes", "debounceSeconds": 1, "initial": "Deliver"});
    let (input, refused) = Roster::default().take("alice", &watch(&spec), &now());
    let Input::Apply { spec, .. } = input else { panic!("{input:?}") };
    assert!(refused.is_none());
    assert_eq!((spec.name.as_str(), spec.id.as_str(), spec.generation), ("cm", "u1", 2));
    assert_eq!(spec.debounce, Duration::from_secs(1));
    assert_eq!(spec.initial, asyncai_watch::Initial::Deliver);
}

#[test]
fn a_filter_is_refused_and_a_running_watch_stops() {
    let mut roster = Roster::default();
    roster.take("alice", &watch(&json!({"agentRef": {"name": "alice"}, "uri": "memo://notes"})), &now());
    let spec = json!({"agentRef": {"name": "alice"}, "uri": "memo://notes", "onEvent": "1"});
    let (input, refused) = roster.take("alice", &watch(&spec), &now());
    assert!(matches!(input, Input::Remove(_)));
    let refused = refused.unwrap();
    assert_eq!(refused.name, "alice.cm");
    assert_eq!(refused.status.conditions[0].reason, "NotYetSupported");
    assert!(refused.status.conditions[0].message.contains("spec.onEvent"));
}
