//! Tests of what a spec asks for.

use serde_json::{Value, json};

use super::*;

fn check(spec: Value, secrets: &[(&str, &str, &str)]) -> Settings {
    let spec = serde_json::from_value(spec).unwrap();
    Settings::new(&spec, None, &given(secrets), Some("console"))
}

fn given(secrets: &[(&str, &str, &str)]) -> Secrets {
    let values =
        secrets.iter().map(|(name, key, value)| ((*name).to_owned(), (*key).to_owned(), value.as_bytes().to_vec()));
    Secrets::given(values).unwrap()
}

#[test]
fn relay_has_no_model_to_call() {
    let settings = check(json!({"model": {"provider": "Relay"}}), &[]);
    assert!(settings.turns.relay);
    assert!(!settings.turns.suspend);
    assert!(settings.model(&given(&[])).unwrap_err().contains("baseURL"));
}

#[test]
fn no_model_at_all_suspends_turns() {
    assert!(check(json!({}), &[]).turns.suspend);
}

#[test]
fn the_default_model_stands_in() {
    let default = Model { base_url: Some("http://llm/v1".to_owned()), name: Some("m".to_owned()), ..Model::default() };
    let spec = serde_json::from_value(json!({})).unwrap();
    let settings = Settings::new(&spec, Some(&default), &given(&[]), None);
    assert!(!settings.turns.suspend);
    assert_eq!(settings.model(&given(&[])).unwrap().base_url, "http://llm/v1");
}

#[test]
fn the_key_is_read_at_each_call() {
    let model = json!({"baseURL": "http://llm/v1", "name": "m", "apiKeySecretRef": {"name": "llm", "key": "token"}});
    let settings = check(json!({"model": model}), &[]);
    assert_eq!(settings.missing.len(), 1, "an absent key is said");
    assert!(settings.missing[0].1.contains("spec.model.apiKeySecretRef"), "{:?}", settings.missing);
    assert!(settings.model(&given(&[])).is_err());
    let config = settings.model(&given(&[("llm", "token", "k\n")])).unwrap();
    assert_eq!(config.api_key, Some("k".into()));
}

#[test]
fn a_server_without_its_secret_is_left_out_and_named() {
    let headers = json!([{"name": "Authorization", "valueSecretRef": {"name": "gh", "key": "header"}}, {"name": "A", "value": "b"}]);
    let servers =
        json!([{"name": "memo", "simple": {}}, {"name": "gh", "http": {"url": "http://x/mcp", "headers": headers}}]);
    let settings = check(json!({"mcpServers": servers}), &[]);
    assert_eq!(settings.servers.keys().collect::<Vec<_>>(), ["memo"]);
    assert!(settings.missing[0].1.contains("spec.mcpServers[gh]"), "{:?}", settings.missing);

    let settings = check(json!({"mcpServers": servers}), &[("gh", "header", "Bearer x")]);
    let Some(Server::Http { headers, .. }) = settings.servers.get("gh") else { panic!("gh is there") };
    assert_eq!(headers[0], ("Authorization".to_owned(), "Bearer x".to_owned()));
    assert_eq!(headers[1], ("A".to_owned(), "b".to_owned()));
}

#[test]
fn an_own_prompt_replaces_the_built_in_one() {
    assert_eq!(check(json!({"systemPrompt": "Be terse."}), &[]).turns.system_prompt, "Be terse.");
    assert!(check(json!({}), &[]).turns.system_prompt.contains("NO_REPLY"));
    let fleet = check(json!({"prompt": "Fleet"}), &[]).turns.system_prompt;
    assert!(fleet.contains("kcp"), "{fleet}");
}
