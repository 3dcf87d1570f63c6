//! Servers that do not know `server/discover`: their tools work, watching them says why not.

use std::collections::BTreeMap;
use std::time::Duration;

use asyncai_mcp::{Kind, Servers, Source, Timeouts};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::script::{HANG_UP, Script, URI, discovered, error, modern, result, timeouts, within};

/// An old server, once the probe is dealt with.
fn old(request: &Value) -> Vec<Value> {
    match request["method"].as_str().unwrap_or_default() {
        "initialize" => vec![result(
            request,
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {"resources": {"subscribe": true}, "tools": {}},
                "serverInfo": {"name": "old", "version": "1"},
            }),
        )],
        _ => modern(request),
    }
}

fn script(probe: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static) -> Script {
    Script::new(move |request| match request["method"].as_str() {
        Some("server/discover") => probe(request),
        _ => old(request),
    })
}

async fn tools_work_and_watching_does_not(source: Source, timeouts: Timeouts) {
    let (events, _events) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts);
    servers.apply("s", source);
    let called = within("a call", servers.call("s", "look", Map::new())).await;
    assert_eq!(called.expect("a tool of an old server").text, "seen");
    let [status] = &servers.status()[..] else { panic!("one server") };
    assert!(status.ready);
    assert!(!status.subscribable);
    assert_eq!(status.tool_count, 1);
    assert_eq!(status.protocol_version.as_deref(), Some("2025-06-18"));
    for server in [None, Some("s")] {
        let error = servers.listen(URI, server).await.expect_err("an old server");
        assert_eq!(error.kind(), Kind::NotWatchable);
        assert!(error.to_string().contains("2026-07-28"), "{error}");
        assert!(error.to_string().contains("2025-06-18"), "{error}");
    }
    within("the end", servers.close()).await;
}

#[tokio::test]
async fn that_answer_method_not_found() {
    let script = script(|request| vec![error(request, -32601, "no such method")]);
    tools_work_and_watching_does_not(script.source, timeouts()).await;
}

#[tokio::test]
async fn that_answer_with_the_versions_they_support() {
    let script = script(|request| {
        let mut refusal = error(request, -32022, "unsupported protocol version");
        refusal["error"]["data"] = json!({"supported": ["2025-06-18"], "requested": "2026-07-28"});
        vec![refusal]
    });
    tools_work_and_watching_does_not(script.source, timeouts()).await;
}

#[tokio::test]
async fn that_discover_only_old_versions() {
    let script = script(|request| vec![discovered(request, &["2025-06-18", "2024-11-05"])]);
    tools_work_and_watching_does_not(script.source, timeouts()).await;
}

#[tokio::test]
async fn that_hang_up_on_the_probe() {
    let script = script(|_| vec![HANG_UP]);
    tools_work_and_watching_does_not(script.source, timeouts()).await;
}

#[tokio::test]
async fn that_ignore_the_probe() {
    let script = script(|_| vec![]);
    let impatient = Timeouts { connect: Duration::from_millis(500), ..timeouts() };
    tools_work_and_watching_does_not(script.source, impatient).await;
}

#[tokio::test]
async fn that_exit_on_the_probe() {
    let program = r#"
        while read -r line; do
            id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
            case "$line" in
            *server/discover*) exit 3 ;;
            *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"resources":{"subscribe":true},"tools":{}},"serverInfo":{"name":"old","version":"1"}}' ;;
            *tools/list*) result='{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}' ;;
            *resources/templates/list*) result='{"resourceTemplates":[]}' ;;
            *resources/list*) result='{"resources":[]}' ;;
            *tools/call*) result='{"content":[{"type":"text","text":"seen"}]}' ;;
            *) continue ;;
            esac
            printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
        done
    "#;
    let source = Source::Stdio { command: ["sh", "-c", program].map(str::to_owned).to_vec(), env: BTreeMap::new() };
    tools_work_and_watching_does_not(source, timeouts()).await;
}
