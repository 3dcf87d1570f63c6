//! Tests of what is said of an agent that cannot be talked to.

use serde_json::{Value, json};

use super::*;

fn agent(status: Value) -> Agent {
    let agent = json!({"apiVersion": contract::API_VERSION, "kind": "Agent", "metadata": {"name": "alice"},
        "spec": {}, "status": status});
    serde_json::from_value(agent).unwrap()
}

fn pod(status: Value) -> Option<String> {
    let pod = json!({"metadata": {"name": "asyncai-agent-alice-0"}, "status": status});
    trouble(&agent(json!({})), Some(&serde_json::from_value(pod).unwrap()))
}

fn container(state: Value) -> Value {
    json!({"containerStatuses": [{"name": "agent", "image": "i", "imageID": "", "ready": false, "restartCount": 0,
        "state": state}]})
}

#[test]
fn a_running_agent_can_be_talked_to() {
    assert_eq!(pod(container(json!({"running": {}}))), None);
}

#[test]
fn a_pod_that_does_not_run_says_why() {
    let waiting = container(json!({"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}));
    assert_eq!(pod(waiting).unwrap(), "its pod asyncai-agent-alice-0 waits: ImagePullBackOff: no such image");
    let ended = container(json!({"terminated": {"exitCode": 1, "reason": "Error", "message": "no such Secret"}}));
    assert_eq!(pod(ended).unwrap(), "its pod asyncai-agent-alice-0 ended with status 1: Error: no such Secret");
    let unscheduled = json!({"phase": "Pending", "conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes"}]});
    assert_eq!(pod(unscheduled).unwrap(), "its pod asyncai-agent-alice-0 is Pending: Unschedulable: 0/1 nodes");
}

#[test]
fn an_agent_without_a_pod_tells_what_the_operator_says() {
    let condition = json!({"type": "Accepted", "status": "False", "reason": "NoModel", "message": "spec.model is not set",
        "lastTransitionTime": "2026-11-30T00:00:00Z"});
    let refused = agent(json!({"conditions": [condition]}));
    let said = trouble(&refused, None).unwrap();
    assert_eq!(said, "it has no pod: Accepted is False, NoModel: spec.model is not set");
    assert_eq!(trouble(&agent(json!({})), None).unwrap(), "it has no pod: no operator has seen it yet");
}

#[test]
fn an_unknown_agent_is_answered_with_those_there_are() {
    let error = |similar: &[&str], others: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let (similar, others) = (owned(similar), owned(others));
        Error::NoAgent { agent: "alise".to_owned(), namespace: "ops".to_owned(), similar, others }.to_string()
    };
    assert_eq!(
        error(&["alice"], &["alice", "bob"]),
        "there is no Agent \"alise\" in namespace \"ops\"; did you mean alice?"
    );
    assert!(error(&[], &["bob", "carol"]).ends_with("; there are: bob, carol"));
    assert!(error(&[], &[]).ends_with("\"ops\""));
}

#[test]
fn a_refusal_names_the_right_that_is_missing() {
    let denied = kube::Error::UpgradeConnection(UpgradeConnectionError::ProtocolSwitch(http::StatusCode::FORBIDDEN));
    let said = refused("forward a port to pods", "ops", denied).to_string();
    assert!(said.starts_with("you may not forward a port to pods in namespace \"ops\""), "{said}");
    assert!(said.contains("create of pods/portforward"), "{said}");
}
