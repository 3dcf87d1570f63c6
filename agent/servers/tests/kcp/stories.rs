//! What a user of the kcp server sees.

use std::path::Path;

use asyncai_servers::kcp::{Credentials, Options};
use http::StatusCode;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use serde_json::{Value, json};

use crate::harness::{Client, Cluster, count, options};
use crate::proxy::Proxy;

#[tokio::test(flavor = "multi_thread")]
async fn config_maps_are_told_as_they_change() {
    let Some(cluster) = Cluster::connect("changes").await else { return };
    cluster.put("before", "1").await;
    let client = Client::new(options(Credentials::Inferred));
    let mut reader = client.follow(&cluster.config_maps_uri("local"), None).await;
    cluster.put("probe", "1").await;
    cluster.put("probe", "2").await;
    cluster.put("probe", "3").await;
    cluster.delete("probe").await;
    assert_eq!(reader.until(4).await, ["ADDED probe", "MODIFIED probe", "MODIFIED probe", "DELETED probe"]);
    let modified: Vec<_> = reader.told.iter().filter(|event| event["type"] == "MODIFIED").collect();
    assert_eq!(
        (&modified[0]["old"]["data"]["value"], &modified[0]["object"]["data"]["value"]),
        (&json!("1"), &json!("2"))
    );
    assert_eq!(modified[1]["old"]["kind"], "ConfigMap");
    assert!(!reader.bodies.contains("managedFields"));
    cluster.clean_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_process_tells_what_happened_meanwhile_once() {
    let Some(cluster) = Cluster::connect("resume").await else { return };
    let uri = cluster.uri("local", "cm") + "&labelSelector=told%3Dyes";
    let first = Client::new(options(Credentials::Inferred));
    let since = first.follow(&uri, None).await.since.clone();
    drop(first);
    let told = |name: &str, value: &str| {
        let object: k8s_openapi::api::core::v1::ConfigMap = serde_json::from_value(json!({
            "metadata": {"name": name, "labels": {"told": "yes"}}, "data": {"value": value},
        }))
        .expect("a ConfigMap");
        object
    };
    let api = cluster.config_maps();
    api.create(&PostParams::default(), &told("stays", "1")).await.expect("created");
    api.create(&PostParams::default(), &told("transient", "1")).await.expect("created");
    cluster.put("other", "1").await;
    cluster.delete("transient").await;
    let second = Client::new(options(Credentials::Inferred));
    let mut reader = second.follow(&uri, since).await;
    assert_eq!(reader.until(3).await, ["ADDED stays", "ADDED transient", "DELETED transient"]);
    let third = Client::new(options(Credentials::Inferred));
    let mut again = third.follow(&uri, reader.since.clone()).await;
    api.create(&PostParams::default(), &told("last", "1")).await.expect("created");
    assert_eq!(again.until(1).await, ["ADDED last"]);
    cluster.clean_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_of_the_future_is_another_epoch() {
    let Some(cluster) = Cluster::connect("future").await else { return };
    let client = Client::new(options(Credentials::Inferred));
    let uri = cluster.uri("local", "configmaps");
    let (epoch, seq) = client.follow(&uri, None).await.since.clone().expect("a head");
    let body = client.read(&uri, Some((&epoch, seq + 1_000_000))).await.expect("a body");
    let body: Value = serde_json::from_str(&body).expect("JSON");
    assert!(body["epoch"].as_str().expect("epoch").starts_with(&format!("{epoch}~")), "{body}");
    cluster.clean_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_larger_than_the_log_is_told_completely() {
    let Some(cluster) = Cluster::connect("burst").await else { return };
    let client = Client::new(options(Credentials::Inferred));
    let mut reader = client.follow(&cluster.config_maps_uri("local"), None).await;
    let names: Vec<String> = (0..300).map(|index| format!("burst-{index}")).collect();
    futures::future::join_all(names.iter().map(|name| cluster.put(name, "1"))).await;
    let lines = reader.until(300).await;
    assert_eq!(count(&lines).len(), 300);
    assert!(lines.iter().all(|line| line.starts_with("ADDED burst-")));
    cluster.clean_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_explained() {
    let Some(cluster) = Cluster::connect("mistakes").await else { return };
    let client = Client::new(options(Credentials::Inferred));
    let told = async |uri: &str| client.read(uri, None).await.expect_err(uri);
    assert!(told("kcp-events://watch/local/configmpas").await.contains("did you mean: configmaps"));
    assert!(told("kcp-events://watch/local/nodes?namespace=a").await.contains("nodes has no namespaces"));
    assert!(told("kcp-events://watch/local/bindings").await.contains("cannot be listed"));
    assert!(told("kcp-events://watch/root:app/../x/pods").await.contains("resource:"));
    let selector = told("kcp-events://watch/local/pods?labelSelector=a=b=c").await;
    assert!(selector.contains("does not accept labelSelector \"a=b=c\""), "{selector}");
    let call = client.call("get", json!({"workspace": "local", "resource": "cm", "name": "../x"})).await;
    assert!(call.expect_err("a bad name").contains("name:"));
    let call = client.call("list", json!({"workspace": "local", "resource": "cm", "limit": 501})).await;
    assert!(call.expect_err("a bad limit").contains("must be 1 to 500"));
    cluster.clean_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_values_of_secrets_never_leave_the_server() {
    let Some(cluster) = Cluster::connect("secrets").await else { return };
    // The same as text and as an API server tells it.
    let canaries = ["canary-one-4711", "Y2FuYXJ5LW9uZS00NzEx", "canary-two-4711", "Y2FuYXJ5LXR3by00NzEx"];
    let client = Client::new(options(Credentials::Inferred));
    let mut reader = client.follow(&cluster.uri("local", "secrets"), None).await;
    let since = reader.since.clone();
    cluster.put_secret("s", "canary-one-4711").await;
    reader.until(1).await;
    cluster.put_secret("s", "canary-two-4711").await;
    assert_eq!(reader.until(2).await, ["ADDED s", "MODIFIED s"]);
    assert_eq!(reader.told[1]["old"]["data"]["token"], "<redacted #1>");
    assert_eq!(reader.told[1]["object"]["data"]["token"], "<redacted #2>");
    let namespace = &cluster.namespace;
    let mut shown = reader.bodies.clone();
    shown += &client
        .call("get", json!({"workspace": "local", "resource": "secrets", "name": "s", "namespace": namespace}))
        .await
        .expect("get");
    shown += &client
        .call("list", json!({"workspace": "local", "resource": "secrets", "namespace": namespace}))
        .await
        .expect("list");
    shown +=
        &client.read(&cluster.uri("local", "secret").replace("/secret?", "/secrets?"), None).await.expect("a read");
    let (epoch, seq) = since.expect("a head");
    shown += &Client::new(options(Credentials::Inferred))
        .read(&cluster.uri("local", "secrets"), Some((&epoch, seq)))
        .await
        .expect("a catch-up");
    assert!(shown.contains("<redacted #1>"));
    for canary in canaries {
        assert!(!shown.contains(canary), "{canary}");
    }
    cluster.clean_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_served_can_be_read_and_called_for() {
    let Some(cluster) = Cluster::connect("resources").await else { return };
    let client = Client::new(options(Credentials::Inferred));
    let read: Value =
        serde_json::from_str(&client.read("kcp-api://local/resources", None).await.expect("a read")).expect("JSON");
    let called = client.call("get_api_resources", json!({"workspace": "local"})).await.expect("a call");
    assert_eq!(read, serde_json::from_str::<Value>(&called).expect("JSON"));
    let deployments =
        read["resources"].as_array().expect("resources").iter().find(|found| found["name"] == "deployments");
    assert_eq!(deployments.expect("deployments")["shortNames"], json!(["deploy"]));
    cluster.put("c", "1").await;
    let arguments = json!({"workspace": "local", "resource": "cm", "namespace": cluster.namespace, "fieldSelector": "metadata.name=c"});
    let listed: Value = serde_json::from_str(&client.call("list", arguments).await.expect("a list")).expect("JSON");
    assert_eq!((&listed["items"][0]["data"]["value"], &listed["complete"]), (&json!("1"), &json!(true)));
    for description in client.descriptions() {
        assert!(description.lines().last().is_some_and(|line| line.starts_with("Example: await ")), "{description}");
    }
    cluster.clean_up().await;
}

fn file(dir: &Path, content: &str) -> Credentials {
    let path = dir.join("kubeconfig");
    std::fs::write(&path, content).expect("written");
    Credentials::Kubeconfig(path)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_is_watched_through_cuts_and_new_credentials() {
    let Some(cluster) = Cluster::connect("workspace").await else { return };
    let proxy = Proxy::start(cluster.client.clone()).await;
    let dir = tempfile::tempdir().expect("a directory");
    let client = Client::new(options(file(dir.path(), &proxy.kubeconfig("one"))));
    let uri = cluster.config_maps_uri("root:app");
    cluster.put("changed", "1").await;
    cluster.put("gone", "1").await;
    let mut reader = client.follow(&uri, None).await;
    cluster.put("live", "1").await;
    reader.until(1).await;
    file(dir.path(), &proxy.kubeconfig("two"));
    proxy.refuse(Some(StatusCode::BAD_GATEWAY));
    proxy.cut();
    cluster.put("changed", "2").await;
    cluster.delete("gone").await;
    cluster.put("new", "1").await;
    proxy.refuse(None);
    assert_eq!(reader.until(4).await[1..], ["DELETED gone", "MODIFIED changed", "ADDED new"]);
    cluster.put("new", "2").await;
    assert_eq!(reader.until(5).await[4], "MODIFIED new");
    assert_eq!(proxy.tokens(), ["Bearer one", "Bearer two"]);
    let other = client.read(&cluster.uri("root:other", "configmaps"), None).await.expect_err("another workspace");
    assert!(other.contains("403") && other.contains("no such workspace"), "{other}");
    cluster.clean_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_aggregated_discovery_is_understood() {
    let Some(cluster) = Cluster::connect("plain").await else { return };
    let proxy = Proxy::start(cluster.client.clone()).await;
    let dir = tempfile::tempdir().expect("a directory");
    let kcp = Client::new(options(file(dir.path(), &proxy.kubeconfig("one"))));
    let plain = async |client: &Client, workspace: &str| {
        let read = client.read(&format!("kcp-api://{workspace}/resources"), None).await.expect("a read");
        let mut names: Vec<String> = serde_json::from_str::<Value>(&read).expect("JSON")["resources"]
            .as_array()
            .expect("resources")
            .iter()
            .map(|found| format!("{}.{}/{}", found["name"], found["group"], found["version"]))
            .collect();
        names.sort();
        names
    };
    let aggregated = plain(&kcp, "root:app").await;
    proxy.without_aggregated_discovery();
    assert_eq!(plain(&kcp, "root:app").await, aggregated);
    cluster.clean_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_account_sees_what_it_may_and_loses_what_it_may_not() {
    let Some(cluster) = Cluster::connect("account").await else { return };
    let namespace = cluster.namespace.clone();
    let accounts: Api<ServiceAccount> = Api::namespaced(cluster.client.clone(), &namespace);
    let roles: Api<Role> = Api::namespaced(cluster.client.clone(), &namespace);
    let bindings: Api<RoleBinding> = Api::namespaced(cluster.client.clone(), &namespace);
    let object = |value: Value| serde_json::from_value(value).expect("an object");
    accounts
        .create(&PostParams::default(), &serde_json::from_value(json!({"metadata": {"name": "reader"}})).expect("one"))
        .await
        .expect("created");
    let role: Role = object(json!({
        "metadata": {"name": "reader"}, "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]}],
    }));
    let binding: RoleBinding = serde_json::from_value(json!({
        "metadata": {"name": "reader"}, "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": namespace}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
    }))
    .expect("a binding");
    roles.create(&PostParams::default(), &role).await.expect("created");
    bindings.create(&PostParams::default(), &binding).await.expect("created");

    let account = format!("{namespace}/reader").parse().expect("an account");
    let proxied = Options { service_account: Some(account), ..options(Credentials::Inferred) };
    let client = Client::new(proxied);
    let forbidden = client.read(&cluster.uri("local", "secrets"), None).await.expect_err("forbidden");
    assert!(
        forbidden.contains("403") && forbidden.contains("secrets is forbidden") && forbidden.contains("reader"),
        "{forbidden}"
    );
    let mut reader = client.follow(&cluster.config_maps_uri("local"), None).await;
    cluster.put("seen", "1").await;
    assert_eq!(reader.until(1).await, ["ADDED seen"]);
    bindings.delete("reader", &DeleteParams::default()).await.expect("deleted");
    let later =
        client.read(&(cluster.uri("local", "configmaps") + "&labelSelector=x"), None).await.expect_err("forbidden");
    assert!(later.contains("configmaps is forbidden"), "{later}");
    cluster.clean_up().await;
}
