//! Which reads and subscriptions share a watch.

use super::*;
use crate::kcp::fake::{EPOCH, Fake, target};

const URI: &str = "kcp-events://watch/local/cm";

fn kcp(fake: &Fake) -> Kcp {
    Kcp::new(Options {
        access: Access::ReadOnly,
        credentials: Credentials::Client(fake.client()),
        service_account: None,
        epoch: Some(EPOCH.to_owned()),
        name: None,
    })
}

async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_read_without_a_subscription_lists_once_and_watches_nothing() {
    let fake = Fake::new();
    let version = fake.put("a");
    let body = kcp(&fake).read_events(URI, &target(), None).await.expect("a body");
    settle().await;
    assert_eq!(body, format!(r#"{{"epoch":"{EPOCH}","floor":{version},"head":{version},"events":[]}}"#));
    assert_eq!(fake.requests(), ["list"]);
}

#[tokio::test(start_paused = true)]
async fn a_read_without_a_subscription_tells_what_is_newer() {
    let fake = Fake::new();
    let seq = fake.put("a");
    fake.put("b");
    let since = Since { epoch: EPOCH.to_owned(), seq };
    let body = kcp(&fake).read_events(URI, &target(), Some(&since)).await.expect("a body");
    assert!(body.contains(r#""events":[{"seq":102,"type":"ADDED","object":"#), "{body}");
    assert_eq!(fake.requests(), ["list", "list at 101"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_served_is_asked_for_once_until_a_name_is_not_found() {
    let fake = Fake::new();
    let kcp = kcp(&fake);
    for _ in 0..3 {
        kcp.read_events(URI, &target(), None).await.expect("a body");
    }
    assert_eq!(fake.discoveries(), 2);
    let unknown = Target { resource: "unknown".to_owned(), ..target() };
    kcp.read_events("kcp-events://watch/local/unknown", &unknown, None).await.expect_err("unknown");
    assert_eq!(fake.discoveries(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_subscribers_share_one_watch_until_the_last_leaves() {
    let fake = Fake::new();
    let kcp = kcp(&fake);
    let mut leases: Vec<_> = (0..1000).map(|_| kcp.lease(URI).expect("a lease")).collect();
    kcp.read_events(URI, &target(), None).await.expect("a body");
    settle().await;
    assert_eq!(fake.requests(), ["list", "watch 100"]);
    leases.truncate(1);
    settle().await;
    assert_eq!(fake.open(), 1);
    leases.clear();
    settle().await;
    assert_eq!(fake.open(), 0);
    let again = kcp.lease(URI).flatten().expect("a watch");
    again.read(None).await.expect("a body");
    settle().await;
    assert_eq!(fake.requests(), ["list", "watch 100"]);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_watched_gets_no_lease() {
    let kcp = kcp(&Fake::new());
    for uri in ["kcp-api://local/resources", "kcp-api://local", "memo://notes"] {
        assert!(kcp.lease(uri).is_none(), "{uri}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_mistaken_uri_is_accepted_without_a_watch_so_that_the_read_can_explain_it() {
    let kcp = kcp(&Fake::new());
    for uri in ["kcp-events://watch/local/../x", "kcp-events://watch/local/cm?kcp=other", "kcp-events://watch/local"] {
        assert!(kcp.lease(uri).is_some_and(|lease| lease.is_none()), "{uri}");
        assert!(kcp.parse(uri).is_err(), "{uri}");
    }
}

#[tokio::test(start_paused = true)]
async fn watches_are_limited_and_room_is_made() {
    let kcp = kcp(&Fake::new());
    let lease = |index: usize| kcp.lease(&format!("{URI}?fieldSelector=metadata.name={index}"));
    let mut leases: Vec<_> = (0..MAX_WATCHERS).map(|index| lease(index).expect("a lease")).collect();
    assert!(lease(MAX_WATCHERS).is_none());
    assert!(lease(0).is_some());
    leases.pop();
    assert!(lease(MAX_WATCHERS).is_some());
}

#[test]
fn a_readers_place_must_make_sense() {
    assert_eq!(since(None).expect("none"), None);
    let place = since(Some(&json!({"epoch": "e", "seq": 7}))).expect("a place");
    assert_eq!(place, Some(Since { epoch: "e".to_owned(), seq: 7 }));
    for wrong in [json!(7), json!({"epoch": "e"}), json!({"epoch": "e", "seq": -1}), json!({"epoch": 1, "seq": 1})] {
        let error = since(Some(&wrong)).expect_err("wrong");
        assert!(error.message.contains("asyncai.dev/since"), "{}", error.message);
    }
}
