//! The tools against a real API server.

use asyncai_servers::kcp::{Access, Credentials, Options};
use k8s_openapi::api::core::v1::Event;
use kube::Api;
use kube::api::PostParams;
use serde_json::{Value, json};

use crate::harness::{Client, Cluster, options};

fn writer() -> Client {
    Client::new(Options { access: Access::ReadWrite, ..options(Credentials::Inferred) })
}

async fn call(client: &Client, tool: &str, arguments: Value) -> Value {
    let text = client.call(tool, arguments).await.expect(tool);
    serde_json::from_str(&text).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_applied_patched_and_deleted() {
    let Some(cluster) = Cluster::connect("tools").await else { return };
    let (client, namespace) = (writer(), cluster.namespace.clone());
    let named = |name: &str| json!({"resource": "configmaps", "name": name, "namespace": namespace});
    let with = |mut arguments: Value, field: &str, value: Value| {
        arguments[field] = value;
        arguments
    };

    let yaml =
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c, namespace: {namespace}}}\ndata: {{a: b}}\n");
    let applied = call(&client, "apply", json!({"manifest": yaml, "dryRun": true})).await;
    assert_eq!(applied["data"], json!({"a": "b"}));
    client.call("get", named("c")).await.expect_err("only tried");
    call(&client, "apply", json!({"manifest": yaml})).await;
    let patched = call(&client, "patch", with(named("c"), "patch", json!({"data": {"a": null, "x": "y"}}))).await;
    assert_eq!(patched["data"], json!({"x": "y"}));

    cluster.put("theirs", "1").await;
    let mine = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "theirs"}, "data": {"value": "2"}});
    let apply = json!({"manifest": mine, "namespace": namespace});
    let refused = client.call("apply", apply.clone()).await.expect_err("a conflict");
    assert!(refused.contains("409") && refused.contains("story") && refused.contains("force=True"), "{refused}");
    assert_eq!(call(&client, "apply", with(apply, "force", json!(true))).await["data"]["value"], "2");
    let typo = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "t"}, "datta": {"value": "2"}});
    let refused = client.call("apply", json!({"manifest": typo, "namespace": namespace})).await.expect_err("a typo");
    assert!(refused.contains("datta"), "{refused}");

    let refused = client.call("delete", with(named("c"), "uid", json!("other"))).await.expect_err("another uid");
    assert!(refused.contains("409"), "{refused}");
    let deleted = call(&client, "delete", named("c")).await;
    assert_eq!(deleted, json!({"deleted": "configmaps/c", "namespace": namespace, "pending": false}));
    let refused = client.call("delete", named("thiers")).await.expect_err("a typo");
    assert!(refused.contains("\"thiers\" not found; did you mean: theirs"), "{refused}");
    cluster.clean_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_and_logs_are_told_and_their_absence_is_explained() {
    let Some(cluster) = Cluster::connect("events").await else { return };
    let (client, namespace) = (writer(), cluster.namespace.clone());
    let events: Api<Event> = Api::namespaced(cluster.client.clone(), &namespace);
    for (name, time) in [("late", "2026-11-03T10:00:02Z"), ("early", "2026-11-03T10:00:01Z")] {
        let event = json!({
            "metadata": {"name": name}, "reason": name, "message": "m", "type": "Normal", "lastTimestamp": time,
            "involvedObject": {"kind": "ConfigMap", "namespace": namespace, "name": "c"},
        });
        let event: Event = serde_json::from_value(event).expect("an event");
        events.create(&PostParams::default(), &event).await.expect("created");
    }
    let told = call(&client, "events", json!({"namespace": namespace, "kind": "configmap", "name": "c"})).await;
    let reasons: Vec<_> =
        told["events"].as_array().expect("events").iter().map(|event| event["reason"].clone()).collect();
    assert_eq!(reasons, ["early", "late"]);
    let none = call(&client, "events", json!({"namespace": namespace, "kind": "Pod"})).await;
    assert_eq!(none["events"], json!([]));

    let refused = client.call("logs", json!({"pod": "web", "namespace": namespace})).await.expect_err("no pod");
    assert!(refused.contains("pods \"web\" not found"), "{refused}");
    let nowhere = "no-such-namespace";
    for (tool, arguments) in
        [("list", json!({"resource": "pods", "namespace": nowhere})), ("events", json!({"namespace": nowhere}))]
    {
        let refused = client.call(tool, arguments).await.expect_err("no namespace");
        assert!(refused.contains("has no namespace \"no-such-namespace\""), "{refused}");
    }
    cluster.clean_up().await;
}
