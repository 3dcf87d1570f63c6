//! How names find resources.

use super::*;

fn aggregated(json: serde_json::Value) -> APIGroupDiscoveryList {
    serde_json::from_value(json).expect("a discovery document")
}

fn resource(name: &str, kind: &str, short: &[&str]) -> serde_json::Value {
    serde_json::json!({
        "resource": name, "responseKind": {"kind": kind}, "scope": "Namespaced", "shortNames": short,
        "verbs": ["get", "list", "watch"], "subresources": [{"subresource": "status"}],
    })
}

fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    catalog.add_aggregated(aggregated(serde_json::json!({"items": [{"versions": [{"version": "v1", "resources": [
        resource("widgets", "Widget", &["events"]), resource("configmaps", "ConfigMap", &["cm"]),
        resource("events", "Event", &["ev"]), resource("secrets", "Secret", &[]),
    ]}]}]})));
    catalog.add_aggregated(aggregated(serde_json::json!({"items": [
        {"metadata": {"name": "events.k8s.io"}, "versions": [
            {"version": "v1", "resources": [resource("events", "Event", &["ev"])]},
        ]},
        {"metadata": {"name": "atproto.example.org"}, "versions": [
            {"version": "v2", "resources": [resource("atprotorecords", "AtprotoRecord", &["rec"])]},
            {"version": "v1", "resources": [
                resource("atprotorecords", "AtprotoRecord", &["rec"]), resource("atprotorepos", "AtprotoRepo", &[]),
            ]},
        ]},
    ]})));
    catalog
}

fn find(name: &str) -> Option<String> {
    catalog().find(name).map(|found| found.path(Some("ns")))
}

#[test]
fn a_plural_prefers_the_core_group() {
    assert_eq!(find("events").as_deref(), Some("/api/v1/namespaces/ns/events"));
    assert_eq!(find("ev").as_deref(), Some("/api/v1/namespaces/ns/events"));
}

#[test]
fn a_group_can_be_named() {
    assert_eq!(find("events.events.k8s.io").as_deref(), Some("/apis/events.k8s.io/v1/namespaces/ns/events"));
    assert_eq!(find("configmaps.apps"), None);
    assert_eq!(find("configmaps."), catalog().find("configmaps").map(|found| found.path(Some("ns"))));
}

#[test]
fn the_preferred_version_is_taken() {
    assert_eq!(find("rec").as_deref(), Some("/apis/atproto.example.org/v2/namespaces/ns/atprotorecords"));
    assert_eq!(find("atprotorepos").as_deref(), Some("/apis/atproto.example.org/v1/namespaces/ns/atprotorepos"));
}

#[test]
fn all_namespaces_have_a_path_too() {
    assert_eq!(catalog().find("cm").map(|found| found.path(None)).as_deref(), Some("/api/v1/configmaps"));
}

#[test]
fn a_typo_is_told_what_is_near() {
    let catalog = catalog();
    assert_eq!(catalog.similar("atproprecords"), ["atprotorecords"]);
    assert_eq!(catalog.similar("atprotorecord.atproto.example.org")[0], "atprotorecords");
    assert_eq!(catalog.similar("configmap"), ["configmaps"]);
    assert_eq!(catalog.similar("maps"), ["configmaps"]);
    assert!(catalog.similar("zzzzzzzzzz").is_empty());
}

#[test]
fn servers_without_aggregated_discovery_are_understood() {
    let mut catalog = Catalog::default();
    let list: APIResourceList = serde_json::from_value(serde_json::json!({"groupVersion": "apps/v1", "resources": [
        {"name": "deployments", "singularName": "", "namespaced": true, "kind": "Deployment", "verbs": ["list", "watch"], "shortNames": ["deploy"]},
        {"name": "deployments/status", "singularName": "", "namespaced": true, "kind": "Deployment", "verbs": ["get"]},
    ]}))
    .expect("a resource list");
    catalog.add_version(list);
    assert_eq!(catalog.resources().len(), 1);
    assert_eq!(catalog.find("deploy").map(|found| found.path(None)).as_deref(), Some("/apis/apps/v1/deployments"));
}
