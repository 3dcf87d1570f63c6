//! Tests of what is not served yet.

use serde_json::json;

use super::*;

#[test]
fn each_part_that_is_not_served_is_named() {
    let spec: AgentSpec = serde_json::from_value(json!({
        "mcpServers": [
            { "name": "board", "mark": { "url": "mark://b" } },
            { "name": "tool", "container": { "image": "i" } }
        ],
        "channels": [
            { "name": "inbox", "mailbox": { "server": "board", "id": "i" } }
        ]
    }))
    .unwrap();
    let told: Vec<_> = agent(&spec).iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "spec.mcpServers[board].mark: blackboard servers are not served by this version yet",
            "spec.mcpServers[tool].container: servers in sidecars are not served by this version yet",
            "spec.channels[inbox].mailbox: mailboxes are not served by this version yet",
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
            { "name": "files", "file": { "paths": ["/data"] } },
            { "name": "web", "http": { "url": "http://w" } },
            { "name": "own", "stdio": { "command": ["/x"] } }
        ],
        "channels": [
            { "name": "ops", "irc": { "server": "s", "nick": "n", "channel": "#c" } },
            { "name": "hook", "webhook": { "urlSecretRef": { "name": "n", "key": "k" } } }
        ],
        "session": { "persistentVolumeClaim": { "claimName": "c" } }
    }))
    .unwrap();
    assert_eq!(agent(&spec), []);
}
