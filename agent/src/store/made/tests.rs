//! Tests of what a Watch of the model is.

use serde_json::json;

use super::*;

fn agent(uid: Option<&str>) -> Agent {
    let mut agent = Agent::new("alice", serde_json::from_value(json!({})).unwrap());
    agent.metadata.uid = uid.map(str::to_owned);
    agent
}

fn spec(uri: &str) -> WatchSpec {
    serde_json::from_value(json!({"agentRef": {"name": "x"}, "uri": uri, "onEvent": "event"})).unwrap()
}

#[test]
fn it_has_what_the_admission_policy_asks_for_and_nothing_else() {
    let made = serde_json::to_value(watch(&agent(Some("u-1")), "cm", spec("memo://notes")).unwrap()).unwrap();
    let metadata = json!({
        "name": "alice.cm",
        "labels": {"asyncai.dev/origin": "model"},
        "ownerReferences": [{"apiVersion": "asyncai.dev/v1alpha1", "kind": "Agent", "name": "alice", "uid": "u-1"}]
    });
    assert_eq!(made["metadata"], metadata);
    assert_eq!((&made["spec"]["agentRef"]["name"], &made["spec"]["onEvent"]), (&json!("alice"), &json!("event")));
    assert!(made.get("status").is_none());
}

#[test]
fn without_a_cluster_it_has_no_owner() {
    assert_eq!(watch(&agent(None), "cm", spec("memo://notes")).unwrap().metadata.owner_references, None);
}

#[test]
fn what_the_api_server_would_refuse_is_refused_before() {
    let refused = |name: &str, spec| watch(&agent(None), name, spec).unwrap_err();
    let said = refused("My Watch", spec("memo://notes"));
    assert!(said.starts_with("metadata.name: "), "{said}");
    let said = refused("cm", spec("notes"));
    assert!(said.starts_with("spec.uri: "), "{said}");
    let said = refused("cm", WatchSpec { on_event: Some("x".repeat(16_385)), ..spec("memo://notes") });
    assert!(said.starts_with("spec.onEvent: "), "{said}");
}

#[test]
fn people_take_a_watch_over_by_its_label() {
    let mut made = watch(&agent(None), "cm", spec("memo://notes")).unwrap();
    assert!(is_of_model(&made));
    made.labels_mut().insert(contract::ORIGIN_LABEL.to_owned(), contract::ORIGIN_DECLARED.to_owned());
    assert!(!is_of_model(&made));
    made.metadata.labels = None;
    assert!(!is_of_model(&made));
}
