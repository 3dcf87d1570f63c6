//! Subscriptions: how they begin, what they tell, and how they end.

use std::time::Duration;

use asyncai_mcp::{Change, Kind, Servers, Timeouts};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::script::{
    Script, URI, acknowledged, error, modern, modern_but, result, servers, timeouts, until, updated, within,
};

async fn ended(subscription: &mut asyncai_mcp::Subscription) -> String {
    let end = async {
        loop {
            if let Change::Ended(reason) = subscription.next().await {
                return reason;
            }
        }
    };
    within("the end of a subscription", end).await
}

#[tokio::test]
async fn a_subscription_asks_for_its_uri_alone() {
    let mut script = Script::new(modern);
    let servers = servers(&script.source);
    let subscription = servers.listen(URI, None).await.expect("a subscription");
    assert_eq!(subscription.server(), "s");
    let listen = script.hears("subscriptions/listen").await;
    assert_eq!(listen["params"]["notifications"], json!({"resourceSubscriptions": [URI]}));
}

#[tokio::test]
async fn a_burst_is_told_and_does_not_break_the_subscription() {
    let mut script = Script::new(modern);
    let servers = servers(&script.source);
    let mut subscription = servers.listen(URI, None).await.expect("a subscription");
    let listen = script.hears("subscriptions/listen").await;
    for _ in 0..5000 {
        script.push(updated(&listen, URI));
    }
    assert_eq!(within("an update", subscription.next()).await, Change::Updated);
    // The end of the burst is behind this answer.
    within("a read", servers.read(URI, None, None)).await.expect("a read");
    script.push(result(
        &listen,
        json!({
            "resultType": "complete", "_meta": {"io.modelcontextprotocol/subscriptionId": listen["id"]},
        }),
    ));
    assert_eq!(ended(&mut subscription).await, "the server ended the subscription");
}

#[tokio::test]
async fn an_end_is_repeated() {
    let mut script = Script::new(modern);
    let servers = servers(&script.source);
    let mut subscription = servers.listen(URI, None).await.expect("a subscription");
    let listen = script.hears("subscriptions/listen").await;
    script.push(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": listen["id"]}}));
    assert_eq!(ended(&mut subscription).await, "the server cancelled the subscription");
    assert_eq!(ended(&mut subscription).await, "the server cancelled the subscription");
}

#[tokio::test]
async fn a_lost_connection_ends_it_and_comes_back() {
    let script = Script::new(modern);
    let (events, mut changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    servers.apply("s", script.source.clone());
    let mut subscription = servers.listen(URI, None).await.expect("a subscription");
    script.hang_up();
    ended(&mut subscription).await;
    until(&servers, &mut changes, |status| !status[0].ready).await;
    let error = servers.listen(URI, None).await.expect_err("it is down");
    assert_eq!(error.kind(), Kind::ServerDown);
    until(&servers, &mut changes, |status| status[0].ready).await;
    servers.listen(URI, None).await.expect("a subscription on the new connection");
}

#[tokio::test]
async fn dropping_one_cancels_it_on_the_wire() {
    let mut script = Script::new(modern);
    let servers = servers(&script.source);
    let subscription = servers.listen(URI, None).await.expect("a subscription");
    let listen = script.hears("subscriptions/listen").await;
    drop(subscription);
    let cancelled = script.hears("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], listen["id"]);
}

#[tokio::test]
async fn removing_the_server_ends_it() {
    let script = Script::new(modern);
    let servers = servers(&script.source);
    let mut subscription = servers.listen(URI, None).await.expect("a subscription");
    servers.remove("s");
    assert_eq!(ended(&mut subscription).await, "the server was removed");
    let error = servers.listen(URI, Some("s")).await.expect_err("it is gone");
    assert_eq!(error.kind(), Kind::UnknownServer);
}

#[tokio::test]
async fn applying_the_same_source_again_changes_nothing() {
    let (script, other) = (Script::new(modern), Script::new(modern));
    let servers = servers(&script.source);
    let mut subscription = servers.listen(URI, None).await.expect("a subscription");
    servers.apply("s", script.source.clone());
    servers.read(URI, None, None).await.expect("a read");
    assert_eq!(servers.status().len(), 1);
    assert!(servers.status()[0].ready, "it was not connected anew");
    servers.apply("s", other.source.clone());
    assert_eq!(ended(&mut subscription).await, "the server was removed");
    within("the other source", servers.listen(URI, None)).await.expect("a subscription");
}

#[tokio::test]
async fn without_an_acknowledgement_it_fails() {
    let script = modern_but("subscriptions/listen", |_| vec![]);
    let (events, _changes) = mpsc::channel(1);
    let acknowledge = Duration::from_millis(200);
    let servers = Servers::with_timeouts(events, Timeouts { acknowledge, ..timeouts() });
    servers.apply("s", script.source.clone());
    let error = within("an error", servers.listen(URI, None)).await.expect_err("no acknowledgement");
    assert_eq!(error.kind(), Kind::ServerDown);
    assert!(error.to_string().contains("not acknowledged within 0.2 s"), "{error}");
}

#[track_caller]
fn refused(error: &asyncai_mcp::Error, kind: Kind, words: &str) {
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

#[tokio::test]
async fn an_acknowledgement_without_the_uri_is_a_refusal() {
    let script = modern_but("subscriptions/listen", |request| vec![acknowledged(request, &[])]);
    let servers = servers(&script.source);
    let error = servers.listen(URI, None).await.expect_err("not honoured");
    refused(&error, Kind::NotWatchable, "without this URI");
}

#[tokio::test]
async fn a_server_without_listen_or_the_capability_is_not_watchable() {
    let script = modern_but("subscriptions/listen", |request| vec![error(request, -32601, "subscriptions/listen")]);
    let first = servers(&script.source);
    let error = first.listen(URI, None).await.expect_err("not served");
    refused(&error, Kind::NotWatchable, "does not serve subscriptions/listen");

    let script = modern_but("server/discover", |request| {
        vec![result(
            request,
            json!({
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "supportedVersions": ["2026-07-28"], "capabilities": {"resources": {}},
            }),
        )]
    });
    let second = servers(&script.source);
    let error = second.listen(URI, None).await.expect_err("not advertised");
    refused(&error, Kind::NotWatchable, "resources.subscribe");
}

#[tokio::test]
async fn a_refusal_in_the_servers_words_is_passed_on() {
    let script =
        modern_but("subscriptions/listen", |request| vec![error(request, -32602, "no such thing; did you mean x?")]);
    let servers = servers(&script.source);
    let error = servers.listen(URI, None).await.expect_err("refused");
    refused(&error, Kind::SourceError, "did you mean x?");
}

/// The library breaks off on an update of a part of what is watched, which the schema allows.
#[tokio::test(start_paused = true)]
async fn an_update_of_a_part_counts_as_one_of_the_whole() {
    let mut script = Script::new(modern);
    let servers = servers(&script.source);
    let mut subscription = servers.listen(URI, None).await.expect("a subscription");
    let listen = script.hears("subscriptions/listen").await;
    tokio::time::advance(Duration::from_secs(2)).await;
    script.push(updated(&listen, "x://thing/part"));
    assert_eq!(within("an update", subscription.next()).await, Change::Updated);
    let again = script.hears("subscriptions/listen").await;
    script.push(updated(&again, URI));
    assert_eq!(within("an update", subscription.next()).await, Change::Updated);
}

#[tokio::test]
async fn a_server_that_breaks_off_at_once_is_not_asked_for_ever() {
    let script = modern_but("subscriptions/listen", |request: &Value| {
        vec![acknowledged(request, &[URI]), updated(request, "x://thing/part")]
    });
    let servers = servers(&script.source);
    let mut subscription = servers.listen(URI, None).await.expect("a subscription");
    assert_eq!(ended(&mut subscription).await, "the server broke off the subscription");
}
