//! What the check of a server reports.

use asyncai_mcp::check::check;
use serde_json::json;

use crate::script::{Script, acknowledged, error, modern, modern_but, result, timeouts, within};

#[tokio::test]
async fn a_watchable_server_lacks_nothing_but_what_it_lists() {
    let script = Script::new(modern);
    let report = within("a report", check(&script.source, &timeouts())).await;
    let missing: Vec<_> = report.findings.iter().filter(|finding| !finding.met).collect();
    let [template] = &missing[..] else { panic!("{report}") };
    assert_eq!(template.subject, "x://{name}/part");
    assert!(template.text.contains("Example:"), "{report}");
    assert!(report.to_string().contains("ok      x://thing: subscriptions/listen acknowledges it"), "{report}");
}

#[tokio::test]
async fn each_lack_is_named() {
    let script = modern_but("subscriptions/listen", |request| vec![acknowledged(request, &[])]);
    let report = within("a report", check(&script.source, &timeouts())).await;
    assert!(!report.watchable());
    assert!(report.to_string().contains("missing x://thing: x://thing cannot be watched"), "{report}");

    let script = Script::new(|request| match request["method"].as_str() {
        Some("server/discover") => vec![error(request, -32601, "unknown")],
        Some("initialize") => vec![result(
            request,
            json!({
                "protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "old", "version": "1"},
            }),
        )],
        _ => vec![],
    });
    let report = within("a report", check(&script.source, &timeouts())).await;
    let text = report.to_string();
    assert!(text.contains("server/discover must offer 2026-07-28"), "{text}");
    assert!(text.contains("resources.subscribe must be true"), "{text}");
    assert!(text.contains("lists no resource"), "{text}");
}
