//! A reader whose past has to be asked for, of an API server that does not answer at once.

use serde_json::Value;

use super::*;
use crate::kcp::fake::{EPOCH, Fake, target};

/// A log of the fake as it is now.
async fn shared(fake: &Fake) -> Shared {
    let (source, target) = (fake.source(), target());
    let live = source.seed(&target, &[]).await.expect("a seed");
    fake.requests();
    Shared::new(source, target.workspace, Some(live))
}

/// A body in short: `epoch head` and each event's type.
async fn told(shared: &Shared, seq: u64) -> String {
    let since = Since { epoch: EPOCH.to_owned(), seq };
    let body = shared.answer(Some(&since)).await.expect("an answer").expect("a log");
    let body: Value = serde_json::from_str(&body).expect("JSON");
    let events = body["events"].as_array().expect("events").iter();
    let events: Vec<String> = events.map(|event| format!(" {}", event["type"].as_str().expect("type"))).collect();
    format!("{} {}{}", body["epoch"].as_str().expect("epoch"), body["head"], events.concat())
}

#[tokio::test(start_paused = true)]
async fn expired_credentials_are_renewed_for_this_reader_and_the_next() {
    let fake = Fake::new();
    let old = fake.put("a");
    fake.put("b");
    let shared = shared(&fake).await;
    let upstream = || Arc::clone(shared.live().lock().as_ref().expect("a log").collection.upstream());
    let expired = upstream();
    fake.refuse_next(401, "the token has expired");
    assert_eq!(told(&shared, old).await, "fake 102 ADDED");
    assert_eq!(fake.requests(), ["list at 101", "list at 101"]);
    assert!(!Arc::ptr_eq(&upstream(), &expired));
    let kept = shared.source.clients.get(&shared.workspace).await.expect("a connection");
    assert!(Arc::ptr_eq(&upstream(), &kept));
}

#[tokio::test(start_paused = true)]
async fn credentials_that_stay_refused_are_an_error() {
    let fake = Fake::new();
    let old = fake.put("a");
    fake.put("b");
    let shared = shared(&fake).await;
    fake.refuse(Some((401, "the token has expired")));
    let error = shared.answer(Some(&Since { epoch: EPOCH.to_owned(), seq: old })).await.expect_err("refused");
    assert!(error.is_unauthorized());
    assert_eq!(fake.requests(), ["list at 101", "list at 101"]);
}

#[tokio::test(start_paused = true)]
async fn an_api_server_that_is_a_little_behind_is_waited_for() {
    let fake = Fake::new();
    let old = fake.put("a");
    fake.put("b");
    let shared = shared(&fake).await;
    fake.refuse_next(504, "Too large resource version");
    assert_eq!(told(&shared, old).await, "fake 102 ADDED");
    fake.refuse_next(504, "Too large resource version");
    fake.pass(10);
    assert_eq!(told(&shared, 110).await, "fake 110");
}

#[tokio::test(start_paused = true)]
async fn an_api_server_that_stays_behind_has_lost_its_versions() {
    let fake = Fake::new();
    fake.put("a");
    assert_eq!(told(&shared(&fake).await, 110).await, "fake~101 101");
    assert_eq!(fake.requests(), ["list at 110", "list at 110"]);
}
