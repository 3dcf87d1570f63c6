//! Tests of what is not served yet.

use serde_json::json;

use super::*;

#[test]
fn each_part_that_is_not_served_is_named() {
    let spec: AgentSpec = serde_json::from_value(json!({
        "mcpServers": [
            { "name": "files", "file": { "paths": ["/data"] } },
            { "name": "board", "mark": { "url": "mark://b" } },
            { "name": "tool", "container": { "image": "i" } }
        ],
        "channels": [
            { "name": "ops", "irc": { "server": "s", "nick": "n", "channel": "#c" } },
            { "name": "hook", "webhook": { "urlSecretRef": { "name": "n", "key": "k" } } },
            { "name": "inbox", "mailbox": { "server": "board", "id": "i" } }
        ],
        "session": { "persistentVolumeClaim": { "claimName": "c" } }
    }))
    .unwrap();
    let told: Vec<_> = agent(&spec).iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "spec.mcpServers[files].file: file servers are not served by this version yet",
            "spec.mcpServers[board].mark: blackboard servers are not served by this version yet",
            "spec.mcpServers[tool].container: servers in sidecars are not served by this version yet",
            "spec.channels[inbox].mailbox: mailboxes are not served by this version yet",
            "spec.session: stored sessions are not served by this version yet",
        ]
    );
}

#[test]
fn what_is_served_is_not_named() {
    let spec: AgentSpec = serde_json::from_value(json!({
        "model": { "baseURL": "http://m", "name": "n" },
        "mcpServers": [
            { "name": "kcp", "kcp": {} },
            { "name": "memo", "simple": {} },
            { "name": "web", "http": { "url": "http://w" } },
            { "name": "own", "stdio": { "command": ["/x"] } }
        ]
    }))
    .unwrap();
    assert_eq!(agent(&spec), []);
}

#[test]
fn a_filter_is_not_served_yet() {
    let spec = |json| serde_json::from_value::<WatchSpec>(json).unwrap();
    let plain = spec(json!({ "agentRef": { "name": "a" }, "uri": "memo://notes" }));
    assert_eq!(watch(&plain), []);
    let filtered = spec(json!({ "agentRef": { "name": "a" }, "uri": "memo://notes", "onEvent": "event" }));
    let told: Vec<_> = watch(&filtered).iter().map(ToString::to_string).collect();
    assert_eq!(told, ["spec.onEvent: Python filters are not served by this version yet"]);
}
