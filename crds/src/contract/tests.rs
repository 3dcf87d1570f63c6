//! Tests of what operator and agent share.

use serde_json::json;

use super::*;

fn spec(json: serde_json::Value) -> AgentSpec {
    serde_json::from_value(json).unwrap()
}

fn key(name: &str) -> serde_json::Value {
    json!({ "name": name, "key": "k" })
}

#[test]
fn every_reference_to_a_secret_is_listed_with_its_field() {
    let spec = spec(json!({
        "model": { "apiKeySecretRef": key("a") },
        "mcpServers": [
            { "name": "kcp", "kcp": { "kubeconfigSecretRef": key("b") } },
            { "name": "memo", "simple": {} },
            { "name": "board", "mark": { "url": "mark://b", "tokenSecretRef": key("c") } },
            { "name": "web", "http": { "url": "http://w", "headers": [
                { "name": "X-Plain", "value": "v" }, { "name": "Authorization", "valueSecretRef": key("d") }] } },
            { "name": "own", "stdio": { "command": ["/x"], "env": [
                { "name": "PLAIN", "value": "v" }, { "name": "TOKEN", "valueSecretRef": key("e") }] } }
        ],
        "channels": [
            { "name": "ops", "irc": { "server": "s", "nick": "n", "channel": "#c", "passwordSecretRef": key("f") } },
            { "name": "hook", "webhook": { "urlSecretRef": key("g") } }
        ]
    }));
    let refs: Vec<_> = secret_refs(&spec).into_iter().map(|r| (r.secret.name.clone(), r.field)).collect();
    let expected = [
        ("a", "spec.model.apiKeySecretRef"),
        ("b", "spec.mcpServers[kcp].kcp.kubeconfigSecretRef"),
        ("c", "spec.mcpServers[board].mark.tokenSecretRef"),
        ("d", "spec.mcpServers[web].http.headers[Authorization].valueSecretRef"),
        ("e", "spec.mcpServers[own].stdio.env[TOKEN].valueSecretRef"),
        ("f", "spec.channels[ops].irc.passwordSecretRef"),
        ("g", "spec.channels[hook].webhook.urlSecretRef"),
    ];
    assert_eq!(refs, expected.map(|(name, field)| (name.to_owned(), field.to_owned())));
}

/// The schema names the references, so a new one that `secret_refs` does not know is noticed here.
#[test]
fn the_schema_has_no_other_reference_to_a_secret() {
    fn count(schema: &serde_json::Value) -> usize {
        let fields = schema["properties"].as_object().into_iter().flatten();
        let here = fields.clone().filter(|(name, _)| name.to_lowercase().ends_with("secretref")).count();
        here + fields.map(|(_, below)| count(below)).sum::<usize>() + schema.get("items").map_or(0, count)
    }
    let crd = crate::schema::crd::<crate::Agent>();
    assert_eq!(count(crate::schema::openapi(&crd)), 7);
}

#[test]
fn the_model_knows_its_watches_without_the_agents_name() {
    assert_eq!(model_watch_name("alice", "cm"), "alice.cm");
    for (name, alias) in
        [("alice.cm", "cm"), ("cm", "cm"), ("alicecm", "alicecm"), ("bob.cm", "bob.cm"), ("alice.a.b", "a.b")]
    {
        assert_eq!(watch_alias("alice", name), alias);
    }
}

#[test]
fn the_api_version_is_that_of_the_types() {
    use kube::Resource;
    assert_eq!(crate::Agent::api_version(&()), API_VERSION);
    assert_eq!(crate::Watch::api_version(&()), API_VERSION);
    assert_eq!(crate::Agent::group(&()), GROUP);
}
