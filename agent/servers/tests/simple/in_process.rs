//! In this process, over an in-memory pipe.

use asyncai_mcp::{Change, Kind};
use asyncai_servers::simple::{NOTES, Simple};
use serde_json::json;

use crate::support::{Client, here, next, within};

#[tokio::test]
async fn a_change_is_pushed_and_can_be_read() {
    Client::new(here(Simple::new())).hears_changes().await;
}

#[tokio::test]
async fn it_describes_itself() {
    let client = Client::new(here(Simple::new()));
    client.notes().await;
    let [notes] = &client.servers.resources()[..] else { panic!("one resource") };
    assert_eq!(notes.uri, NOTES);
    assert_eq!(notes.example.as_deref(), Some("await watch_start(name=\"notes\", uri=\"memo://notes\")"));
    let [tool] = &client.servers.tools()[..] else { panic!("one tool") };
    assert!(!tool.read_only);
    let status = &client.servers.status()[0];
    assert_eq!(status.protocol_version.as_deref(), Some("2026-07-28"));
    assert!(status.ready && status.subscribable);
    assert_eq!(status.message, None);
}

#[tokio::test]
async fn what_it_does_not_have_is_refused() {
    let client = Client::new(here(Simple::new()));
    let error = client.servers.listen("memo://other", None).await.expect_err("no such resource");
    assert_eq!(error.kind(), Kind::NotWatchable);
    let error = client.servers.read("memo://other", None, None).await.expect_err("no such resource");
    assert_eq!(error.kind(), Kind::SourceError);
    assert_eq!(error.to_string(), "s: no resource \"memo://other\"; there is memo://notes");
    let error = client.servers.call("s", "other", serde_json::Map::new()).await.expect_err("no such tool");
    assert!(error.to_string().contains("there is memo_set"), "{error}");
}

/// The protocol library acknowledges before it lets a server listen; what changes in between must
/// be told all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_change_right_after_the_acknowledgement_is_told() {
    let client = Client::new(here(Simple::new()));
    for round in 0..150 {
        let mut subscription = client.listen().await;
        client.set("round", json!(round)).await;
        assert_eq!(next(&mut subscription).await, Change::Updated, "round {round}");
        assert_eq!(client.notes().await["round"], round);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_burst_loses_nothing() {
    let client = Client::new(here(Simple::new()));
    let mut subscription = client.listen().await;
    let writes = async {
        for count in 1..=300 {
            client.set("count", json!(count)).await;
        }
    };
    let reads = async {
        loop {
            assert_eq!(next(&mut subscription).await, Change::Updated);
            if client.notes().await["count"] == 300 {
                return;
            }
        }
    };
    let both = Box::pin(async { tokio::join!(writes, reads) });
    within("the last of the burst", both).await;
}

#[tokio::test]
async fn every_listener_hears_of_it() {
    let simple = Simple::new();
    let (one, other) = (Client::new(here(simple.clone())), Client::new(here(simple)));
    let mut subscriptions = [one.listen().await, one.listen().await, other.listen().await];
    other.set("a", json!(1)).await;
    for subscription in &mut subscriptions {
        assert_eq!(next(subscription).await, Change::Updated);
    }
}
