//! Agents that ask for whatever their schema lets through.

use std::collections::BTreeMap;

use asyncai_crds::{AgentSpec, agent::Pod};
use proptest::{collection, prelude::*, sample::select};
use serde_json::{Value, json};

/// A spec that the API server would accept.
pub(super) fn spec() -> impl Strategy<Value = AgentSpec> {
    (servers(), pod(), any::<[bool; 2]>()).prop_map(|(servers, pod, [suspend, session])| {
        let spec = json!({
            "model": {"baseURL": "http://llm", "name": "m", "apiKeySecretRef": {"name": "a.b", "key": "k.2"}},
            "mcpServers": servers,
            "suspend": suspend,
            "session": session.then(|| json!({"persistentVolumeClaim": {"claimName": "c"}})),
        });
        AgentSpec { pod: Some(pod), ..serde_json::from_value(spec).unwrap() }
    })
}

fn servers() -> impl Strategy<Value = Vec<Value>> {
    let secret = || ("[a-z]([a-z0-9.-]{0,8}[a-z0-9])?", "[-._a-zA-Z0-9]{1,8}");
    let one = prop_oneof![
        Just(json!({"simple": {}})),
        secret().prop_map(|(name, key)| json!({"kcp": {"kubeconfigSecretRef": {"name": name, "key": key}}})),
        secret().prop_map(|(name, key)| json!({
            "http": {"url": "http://x", "headers": [{"name": "h", "valueSecretRef": {"name": name, "key": key}}]}
        })),
        text().prop_map(|argument| json!({"stdio": {"command": ["/bin/sh", "-c", argument]}})),
    ];
    collection::vec(one, 0..5).prop_map(|sources| {
        let named = sources.into_iter().enumerate().map(|(number, mut source)| {
            source["name"] = format!("s{number}").into();
            source
        });
        named.collect()
    })
}

fn pod() -> impl Strategy<Value = Pod> {
    let resources = collection::btree_map("(cpu|memory|nvidia.com/gpu)", "[0-9]{1,3}(m|Mi|)", 0..3);
    let env = collection::btree_map("[A-Z_]{1,12}", text(), 0..6);
    let labels = collection::btree_map("[a-z]{1,8}", "[a-z]{0,8}", 0..3);
    (proptest::option::of(text()), resources, env, labels, volumes()).prop_map(
        |(image, limits, env, node_selector, volumes)| {
            let env: Vec<_> = env.into_iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
            let pod = json!({
                "image": image,
                "resources": {"limits": limits},
                "env": env,
                "nodeSelector": node_selector,
                "tolerations": [{"operator": "Exists"}],
                "volumes": volumes,
            });
            serde_json::from_value(pod).unwrap()
        },
    )
}

/// Names and paths are unique by schema; the paths are near those that are ours.
fn volumes() -> impl Strategy<Value = Vec<Value>> {
    let path = select(vec!["/a", "/data", "/var/lib", "/etc", "/usr/bin", "/home", "/tmp", "/tmp/", "/tmp/sub"]);
    let kind = select(vec![
        json!({"configMap": {"name": "c"}}),
        json!({"secret": {"secretName": "s"}}),
        json!({"emptyDir": {}}),
        json!({"persistentVolumeClaim": {"claimName": "p"}}),
    ]);
    collection::btree_map(path, (kind, any::<bool>()), 0..6).prop_map(|volumes: BTreeMap<_, _>| {
        let one = |(number, (path, (mut volume, read_only))): (usize, (&str, (Value, bool)))| {
            volume["name"] = format!("v{number}").into();
            volume["mountPath"] = path.into();
            volume["readOnly"] = read_only.into();
            volume
        };
        volumes.into_iter().enumerate().map(one).collect()
    })
}

fn text() -> impl Strategy<Value = String> {
    let nasty = ["$(ASYNCAI_AGENT_NAME)", "--privileged", "../../etc", "{\"hostPID\": true}", "\n- hostNetwork: true"];
    prop_oneof!["\\PC{0,20}", select(nasty.to_vec()).prop_map(str::to_owned)]
}
