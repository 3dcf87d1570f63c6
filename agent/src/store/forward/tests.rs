//! Tests of what is said of an agent that cannot be talked to.

use http::{Request, Response, StatusCode};
use kube::client::Body;
use serde_json::{Value, json};

use super::*;

/// What is told of `name` by an API server with one agent, alice, whose pod runs; it refuses `denied`.
async fn find(name: &str, denied: &'static str) -> Result<String, String> {
    let answer = move |request: Request<Body>| async move {
        let path = request.uri().path();
        let pod = container(&json!({"running": {}}));
        let (status, body) = match path.rsplit('/').next().unwrap() {
            part if part == denied => (StatusCode::FORBIDDEN, failure(403, "Forbidden")),
            "agents" => (
                StatusCode::OK,
                json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList",
                "metadata": {}, "items": [{"metadata": {"name": "alice"}}]}),
            ),
            "alice" => (StatusCode::OK, serde_json::to_value(agent(&json!({}))).unwrap()),
            "asyncai-agent-alice-0" => {
                (StatusCode::OK, json!({"metadata": {"name": "asyncai-agent-alice-0"}, "status": pod}))
            }
            _ => (StatusCode::NOT_FOUND, failure(404, "NotFound")),
        };
        Ok::<_, std::convert::Infallible>(
            Response::builder().status(status).body(Body::from(body.to_string().into_bytes())).unwrap(),
        )
    };
    let client = Client::new(tower::service_fn(answer), "ops");
    let found = Forward::of(client, "ops".to_owned(), name).await;
    found.map(|forward| forward.pod).map_err(|error| error.to_string())
}

fn failure(code: u16, reason: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": ""})
}

#[tokio::test]
async fn an_agent_is_found_by_its_name() {
    assert_eq!(find("alice", "").await, Ok("asyncai-agent-alice-0".to_owned()));
    let wrong = "there is no Agent \"alise\" in namespace \"ops\"; did you mean alice?";
    assert_eq!(find("alise", "").await, Err(wrong.to_owned()));
    assert_eq!(find("alise", "agents").await, Err("there is no Agent \"alise\" in namespace \"ops\"".to_owned()));
}

#[tokio::test]
async fn who_may_not_look_is_told_what_that_takes() {
    assert!(find("alice", "alice").await.unwrap_err().starts_with("you may not get agents in namespace \"ops\""));
    let refused = find("alice", "asyncai-agent-alice-0").await.unwrap_err();
    assert!(refused.starts_with("you may not get pods"), "{refused}");
}

fn agent(status: &Value) -> Agent {
    let agent = json!({"apiVersion": contract::API_VERSION, "kind": "Agent", "metadata": {"name": "alice"},
        "spec": {}, "status": status});
    serde_json::from_value(agent).unwrap()
}

fn pod(status: &Value) -> Option<String> {
    let pod = json!({"metadata": {"name": "asyncai-agent-alice-0"}, "status": status});
    trouble(&agent(&json!({})), Some(&serde_json::from_value(pod).unwrap()))
}

fn container(state: &Value) -> Value {
    json!({"containerStatuses": [{"name": "agent", "image": "i", "imageID": "", "ready": false, "restartCount": 0,
        "state": state}]})
}

#[test]
fn a_running_agent_can_be_talked_to() {
    assert_eq!(pod(&container(&json!({"running": {}}))), None);
}

#[test]
fn a_pod_that_does_not_run_says_why() {
    let waiting = container(&json!({"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}));
    assert_eq!(pod(&waiting).unwrap(), "its pod asyncai-agent-alice-0 waits: ImagePullBackOff: no such image");
    let ended = container(&json!({"terminated": {"exitCode": 1, "reason": "Error", "message": "no such Secret"}}));
    assert_eq!(pod(&ended).unwrap(), "its pod asyncai-agent-alice-0 ended with status 1: Error: no such Secret");
    let unscheduled = json!({"phase": "Pending", "conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes"}]});
    assert_eq!(pod(&unscheduled).unwrap(), "its pod asyncai-agent-alice-0 is Pending: Unschedulable: 0/1 nodes");
}

#[test]
fn an_agent_without_a_pod_tells_what_the_operator_says() {
    let condition = json!({"type": "Accepted", "status": "False", "reason": "NoModel", "message": "spec.model is not set",
        "lastTransitionTime": "2026-11-30T00:00:00Z"});
    let refused = agent(&json!({"conditions": [condition]}));
    let said = trouble(&refused, None).unwrap();
    assert_eq!(said, "it has no pod: Accepted is False, NoModel: spec.model is not set");
    assert_eq!(trouble(&agent(&json!({})), None).unwrap(), "it has no pod: no operator has seen it yet");
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
