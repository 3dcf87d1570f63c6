//! A watch of an API server that misbehaves: what is asked of it, and what readers are told.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use super::*;
use crate::kcp::fake::{EPOCH, Fake, target};

/// A watcher of the fake with one reader, who reads when told to and remembers where it stands.
struct Reader {
    watcher: Watcher,
    updates: UnboundedReceiver<()>,
    since: Option<Since>,
    /// What it was told beyond the head, where it stands.
    ahead: Vec<Value>,
}

impl Reader {
    fn new(fake: &Fake, since: Option<u64>) -> Self {
        let (sender, updates) = mpsc::unbounded_channel();
        let watcher = Watcher::start(fake.source(), target(), move || {
            let _ = sender.send(());
        });
        Self { watcher, updates, since: since.map(at), ahead: Vec::new() }
    }

    /// Reads, and moves to the head.
    async fn read(&mut self) -> Vec<Value> {
        let body = self.watcher.read(self.since.as_ref()).await.expect("a body");
        let body: Value = serde_json::from_str(&body).expect("JSON");
        let epoch = body["epoch"].as_str().expect("epoch").to_owned();
        let head = body["head"].as_u64().expect("head");
        let known = self.since.as_ref().filter(|since| since.epoch == epoch).map_or(0, |since| since.seq);
        assert!(head >= known, "the head went back from {known} to {head}");
        let events = body["events"].as_array().expect("events").clone();
        let first = self.since.is_none();
        self.since = Some(Since { epoch, seq: head });
        let ahead = events.iter().filter(|event| event["seq"].as_u64() > Some(head)).cloned().collect();
        let told = std::mem::replace(&mut self.ahead, ahead);
        let new = |event: &Value| !first && event["seq"].as_u64() > Some(known) && !told.contains(event);
        events.into_iter().filter(new).collect()
    }

    /// Waits for an update, then reads.
    async fn next(&mut self) -> Vec<String> {
        self.updates.recv().await.expect("an update");
        while self.updates.try_recv().is_ok() {}
        self.read().await.iter().map(short).collect()
    }

    async fn now(&mut self) -> Vec<String> {
        self.read().await.iter().map(short).collect()
    }

    fn seq(&self) -> u64 {
        self.since.as_ref().map_or(0, |since| since.seq)
    }
}

fn at(seq: u64) -> Since {
    Since { epoch: EPOCH.to_owned(), seq }
}

/// `TYPE name` and, where it carries one, the version of `old`.
fn short(event: &Value) -> String {
    let kind = event["type"].as_str().expect("type");
    match kind {
        "ERROR" => format!("ERROR {}", event["message"].as_str().expect("message")),
        "GAP" => format!("GAP {}", event["reason"].as_str().expect("reason")),
        _ => {
            let old = event["old"]["metadata"]["resourceVersion"].as_str().map(|old| format!(" was {old}"));
            format!("{kind} {}{}", event["object"]["metadata"]["name"].as_str().expect("name"), old.unwrap_or_default())
        }
    }
}

/// Lets everything that is ready run.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

/// Lets virtual time pass, with everything that happens in it.
async fn elapse(time: Duration) {
    tokio::time::sleep(time).await;
}

#[tokio::test(start_paused = true)]
async fn the_first_read_waits_for_the_seed_and_sets_where_the_reader_stands() {
    let fake = Fake::new();
    fake.put("a");
    let mut reader = Reader::new(&fake, None);
    assert!(reader.now().await.is_empty());
    assert_eq!(reader.seq(), 101);
    settle().await;
    assert_eq!(fake.requests(), ["list", "watch 101"]);
}

#[tokio::test(start_paused = true)]
async fn changes_are_told_with_what_was_before() {
    let fake = Fake::new();
    fake.put("a");
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    fake.put("a");
    fake.put("b");
    assert_eq!(reader.next().await, ["MODIFIED a was 101", "ADDED b"]);
    fake.delete("a");
    assert_eq!(reader.next().await, ["DELETED a"]);
    assert_eq!(reader.seq(), 104);
}

#[tokio::test(start_paused = true)]
async fn managed_fields_are_neither_in_the_object_nor_in_old() {
    let fake = Fake::new();
    fake.put("a");
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    fake.put("a");
    reader.updates.recv().await;
    let events = reader.read().await;
    assert_eq!(events[0]["object"]["data"]["at"], "102");
    assert_eq!(events[0]["old"]["data"]["at"], "101");
    assert!(!events[0].to_string().contains("managedFields"));
}

#[tokio::test(start_paused = true)]
async fn an_added_object_of_the_list_is_suppressed() {
    let fake = Fake::new();
    let version = fake.put("a");
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    let object =
        json!({"kind": "ConfigMap", "metadata": {"name": "a", "uid": "a-100", "resourceVersion": version.to_string()}});
    fake.send(&json!({"type": "ADDED", "object": object}));
    settle().await;
    assert!(reader.updates.try_recv().is_err());
    assert!(reader.now().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn two_deletions_at_one_version_are_both_told_even_if_one_is_late() {
    let fake = Fake::new();
    fake.put("a");
    fake.put("b");
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    let delete = |name: &str, uid: &str| {
        let metadata = json!({"name": name, "uid": uid, "resourceVersion": "110"});
        fake.send(&json!({"type": "DELETED", "object": {"metadata": metadata}}));
    };
    delete("a", "a-100");
    assert_eq!(reader.next().await, ["DELETED a"]);
    delete("b", "b-101");
    assert_eq!(reader.next().await, ["DELETED b"]);
}

#[tokio::test(start_paused = true)]
async fn a_bookmark_moves_the_head_silently() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    fake.pass(50);
    fake.bookmark();
    settle().await;
    assert!(reader.updates.try_recv().is_err());
    assert!(reader.now().await.is_empty());
    assert_eq!(reader.seq(), 150);
}

#[tokio::test(start_paused = true)]
async fn an_idle_watch_asks_for_nothing() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    fake.requests();
    for _ in 0..30 {
        tokio::time::advance(Duration::from_mins(1)).await;
        fake.bookmark();
        settle().await;
    }
    assert_eq!(fake.requests(), Vec::<String>::new());
    assert_eq!(fake.open(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failed_seed_fails_the_read_and_the_next_read_tries_again() {
    let fake = Fake::new();
    fake.refuse(Some((403, "configmaps is forbidden")));
    let mut reader = Reader::new(&fake, None);
    let error = reader.watcher.read(None).await.expect_err("forbidden").to_string();
    assert_eq!(error, "the API server answered 403 Reason403: configmaps is forbidden");
    fake.refuse(None);
    assert!(reader.now().await.is_empty());
    assert_eq!(reader.seq(), 100);
}

#[tokio::test(start_paused = true)]
async fn a_typo_is_told_what_it_may_mean_before_anything_is_listed() {
    let fake = Fake::new();
    let wrong = Target { resource: "configmpas".to_owned(), ..target() };
    let watcher = Watcher::start(fake.source(), wrong, || {});
    let error = watcher.read(None).await.expect_err("a typo").to_string();
    assert_eq!(error, r#"workspace local serves no resource "configmpas"; did you mean: configmaps"#);
    assert_eq!(fake.requests(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_nobody_reads_still_starts() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    elapse(GRACE).await;
    settle().await;
    fake.put("a");
    reader.updates.recv().await.expect("an update");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_watcher_closes_its_stream() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    assert_eq!(fake.open(), 1);
    drop(reader);
    settle().await;
    assert_eq!(fake.open(), 0);
}

#[tokio::test(start_paused = true)]
async fn long_lists_come_in_pages_of_one_version() {
    let fake = Fake::new().paged(2);
    for name in ["a", "b", "c", "d", "e"] {
        fake.put(name);
    }
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    assert_eq!(fake.requests(), ["list", "list page 105-2", "list page 105-4", "watch 105"]);
    fake.put("e");
    assert_eq!(reader.next().await, ["MODIFIED e was 105"]);
}

#[tokio::test(start_paused = true)]
async fn after_a_cut_stream_the_net_change_is_told_at_the_version_of_the_new_list() {
    let fake = Fake::new();
    for name in ["changed", "gone", "same"] {
        fake.put(name);
    }
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    fake.requests();
    fake.cut();
    fake.put("changed");
    fake.put("new");
    fake.delete("gone");
    fake.pass(10);
    assert_eq!(reader.next().await, ["DELETED gone", "MODIFIED changed was 101", "ADDED new"]);
    assert_eq!(reader.seq(), 116);
    settle().await;
    assert_eq!(fake.requests(), ["list", "watch 116"]);
    fake.put("new");
    assert_eq!(reader.next().await, ["MODIFIED new was 105"]);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_told_its_version_is_too_old_lists_at_once() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    let before = Instant::now();
    fake.pass(5);
    fake.send(
        &json!({"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}}),
    );
    fake.cut();
    fake.put("a");
    assert_eq!(reader.next().await, ["ADDED a"]);
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_watch_whose_version_is_always_too_old_does_not_spin() {
    let fake = Fake::new();
    fake.compact(0, u64::MAX);
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    elapse(Duration::from_mins(10)).await;
    let requests = fake.requests().len();
    assert!(requests < 40, "{requests} requests in ten minutes");
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_is_taken_for_dead() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    fake.bookmark();
    settle().await;
    fake.requests();
    fake.pass(5);
    elapse(SILENCE * 9 / 10).await;
    assert_eq!(fake.requests(), Vec::<String>::new());
    elapse(SILENCE / 5).await;
    assert_eq!(fake.requests(), ["list", "watch 105"]);
}

#[tokio::test(start_paused = true)]
async fn without_bookmarks_silence_is_no_sign_after_a_while() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    elapse(SILENCE * 4).await;
    fake.requests();
    elapse(SILENCE * 40).await;
    assert_eq!(fake.requests(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_lasts_is_told_once_and_recovered_from() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    fake.refuse(Some((401, "the token has expired")));
    fake.cut();
    assert_eq!(reader.next().await, ["ERROR the API server answered 401 Reason401: the token has expired"]);
    elapse(Duration::from_mins(10)).await;
    assert!(reader.updates.try_recv().is_err());
    fake.put("a");
    fake.refuse(None);
    assert_eq!(reader.next().await, ["ADDED a"]);
    settle().await;
    fake.put("a");
    assert_eq!(reader.next().await, ["MODIFIED a was 101"]);
}

#[tokio::test(start_paused = true)]
async fn what_happens_right_after_an_error_is_told_by_another_process_too() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    fake.refuse(Some((503, "unavailable")));
    fake.cut();
    assert_eq!(reader.next().await, ["ERROR the API server answered 503 Reason503: unavailable"]);
    fake.put("a");
    fake.refuse(None);
    let mut other = Reader::new(&fake, Some(reader.seq()));
    let mut told = other.now().await;
    settle().await;
    told.extend(other.now().await);
    assert_eq!(told, ["ADDED a"]);
}

#[tokio::test(start_paused = true)]
async fn streams_that_open_only_to_fail_are_a_failure_that_lasts() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    let status = json!({"kind": "Status", "code": 500, "reason": "InternalError", "message": "etcd is gone"});
    fake.end_watches_with(Some(json!({"type": "ERROR", "object": status})));
    fake.cut();
    let told = timeout(Duration::from_mins(10), reader.next()).await.expect("an update");
    assert_eq!(told, ["ERROR the API server answered 500 InternalError: etcd is gone"]);
}

#[tokio::test(start_paused = true)]
async fn failures_between_which_something_is_heard_are_not_told() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    for _ in 0..10 {
        settle().await;
        fake.bookmark();
        settle().await;
        fake.send(&json!({"type": "ERROR", "object": {"kind": "Status", "code": 500}}));
        fake.cut();
        elapse(Duration::from_mins(2)).await;
    }
    assert!(reader.updates.try_recv().is_err());
}

#[tokio::test(start_paused = true)]
async fn an_endless_line_ends_the_stream_though_it_comes_right_after_a_good_one() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    fake.requests();
    fake.put("a");
    fake.send(&json!({"type": "ADDED", "object": "x".repeat(17 << 20)}));
    assert_eq!(reader.next().await, ["ADDED a"]);
    elapse(Duration::from_secs(2)).await;
    assert_eq!(fake.requests(), ["list", "watch 101"]);
}

#[tokio::test(start_paused = true)]
async fn attempts_grow_rarer_up_to_one_a_minute() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    fake.refuse(Some((503, "unavailable")));
    fake.cut();
    elapse(Duration::from_secs(130)).await;
    fake.requests();
    elapse(Duration::from_mins(10)).await;
    let attempts = fake.requests().len();
    assert!((8..=14).contains(&attempts), "{attempts} attempts in ten minutes");
}

#[tokio::test(start_paused = true)]
async fn a_new_process_starts_where_its_reader_stands() {
    let fake = Fake::new();
    let seen = fake.put("a");
    fake.put("a");
    fake.put("transient");
    fake.delete("transient");
    let mut reader = Reader::new(&fake, Some(seen));
    let mut told = reader.now().await;
    told.extend(reader.next().await);
    assert_eq!(told, ["MODIFIED a was 101", "ADDED transient", "DELETED transient"]);
    assert_eq!(fake.requests(), ["list at 101", "watch 101"]);
    assert_eq!(reader.seq(), 104);
}

#[tokio::test(start_paused = true)]
async fn the_place_of_a_reader_of_another_cluster_means_nothing() {
    let fake = Fake::new();
    fake.put("a");
    let mut reader = Reader::new(&fake, None);
    reader.since = Some(Since { epoch: format!("{EPOCH}s"), seq: 100 });
    assert!(reader.now().await.is_empty());
    settle().await;
    assert_eq!(reader.since, Some(at(101)));
    assert_eq!(fake.requests(), ["list", "watch 101"]);
}

#[tokio::test(start_paused = true)]
async fn a_watch_is_never_opened_before_a_list_answered() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, Some(5000));
    reader.now().await;
    settle().await;
    assert_eq!(fake.requests(), ["list at 5000", "list", "watch 100", "list at 5000", "list at 5000"]);
    assert_eq!(reader.since, Some(Since { epoch: format!("{EPOCH}~100"), seq: 100 }));
    fake.put("a");
    assert_eq!(reader.next().await, ["ADDED a"]);
}

#[tokio::test(start_paused = true)]
async fn when_only_the_watch_is_too_old_the_net_change_is_told_without_a_gap() {
    let fake = Fake::new();
    let seen = fake.put("a");
    fake.put("gone");
    fake.put("a");
    fake.delete("gone");
    fake.put("b");
    fake.compact(0, 105);
    let mut reader = Reader::new(&fake, Some(seen));
    let mut told = reader.now().await;
    told.extend(reader.next().await);
    assert_eq!(told, ["MODIFIED a was 101", "ADDED b"]);
    settle().await;
    assert_eq!(fake.requests(), ["list at 101", "watch 101", "list", "watch 105"]);
}

#[tokio::test(start_paused = true)]
async fn a_compacted_past_is_one_gap_and_every_newer_object() {
    let fake = Fake::new();
    fake.put("old");
    let seen = fake.put("gone");
    fake.put("a");
    fake.delete("gone");
    fake.compact(104, 104);
    let mut reader = Reader::new(&fake, Some(seen));
    assert_eq!(reader.now().await, ["GAP compacted", "MODIFIED a"]);
    assert_eq!(reader.seq(), 104);
    assert!(reader.now().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_second_reader_with_an_older_past_is_caught_up() {
    let fake = Fake::new();
    let old = fake.put("a");
    fake.put("a");
    fake.put("b");
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    reader.since = Some(at(old));
    assert_eq!(reader.now().await, ["MODIFIED a was 101", "ADDED b"]);
    assert!(reader.now().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn two_readers_of_different_past_share_one_watch() {
    let fake = Fake::new();
    let first = fake.put("a");
    fake.put("b");
    let second = fake.delete("b");
    fake.put("c");
    let mut reader = Reader::new(&fake, Some(first));
    let (older, newer) = (at(first), at(second));
    let (behind, ahead) = tokio::join!(reader.watcher.read(Some(&older)), reader.watcher.read(Some(&newer)));
    let told = |body: Result<String, Arc<Error>>| {
        let body: Value = serde_json::from_str(&body.expect("a body")).expect("JSON");
        let events = body["events"].as_array().expect("events").iter().map(short).collect::<Vec<_>>();
        (events, body["head"].as_u64().expect("head"))
    };
    let (mut behind, mut ahead) = (told(behind), told(ahead));
    settle().await;
    for reading in [&mut behind, &mut ahead] {
        reader.since = Some(at(reading.1));
        reading.0.extend(reader.now().await);
    }
    assert_eq!(behind.0, ["ADDED b", "DELETED b", "ADDED c"]);
    assert_eq!(ahead.0, ["ADDED c"]);
    assert_eq!(fake.open(), 1);
}

#[tokio::test(start_paused = true)]
async fn every_reader_is_answered_who_comes_while_the_log_is_seeded() {
    let fake = Fake::new();
    let watcher = Arc::new(Watcher::start(fake.source(), target(), || {}));
    let readers = (0..200).map(|turns| {
        let watcher = Arc::clone(&watcher);
        tokio::spawn(async move {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            watcher.read(None).await.map(drop)
        })
    });
    let all = timeout(Duration::from_mins(1), futures::future::join_all(readers.collect::<Vec<_>>())).await;
    assert!(all.expect("answers in time").into_iter().all(|read| read.expect("a reader").is_ok()));
}

#[tokio::test(start_paused = true)]
async fn an_api_server_that_lists_no_past_is_taken_as_it_is() {
    let fake = Fake::new();
    let seen = fake.put("a");
    fake.put("a");
    fake.refuse_past();
    let mut reader = Reader::new(&fake, Some(seen));
    assert_eq!(reader.now().await, ["GAP compacted", "MODIFIED a"]);
    settle().await;
    fake.put("b");
    assert_eq!(reader.next().await, ["ADDED b"]);
}

#[tokio::test(start_paused = true)]
async fn versions_that_went_back_are_another_epoch() {
    let fake = Fake::new();
    fake.put("a");
    fake.put("b");
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    fake.restore(101);
    assert_eq!(reader.next().await, ["DELETED b"]);
    assert_eq!(reader.since, Some(Since { epoch: format!("{EPOCH}~101"), seq: 101 }));
}

#[tokio::test(start_paused = true)]
async fn more_changes_than_the_log_holds_are_caught_up_too() {
    let fake = Fake::new();
    let mut reader = Reader::new(&fake, None);
    reader.now().await;
    settle().await;
    for index in 0..300 {
        fake.put(&format!("o{index:03}"));
    }
    let mut told = Vec::new();
    while told.len() < 300 {
        told.extend(reader.next().await);
        assert!(!told.iter().any(|line| line.starts_with("GAP")));
    }
    assert_eq!(told.len(), 300);
}

/// A copy of the collection, made of nothing but what a reader is told.
#[derive(Default)]
struct Copy(BTreeMap<String, String>);

impl Copy {
    fn follow(&mut self, events: &[Value]) {
        for event in events {
            if event["type"] == "ERROR" {
                continue;
            }
            let name = event["object"]["metadata"]["name"].as_str().expect("name").to_owned();
            let version = |object: &Value| object["metadata"]["resourceVersion"].as_str().map(str::to_owned);
            let before = self.0.get(&name).cloned();
            match event["type"].as_str() {
                Some("ADDED") => assert_eq!(before, None, "{name} was added twice"),
                Some("MODIFIED") => assert_eq!(before, version(&event["old"]), "the past of {name}"),
                Some("DELETED") => assert!(before.is_some(), "{name} was deleted twice"),
                other => panic!("{other:?}"),
            }
            match event["type"].as_str() {
                Some("DELETED") => self.0.remove(&name),
                _ => self.0.insert(name, version(&event["object"]).expect("version")),
            };
        }
    }
}

/// Whatever happens, the changes that are told lead from what was to what is: none is missed, doubled or out of order.
#[tokio::test(start_paused = true)]
async fn a_reader_can_follow_through_any_trouble() {
    for seed in 0..100 {
        let mut random = fastrand::Rng::with_seed(seed);
        let fake = Fake::new().paged(random.usize(1..4));
        let mut reader = Reader::new(&fake, None);
        reader.now().await;
        let mut copy = Copy::default();
        for _ in 0..120 {
            let name = ["a", "b", "c", "d", "e"][random.usize(..5)];
            match random.u32(..20) {
                0..=7 => drop(fake.put(name)),
                8..=10 if fake.names().iter().any(|known| known == name) => drop(fake.delete(name)),
                11 => drop(fake.bookmark()),
                12 => fake.cut(),
                13 => fake.pass(random.u64(..5)),
                14 => fake.compact(0, if random.bool() { 100_000 } else { 0 }),
                15 => elapse(Duration::from_millis(random.u64(..3000))).await,
                16 => {
                    // A new process goes on where the old one stood.
                    let since = reader.since.clone();
                    fake.compact(0, 0);
                    reader = Reader::new(&fake, None);
                    reader.since = since;
                }
                17 => settle().await,
                18 => fake.refuse(random.bool().then_some((503, "unavailable"))),
                _ => {
                    // A reader without a log to read gets the refusal instead; then it asks again.
                    fake.refuse(None);
                    copy.follow(&reader.read().await);
                }
            }
        }
        fake.refuse(None);
        fake.compact(0, 0);
        fake.cut();
        elapse(Duration::from_mins(5)).await;
        copy.follow(&reader.read().await);
        assert_eq!(copy.0.keys().cloned().collect::<Vec<_>>(), fake.names(), "seed {seed}");
    }
}
