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

#[test]
fn a_watch_becomes_a_spec_under_the_name_that_the_model_knows() {
    let spec =
        json!({"agentRef": {"name": "alice"}, "uri": "memo://notes", "debounceSeconds": 1, "initial": "Deliver"});
    let input = Roster::default().take("alice", &watch(&spec));
    let Input::Apply { spec, .. } = input else { panic!("{input:?}") };
    assert_eq!((spec.name.as_str(), spec.id.as_str(), spec.generation), ("cm", "u1", 2));
    assert_eq!(spec.debounce, Duration::from_secs(1));
    assert_eq!(spec.initial, asyncai_watch::Initial::Deliver);
}

#[test]
fn filter_and_maker_reach_the_engine() {
    let mut filtered = watch(&json!({"agentRef": {"name": "alice"}, "uri": "memo://notes", "onEvent": "1"}));
    let take = |watch: &Watch| match Roster::default().take("alice", watch) {
        Input::Apply { spec, .. } => (spec.filter.as_deref().map(str::to_owned), spec.origin),
        input => panic!("{input:?}"),
    };
    assert_eq!(take(&filtered), (Some("1".to_owned()), Origin::Declared));
    filtered.labels_mut().insert(contract::ORIGIN_LABEL.to_owned(), contract::ORIGIN_MODEL.to_owned());
    assert_eq!(take(&filtered), (Some("1".to_owned()), Origin::Model));
}

#[test]
fn a_watch_is_known_by_name_until_it_is_gone() {
    let mut roster = Roster::default();
    roster.take("alice", &watch(&json!({"agentRef": {"name": "alice"}, "uri": "memo://notes"})));
    assert_eq!(roster.name("u1"), Some("alice.cm"));
    roster.remove("u1");
    assert_eq!(roster.name("u1"), None);
}
