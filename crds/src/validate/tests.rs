//! Tests of the check without an API server.

use serde_json::json;

use super::*;

fn told(manifest: &Value) -> Vec<String> {
    Validator::new().create(manifest).unwrap_err().iter().map(ToString::to_string).collect()
}

fn agent(spec: &Value) -> Value {
    json!({ "apiVersion": "asyncai.dev/v1alpha1", "kind": "Agent", "metadata": { "name": "a" }, "spec": spec })
}

#[test]
fn a_valid_manifest_comes_back_typed_and_with_its_defaults() {
    let Ok(Object::Agent(agent)) = Validator::new().create(&agent(&json!({ "model": { "provider": "Relay" } }))) else {
        panic!("not an Agent");
    };
    assert_eq!(agent.spec.watches.max, 5);
    assert_eq!(agent.spec.limits.max_tokens_per_day, 2_000_000);
    let model = agent.spec.model.unwrap();
    assert_eq!((model.max_output_tokens, model.timeout_seconds), (8192, 600));

    let watch = json!({ "apiVersion": "asyncai.dev/v1alpha1", "kind": "Watch", "metadata": { "name": "w" },
        "spec": { "agentRef": { "name": "a" }, "uri": "memo://notes" } });
    let Ok(Object::Watch(watch)) = Validator::new().create(&watch) else { panic!("not a Watch") };
    let spec = watch.spec;
    assert_eq!((spec.debounce_seconds, spec.max_wait_seconds, spec.max_notices_per_hour), (3, 15, 60));
}

#[test]
fn the_defaults_of_the_schema_are_those_of_the_types() {
    let schema = schema::crd::<Agent>();
    let defaulted = cel::apply_defaults(schema::openapi(&schema), &agent(&json!({ "model": { "provider": "Relay" } })));
    let by_schema: Agent = serde_json::from_value(defaulted).unwrap();
    let by_types: Agent = serde_json::from_value(agent(&json!({ "model": { "provider": "Relay" } }))).unwrap();
    assert_eq!(by_schema, by_types);
}

#[test]
fn everything_wrong_is_told_at_once() {
    let findings = told(&agent(&json!({ "prompt": "x", "suspend": 1, "watches": { "max": -1, "min": 0 } })));
    assert_eq!(
        findings,
        [
            "spec.prompt: must be Channel or Fleet, not \"x\"",
            "spec.suspend: must be true or false, not 1",
            "spec.watches.max: must be at least 0, not -1",
            "spec.watches.min: is not a known field; known here: max, modelManaged",
        ]
    );
}

#[test]
fn what_is_no_manifest_is_refused_with_what_one_is() {
    assert_eq!(told(&json!([])), ["must be an object with apiVersion, kind, metadata and spec"]);
    assert_eq!(told(&json!(null)), ["must be an object with apiVersion, kind, metadata and spec"]);
    assert_eq!(
        told(&json!({})),
        ["apiVersion: is required: asyncai.dev/v1alpha1", "kind: is required: Agent or Watch"]
    );
    assert_eq!(told(&json!({ "apiVersion": "v1", "kind": "Pod" })).len(), 2);
}

#[test]
fn what_the_server_wrote_passes() {
    let mut manifest = agent(&json!({}));
    manifest["metadata"] = json!({
        "name": "a", "namespace": "n", "uid": "u", "resourceVersion": "7", "generation": 1,
        "creationTimestamp": "2026-11-30T18:00:00Z",
        "managedFields": [{ "manager": "kubectl", "operation": "Apply", "fieldsV1": { "f:spec": {} } }],
        "ownerReferences": [{ "apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u" }]
    });
    assert!(Validator::new().create(&manifest).is_ok());
}

#[test]
fn a_long_value_is_shown_in_part() {
    let findings = told(&agent(&json!({ "model": { "baseURL": "x".repeat(1000), "name": "m" } })));
    assert!(findings[0].len() < 250 && findings[0].ends_with('…'), "{}", findings[0]);
}

#[test]
fn lengths_are_counted_in_characters_as_the_server_does() {
    let described = |n: usize| Validator::new().create(&agent(&json!({ "description": "ä".repeat(n) })));
    assert!(described(1024).is_ok());
    assert_eq!(
        described(1025).unwrap_err()[0].to_string(),
        "spec.description: must have at most 1024 characters; it has 1025"
    );
}
