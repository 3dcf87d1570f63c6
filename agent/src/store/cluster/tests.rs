//! Tests of what is told of Watches, and of creating and deleting them, against an API server of one answer.

use std::sync::{Arc, Mutex};

use asyncai_crds::contract;
use http::{Request, Response, StatusCode};
use kube::client::Body;
use serde_json::{Value, json};

use super::*;

fn watch(generation: i64, origin: Option<&str>) -> Watch {
    let labels = origin.map(|origin| json!({ contract::ORIGIN_LABEL: origin }));
    serde_json::from_value(json!({
        "apiVersion": contract::API_VERSION, "kind": "Watch",
        "metadata": {"name": "alice.cm", "uid": "u-1", "generation": generation, "labels": labels},
        "spec": {"agentRef": {"name": "alice"}, "uri": "memo://notes"}
    }))
    .unwrap()
}

#[test]
fn a_watch_is_told_again_when_its_spec_or_its_maker_changes_and_not_for_its_status() {
    let mut known = Known::default();
    let mut told = |watch| known.take(Seen::Apply(watch)).len();
    assert_eq!(told(watch(1, Some("model"))), 1);
    assert_eq!(told(watch(1, Some("model"))), 0);
    assert_eq!(told(watch(2, Some("model"))), 1);
    assert_eq!(told(watch(2, Some("declared"))), 1, "people took it over");
    assert_eq!(told(watch(2, None)), 0);
}

type Requests = Arc<Mutex<Vec<(String, Value)>>>;

/// The Watches of an API server that gives these answers, one after the other, and what it was asked.
fn server(answers: Vec<(u16, Value)>) -> (Api<Watch>, Requests) {
    let (answers, requests) = (Arc::new(Mutex::new(answers)), Requests::default());
    let asked = requests.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (answers, asked) = (answers.clone(), asked.clone());
        async move {
            let (head, body) = request.into_parts();
            let body = serde_json::from_slice(&body.collect_bytes().await?).unwrap();
            asked.lock().unwrap().push((format!("{} {}", head.method, head.uri.path()), body));
            let (code, answer) = answers.lock().unwrap().remove(0);
            let body = Body::from(serde_json::to_vec(&answer).unwrap());
            Ok::<_, kube::Error>(Response::builder().status(StatusCode::from_u16(code).unwrap()).body(body).unwrap())
        }
    });
    (Api::namespaced(Client::new(service, "team"), "team"), requests)
}

fn failure(code: u16, reason: &str, message: &str) -> (u16, Value) {
    (
        code,
        json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message}),
    )
}

fn success(object: &Watch) -> (u16, Value) {
    (200, serde_json::to_value(object).unwrap())
}

const PATH: &str = "/apis/asyncai.dev/v1alpha1/namespaces/team/watches";

#[tokio::test]
async fn a_new_watch_is_created_and_its_uid_is_known() {
    let (api, requests) = server(vec![success(&watch(1, Some("model")))]);
    assert_eq!(model::create(api, watch(1, Some("model")), None).await, Ok("u-1".to_owned()));
    let requests = requests.lock().unwrap();
    assert_eq!(requests[0].0, format!("POST {PATH}"));
    assert_eq!(requests[0].1["metadata"]["name"], "alice.cm");
}

#[tokio::test]
async fn the_old_one_is_deleted_before_and_no_namesake_of_it() {
    let (api, requests) = server(vec![success(&watch(1, None)), success(&watch(1, Some("model")))]);
    model::create(api, watch(1, Some("model")), Some("u-0".to_owned())).await.unwrap();
    let requests = requests.lock().unwrap();
    let order: Vec<_> = requests.iter().map(|(request, _)| request.clone()).collect();
    assert_eq!(order, [format!("DELETE {PATH}/alice.cm"), format!("POST {PATH}")]);
    assert_eq!(requests[0].1["preconditions"], json!({"uid": "u-0"}));
}

#[tokio::test]
async fn what_is_gone_is_deleted() {
    for (code, reason) in [(404, "NotFound"), (409, "Conflict")] {
        let (api, _) = server(vec![failure(code, reason, "no")]);
        assert_eq!(model::delete(api, "alice.cm".to_owned(), "u-0".to_owned()).await, Ok(()));
    }
}

#[tokio::test]
async fn what_the_api_server_says_reaches_the_model() {
    let denied = "watches.asyncai.dev \"alice.cm\" is forbidden: an agent may write only its own watches";
    let (watches, _) = server(vec![failure(403, "Forbidden", denied)]);
    assert_eq!(model::create(watches, watch(1, None), None).await, Err(denied.to_owned()));
    let (watches, requests) = server(vec![failure(403, "Forbidden", denied)]);
    assert_eq!(model::create(watches, watch(1, None), Some("u-0".to_owned())).await, Err(denied.to_owned()));
    assert_eq!(requests.lock().unwrap().len(), 1, "nothing is created if the old one stays");
    let (watches, _) = server(vec![failure(409, "AlreadyExists", "exists")]);
    let said = model::create(watches, watch(1, None), None).await.unwrap_err();
    assert!(said.starts_with("there is a Watch alice.cm already"), "{said}");
}
