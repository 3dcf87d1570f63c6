//! Tests of the Agent as manifests write it.

use serde_json::json;

use super::*;

#[test]
fn a_server_has_a_source_only_if_it_has_one() {
    let server = |json| serde_json::from_value::<McpServer>(json).unwrap();
    assert_eq!(server(json!({ "name": "x" })).source(), None);
    assert_eq!(server(json!({ "name": "x", "simple": {} })).source(), Some(Source::Simple(&Simple {})));
    assert_eq!(server(json!({ "name": "x", "simple": {}, "kcp": {} })).source(), None);
}

#[test]
fn a_channel_has_a_kind_only_if_it_has_one() {
    let channel = |json| serde_json::from_value::<Channel>(json).unwrap();
    let mailbox = json!({ "server": "board", "id": "a" });
    let webhook = json!({ "urlSecretRef": { "name": "s", "key": "k" } });
    assert_eq!(channel(json!({ "name": "x" })).kind(), None);
    assert!(matches!(channel(json!({ "name": "x", "mailbox": mailbox })).kind(), Some(ChannelKind::Mailbox(_))));
    assert_eq!(channel(json!({ "name": "x", "mailbox": mailbox, "webhook": webhook })).kind(), None);
}

#[test]
fn the_defaults_in_rust_are_those_of_an_empty_manifest() {
    assert_eq!(serde_json::from_value::<AgentSpec>(json!({})).unwrap(), AgentSpec::default());
    assert_eq!(serde_json::from_value::<Model>(json!({})).unwrap(), Model::default());
    assert_eq!(serde_json::from_value::<Limits>(json!({})).unwrap(), Limits::default());
    assert_eq!(serde_json::from_value::<Watches>(json!({})).unwrap(), Watches::default());
}
