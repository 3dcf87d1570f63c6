//! What the servers offer, and news of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use asyncai_mcp::Servers;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::script::{Script, modern, result, servers, timeouts, until, within};

#[tokio::test]
async fn resources_templates_and_tools_are_listed() {
    let script = Script::new(modern);
    let servers = servers(&script.source);
    within("a call", servers.call("s", "look", serde_json::Map::new())).await.expect("a connection");
    let [thing, part] = &servers.resources()[..] else { panic!("two resources") };
    assert_eq!((thing.uri.as_str(), thing.template), ("x://thing", false));
    assert_eq!(thing.example.as_deref(), Some("await watch_start(name=\"x\", uri=\"x://thing\")"));
    assert!(thing.subscribable);
    assert_eq!((part.uri.as_str(), part.template, part.example.as_deref()), ("x://{name}/part", true, None));
    let [tool] = &servers.tools()[..] else { panic!("one tool") };
    assert_eq!((tool.server.as_str(), tool.name.as_str(), tool.read_only), ("s", "look", true));
}

/// A server that announces changes of its tools, of which it has one more each time.
fn growing(listened: Arc<AtomicUsize>) -> impl Fn(&Value) -> Vec<Value> {
    let asked = AtomicUsize::new(0);
    move |request| match request["method"].as_str().unwrap_or_default() {
        "server/discover" => vec![result(
            request,
            json!({
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": true}},
            }),
        )],
        "subscriptions/listen" => {
            listened.fetch_add(1, Ordering::Relaxed);
            let meta = json!({"io.modelcontextprotocol/subscriptionId": request["id"]});
            vec![json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
                "_meta": meta, "notifications": {"toolsListChanged": true},
            }})]
        }
        "tools/list" => {
            let count = asked.fetch_add(1, Ordering::Relaxed) + 1;
            let tools: Vec<_> =
                (0..count).map(|n| json!({"name": format!("t{n}"), "inputSchema": {"type": "object"}})).collect();
            vec![result(
                request,
                json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools}),
            )]
        }
        _ => modern(request),
    }
}

#[tokio::test]
async fn a_changed_list_is_fetched_again() {
    let listened = Arc::default();
    let mut script = Script::new(growing(Arc::clone(&listened)));
    let (events, mut changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    servers.apply("s", script.source.clone());
    until(&servers, &mut changes, |status| status[0].tool_count == 1).await;
    let listen = script.hears("subscriptions/listen").await;
    let meta = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
    script.push(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": meta}}));
    until(&servers, &mut changes, |status| status[0].tool_count == 2).await;
    assert_eq!(listened.load(Ordering::Relaxed), 1, "one subscription for the lists");
}

#[tokio::test]
async fn pages_are_followed() {
    let script = Script::new(|request| match request["method"].as_str() {
        Some("tools/list") => {
            let last = request["params"]["cursor"] == "two";
            let name = if last { "b" } else { "a" };
            let mut page = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "tools": [{"name": name, "inputSchema": {"type": "object"}}]});
            if !last {
                page["nextCursor"] = json!("two");
            }
            vec![result(request, page)]
        }
        _ => modern(request),
    });
    let (events, mut changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    servers.apply("s", script.source.clone());
    until(&servers, &mut changes, |status| status[0].ready).await;
    let names: Vec<_> = servers.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["a", "b"]);
}
