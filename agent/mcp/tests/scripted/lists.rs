//! What the servers offer, and news of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use asyncai_mcp::Servers;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::script::{Script, URI, error, modern, modern_but, result, servers, timeouts, until, within};

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
            vec![tools(request, count)]
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

fn tools(request: &Value, count: usize) -> Value {
    let tools: Vec<_> =
        (0..count).map(|n| json!({"name": format!("t{n}"), "inputSchema": {"type": "object"}})).collect();
    result(request, json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools}))
}

#[tokio::test(start_paused = true)]
async fn a_list_that_fails_at_first_is_asked_for_again() {
    let asked = AtomicUsize::new(0);
    let script = modern_but("tools/list", move |request| match asked.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => vec![error(request, -32603, "not now")],
        _ => vec![tools(request, 2)],
    });
    let (events, mut changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    servers.apply("s", script.source.clone());
    let status = until(&servers, &mut changes, |status| status[0].ready).await;
    assert_eq!(status[0].tool_count, 0);
    assert_eq!(servers.resources()[0].uri, URI, "what the other lists offer works meanwhile");
    until(&servers, &mut changes, |status| status[0].tool_count == 2).await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_fails_later_stays_as_it_was() {
    let asked = AtomicUsize::new(0);
    let growing = growing(Arc::default());
    let mut script = Script::new(move |request| match request["method"].as_str() {
        Some("tools/list") => match asked.fetch_add(1, Ordering::Relaxed) {
            0 => vec![tools(request, 2)],
            // A first page, and then no other.
            1 => {
                let mut page = tools(request, 1);
                page["result"]["nextCursor"] = json!("two");
                vec![page]
            }
            2 => vec![error(request, -32603, "not now")],
            _ => vec![tools(request, 3)],
        },
        _ => growing(request),
    });
    let (events, mut changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    servers.apply("s", script.source.clone());
    until(&servers, &mut changes, |status| status[0].tool_count == 2).await;
    let listen = script.hears("subscriptions/listen").await;
    let meta = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
    script.push(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": meta}}));
    until(&servers, &mut changes, |status| {
        assert!(status[0].tool_count >= 2, "the tools are gone: {status:?}");
        status[0].tool_count == 3
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_fails_on_a_new_connection_is_still_that_of_the_old() {
    let asked = AtomicUsize::new(0);
    let script = modern_but("tools/list", move |request| match asked.fetch_add(1, Ordering::Relaxed) {
        1 => vec![error(request, -32603, "not now")],
        asked => vec![tools(request, 2 + asked)],
    });
    let (events, mut changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    servers.apply("s", script.source.clone());
    until(&servers, &mut changes, |status| status[0].ready).await;
    script.hang_up();
    until(&servers, &mut changes, |status| !status[0].ready).await;
    let status = until(&servers, &mut changes, |status| status[0].ready).await;
    assert_eq!(status[0].tool_count, 2);
    until(&servers, &mut changes, |status| status[0].tool_count == 4).await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_not_served_is_asked_for_once() {
    let mut script = modern_but("resources/templates/list", |request| vec![error(request, -32601, "unknown")]);
    let (events, mut changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    servers.apply("s", script.source.clone());
    until(&servers, &mut changes, |status| status[0].ready).await;
    script.hears("resources/templates/list").await;
    let next = tokio::time::timeout(std::time::Duration::from_mins(10), script.heard.recv()).await;
    assert!(next.is_err(), "it is asked again: {next:?}");
}
