//! What the tools ask of the API server, and what they make of its answers.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::json;

use super::*;
use crate::kcp::client::{Clients, Credentials};
use crate::kcp::discovery::Discovery;

/// An API server whose answers are written down; everything but discovery is remembered.
struct Cluster {
    source: Source,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Cluster {
    /// `answer` is asked for by method and path.
    fn new(answer: impl Fn(&str) -> (u16, Value) + Clone + Send + Sync + 'static) -> Self {
        let asked: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let log = Arc::clone(&asked);
        let service = tower::service_fn(move |request: Request<kube::client::Body>| {
            let (answer, log) = (answer.clone(), Arc::clone(&log));
            async move {
                let line = format!("{} {}", request.method(), request.uri());
                if let Some(found) = discovery(request.uri().path()) {
                    return Ok::<_, Infallible>(respond(200, &found));
                }
                let body = request.into_body().collect().await.expect("a body").to_bytes();
                log.lock().expect("a log").push((line.clone(), serde_json::from_slice(&body).unwrap_or_default()));
                let (code, value) = answer(&line);
                Ok(respond(code, &value))
            }
        });
        let client = kube::Client::new(service, "default");
        let clients = Clients::new(Credentials::Client(client), None, Some("epoch".to_owned()));
        Self { source: Source { clients, discovery: Discovery::default() }, asked }
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Outcome, String> {
        let arguments = arguments.as_object().cloned();
        let called = call(&self.source, Access::ReadWrite, tool, arguments).await.expect("a tool");
        called.map_err(|error| error.to_string())
    }

    async fn data(&self, tool: &str, arguments: Value) -> Value {
        match self.call(tool, arguments).await {
            Ok(Outcome::Data(data)) => data,
            other => panic!("{other:?}"),
        }
    }

    async fn fails(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).await.expect_err("a refusal")
    }

    fn asked(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut *self.asked.lock().expect("a log"))
    }

    fn lines(&self) -> Vec<String> {
        self.asked().into_iter().map(|(line, _)| line).collect()
    }
}

fn respond(code: u16, value: &Value) -> Response<Body> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = StatusCode::from_u16(code).expect("a status");
    response
}

fn refusal(code: u16, reason: &str, message: &str) -> (u16, Value) {
    (code, json!({"kind": "Status", "code": code, "reason": reason, "message": message}))
}

fn discovery(path: &str) -> Option<Value> {
    let resource = |name: &str, kind: &str, scope: &str| {
        json!({"resource": name, "responseKind": {"kind": kind}, "scope": scope,
            "verbs": ["get", "list", "patch", "delete"]})
    };
    let group = |group: &str, resources: Value| json!({"metadata": {"name": group}, "versions": [{"version": "v1", "resources": resources}]});
    let list =
        |items: Value| json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": items});
    let core = ["configmaps ConfigMap", "pods Pod", "secrets Secret", "events Event"].map(|pair| {
        let (name, kind) = pair.split_once(' ').expect("two words");
        resource(name, kind, "Namespaced")
    });
    let mut core = core.to_vec();
    core.push(resource("namespaces", "Namespace", "Cluster"));
    match path {
        "/api" => Some(list(json!([{"versions": [{"version": "v1", "resources": core}]}]))),
        "/apis" => Some(list(json!([group("apps", json!([resource("deployments", "Deployment", "Namespaced")]))]))),
        _ => None,
    }
}

fn config_map() -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "managedFields": []}, "data": {"a": "b"}})
}

fn names(names: &[&str]) -> (u16, Value) {
    let items: Vec<Value> = names.iter().map(|name| json!({"metadata": {"name": name}})).collect();
    (200, json!({"kind": "PartialObjectMetadataList", "metadata": {}, "items": items}))
}

#[test]
fn only_a_read_write_server_offers_tools_that_write() {
    let read = list(Access::ReadOnly, "kcp", LOCAL);
    let hints = |tool: &Tool| tool.annotations.clone().and_then(|hints| hints.read_only_hint);
    assert_eq!(read.iter().map(|tool| tool.name.as_ref()).collect::<Vec<_>>(), READ);
    assert!(read.iter().all(|tool| hints(tool) == Some(true)));
    let all = list(Access::ReadWrite, "kcp", "root:app");
    assert_eq!(all.len(), READ.len() + WRITE.len());
    let destructive = |tool: &Tool| tool.annotations.clone().and_then(|hints| hints.destructive_hint);
    assert!(all[READ.len()..].iter().all(|tool| hints(tool) == Some(false) && destructive(tool) == Some(true)));
    for tool in &all {
        let description = tool.description.as_deref().expect("a description");
        let example = description.lines().last().and_then(|line| line.strip_prefix("Example: ")).expect("an example");
        assert!(example.starts_with(&format!("await kcp.{}(workspace=\"root:app\"", tool.name)), "{example}");
    }
    assert!(
        list(Access::ReadOnly, "k", LOCAL)[0]
            .description
            .as_deref()
            .is_some_and(|d| d.ends_with("k.get_api_resources()"))
    );
}

#[tokio::test]
async fn a_read_only_server_refuses_to_write() {
    let cluster = Cluster::new(|_| (200, config_map()));
    let arguments = json!({"resource": "configmaps", "name": "c"}).as_object().cloned();
    assert!(call(&cluster.source, Access::ReadOnly, "delete", arguments).await.is_none());
    assert!(cluster.asked().is_empty());
}

#[tokio::test]
async fn an_applied_manifest_may_be_an_object_or_yaml() {
    let cluster = Cluster::new(|_| (200, config_map()));
    let yaml = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n---\n";
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}});
    for manifest in [json!(yaml), object.clone(), config_map()] {
        let applied = cluster.data("apply", json!({"manifest": manifest, "namespace": "shop"})).await;
        assert_eq!(applied, object, "without managedFields");
        let [(line, body)] = &cluster.asked()[..] else { panic!("one request") };
        let path = "PATCH /api/v1/namespaces/shop/configmaps/c?";
        assert_eq!(line, &format!("{path}&fieldManager=asyncai-mcp-kcp&fieldValidation=Strict"));
        assert_eq!(body, &object);
    }
}

#[tokio::test]
async fn an_apply_is_forced_or_tried_only_if_that_is_asked_for() {
    let cluster = Cluster::new(|_| refusal(409, "Conflict", "Apply failed with 1 conflict"));
    let manifest =
        json!({"apiVersion": "apps/v1beta9", "kind": "Deployment", "metadata": {"name": "d", "namespace": "n"}});
    let refused = cluster.fails("apply", json!({"manifest": manifest, "dryRun": true})).await;
    assert!(refused.contains("409") && refused.ends_with("; force=True takes these fields over"), "{refused}");
    let refused = cluster.fails("apply", json!({"manifest": manifest, "force": true})).await;
    assert!(!refused.contains("force="), "{refused}");
    let lines = cluster.lines();
    assert!(lines[0].contains("/apis/apps/v1beta9/namespaces/n/deployments/d?") && lines[0].contains("dryRun=All"));
    assert!(!lines[0].contains("force=true") && lines[1].contains("force=true") && !lines[1].contains("dryRun"));
}

#[tokio::test]
async fn a_manifest_that_cannot_be_applied_is_refused_before_anything_is_sent() {
    let cluster = Cluster::new(|_| (200, config_map()));
    let named = |kind: &str, api: &str| json!({"apiVersion": api, "kind": kind, "metadata": {"name": "c"}});
    for (manifest, says) in [
        (json!("a: [1"), "manifest: is not YAML"),
        (json!(""), "manifest: is empty"),
        (json!("just text"), "manifest: is no object"),
        (json!("{kind: A}\n---\n{kind: B}"), "manifest: has 2 objects"),
        (json!({"kind": "ConfigMap"}), "manifest: lacks apiVersion"),
        (json!({"apiVersion": "v1", "kind": "ConfigMap"}), "manifest: lacks metadata.name"),
        (named("ConfigMpa", "v1"), "did you mean: ConfigMap of v1"),
        (named("Deployment", "v1"), "did you mean: Deployment of apps/v1"),
        (
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "b"}}),
            "namespace: is \"a\"",
        ),
    ] {
        let refused = cluster.fails("apply", json!({"manifest": manifest, "namespace": "a"})).await;
        assert!(refused.contains(says), "{refused}");
    }
    assert!(cluster.asked().is_empty());
}

#[tokio::test]
async fn a_secret_is_never_shown_nor_written_back_as_it_was_shown() {
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"t": "Y2FuYXJ5"}});
    let answer = secret.clone();
    let cluster = Cluster::new(move |_| (200, answer.clone()));
    let shown = cluster.data("apply", json!({"manifest": secret})).await;
    assert_eq!(shown["data"]["t"], "<redacted #1>");
    let patched =
        cluster.data("patch", json!({"resource": "secrets", "name": "s", "patch": {"data": {"t": "eA=="}}})).await;
    assert_eq!(patched["data"]["t"], "<redacted #1>");
    cluster.asked();
    let back = cluster.fails("apply", json!({"manifest": shown})).await;
    assert!(back.contains("data.t is what stands in for a hidden value"), "{back}");
    let patch = json!({"resource": "secrets", "name": "s", "patch": {"stringData": {"t": "<redacted #2>"}}});
    assert!(cluster.fails("patch", patch).await.contains("stringData.t"));
    assert!(cluster.asked().is_empty());
}

#[tokio::test]
async fn a_patch_is_a_merge_patch() {
    let cluster = Cluster::new(|_| (200, config_map()));
    let patch = json!({"data": {"a": null}});
    cluster.data("patch", json!({"resource": "configmaps", "name": "c", "patch": patch})).await;
    let [(line, body)] = &cluster.asked()[..] else { panic!("one request") };
    assert!(line.starts_with("PATCH /api/v1/namespaces/default/configmaps/c?"), "{line}");
    assert_eq!(body, &patch);
}

#[tokio::test]
async fn a_deletion_says_whether_the_object_is_gone() {
    let cluster = Cluster::new(|_| (200, json!({"kind": "Status", "status": "Success"})));
    let arguments = json!({"resource": "configmaps", "name": "c", "namespace": "n", "uid": "u", "resourceVersion": "7", "propagation": "Foreground"});
    let deleted = cluster.data("delete", arguments).await;
    assert_eq!(deleted, json!({"deleted": "configmaps/c", "namespace": "n", "pending": false}));
    let [(line, body)] = &cluster.asked()[..] else { panic!("one request") };
    assert!(line.starts_with("DELETE /api/v1/namespaces/n/configmaps/c"), "{line}");
    assert_eq!(body["preconditions"], json!({"uid": "u", "resourceVersion": "7"}));
    assert_eq!(body["propagationPolicy"], "Foreground");
    let cluster = Cluster::new(|_| (200, config_map()));
    assert_eq!(cluster.data("delete", json!({"resource": "configmaps", "name": "c"})).await["pending"], true);
    assert_eq!(cluster.asked()[0].1, json!({}));
}

#[tokio::test]
async fn a_name_that_is_not_found_comes_with_similar_ones() {
    let cluster = Cluster::new(|line| match line {
        "GET /api/v1/namespaces/shop" => (200, json!({"kind": "Namespace"})),
        "GET /api/v1/namespaces/shpo" => refusal(404, "NotFound", "namespaces \"shpo\" not found"),
        line if line.contains("/namespaces?") => names(&["default", "shop"]),
        line if line.contains("/configmaps?") => names(&["settings", "other"]),
        _ => refusal(404, "NotFound", "configmaps \"setings\" not found"),
    });
    for tool in ["get", "delete"] {
        let arguments = json!({"resource": "configmaps", "name": "setings", "namespace": "shop"});
        let refused = cluster.fails(tool, arguments).await;
        assert_eq!(refused, "configmaps \"setings\" not found; did you mean: settings");
    }
    let refused = cluster.fails("logs", json!({"pod": "web", "namespace": "shpo"})).await;
    assert_eq!(refused, "workspace local has no namespace \"shpo\"; did you mean: shop");
    let refused = cluster.fails("get", json!({"resource": "ConfigMap", "name": "c"})).await;
    assert!(refused.contains("did you mean: configmaps"), "{refused}");
}

#[tokio::test]
async fn an_empty_list_in_a_namespace_that_there_is_not_says_so() {
    let cluster = Cluster::new(|line| match line {
        "GET /api/v1/namespaces/gone" => refusal(404, "NotFound", "not found"),
        "GET /api/v1/namespaces/hidden" => refusal(403, "Forbidden", "no"),
        line if line.contains("/namespaces?") => names(&[]),
        _ => (200, json!({"kind": "List", "metadata": {}, "items": []})),
    });
    for (tool, arguments) in
        [("list", json!({"resource": "pods", "namespace": "gone"})), ("events", json!({"namespace": "gone"}))]
    {
        assert_eq!(cluster.fails(tool, arguments).await, "workspace local has no namespace \"gone\"");
    }
    assert_eq!(cluster.data("list", json!({"resource": "pods", "namespace": "hidden"})).await["items"], json!([]));
    cluster.asked();
    cluster.data("list", json!({"resource": "pods", "namespace": "*"})).await;
    assert_eq!(cluster.lines(), ["GET /api/v1/pods?&limit=100"]);
}

#[tokio::test]
async fn a_refusal_is_passed_on_in_the_api_servers_words() {
    let words = "pods \"web\" is forbidden: User \"u\" cannot get resource \"pods/log\" in API group \"\"";
    let cluster = Cluster::new(|_| refusal(403, "Forbidden", words));
    let refused = cluster.fails("logs", json!({"pod": "web"})).await;
    assert_eq!(refused, format!("the API server answered 403 Forbidden: {words}"));
}

#[tokio::test]
async fn logs_are_the_last_lines_and_say_what_is_left_out() {
    let cluster = Cluster::new(|_| (200, json!("one\ntwo\n")));
    let arguments = json!({"pod": "web", "container": "app", "previous": true, "sinceSeconds": 60});
    assert_eq!(cluster.call("logs", arguments).await, Ok(Outcome::Text("one\ntwo\n".to_owned())));
    let line = cluster.lines().remove(0);
    let query = "container=app&previous=true&sinceSeconds=60&tailLines=100";
    assert_eq!(line, format!("GET /api/v1/namespaces/default/pods/web/log?&{query}"));
    for wrong in
        [json!({"pod": "web", "tailLines": 0}), json!({"pod": "web", "tailLines": 10_001}), json!({"pod": "../x"})]
    {
        cluster.fails("logs", wrong).await;
    }
    assert!(cluster.asked().is_empty());

    let line = format!("{}\n", "x".repeat(999));
    let long = line.repeat(1000);
    let cluster = Cluster::new(move |_| (200, json!(long)));
    let Ok(Outcome::Text(shown)) = cluster.call("logs", json!({"pod": "web"})).await else { panic!("text") };
    let (note, rest) = shown.split_once('\n').expect("a note");
    assert_eq!(note, format!("[the first {} bytes of these lines are left out]", 1_000_000 - rest.len()));
    assert!(rest.len() <= 256 << 10 && rest.len() > 255 << 10);
    assert_eq!(rest, line.repeat(rest.len() / 1000));
}

#[tokio::test]
async fn events_are_the_newest_of_an_object_the_newest_last() {
    let event = |name: &str, time: &str| {
        json!({"metadata": {"name": name}, "involvedObject": {"kind": "Pod", "namespace": "n", "name": "web"},
            "type": "Warning", "reason": name, "message": "m", "lastTimestamp": time, "count": 3})
    };
    let late = event("late", "2026-11-03T10:00:02Z");
    let first = json!({"metadata": {"continue": "t"}, "items": [late, event("early", "2026-11-03T10:00:00Z")]});
    let second = json!({"metadata": {}, "items": [
        {"metadata": {}, "involvedObject": {"kind": "Pod"}, "reason": "middle", "eventTime": "2026-11-03T10:00:01.500000Z"},
    ]});
    let cluster =
        Cluster::new(move |line| (200, if line.contains("continue=t") { second.clone() } else { first.clone() }));
    let shown = cluster.data("events", json!({"namespace": "n", "kind": "pod", "name": "web", "limit": 2})).await;
    assert_eq!(shown["leftOut"], 1);
    let reasons: Vec<_> =
        shown["events"].as_array().expect("events").iter().map(|event| event["reason"].clone()).collect();
    assert_eq!(reasons, ["middle", "late"]);
    assert_eq!(
        shown["events"][1],
        json!({"time": "2026-11-03T10:00:02Z", "type": "Warning", "reason": "late",
        "object": "Pod n/web", "message": "m", "count": 3})
    );
    let lines = cluster.lines();
    assert!(lines[0].contains("fieldSelector=involvedObject.name%3Dweb%2CinvolvedObject.kind%3DPod"), "{lines:?}");
    assert_eq!(lines.len(), 2);
}
