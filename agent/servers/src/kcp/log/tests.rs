//! What readers of a log are told, wherever they stand.

use serde_json::Value;

use super::*;

const EPOCH: &str = "cluster";

fn object(uid: &str, version: u64) -> Object {
    Object { uid: uid.into(), version, json: format!(r#"{{"{uid}":{version}}}"#) }
}

fn known(objects: &[(&str, u64)]) -> Known {
    let mut known = Known::default();
    for (uid, version) in objects {
        known.insert(object(uid, *version));
    }
    known
}

fn log(objects: &[(&str, u64)], version: u64) -> Log {
    Log::new(EPOCH, known(objects), version)
}

fn since(epoch: &str, seq: u64) -> Since {
    Since { epoch: epoch.to_owned(), seq }
}

/// Follows events of `(kind, uid, version)`, each in a batch of its own.
fn follow(log: &mut Log, events: &[(Kind, &str, u64)]) {
    for (kind, uid, version) in events {
        log.follow(*kind, object(uid, *version));
        log.seal();
    }
}

/// A body in short: `epoch floor..head` and each event as `seq TYPE`.
fn short(body: &str) -> String {
    let body: Value = serde_json::from_str(body).expect("a body");
    let events = body["events"].as_array().expect("events");
    let events: Vec<String> =
        events.iter().map(|event| format!(" {} {}", event["seq"], event["type"].as_str().expect("type"))).collect();
    format!("{} {}..{}{}", body["epoch"].as_str().expect("epoch"), body["floor"], body["head"], events.concat())
}

fn told(log: &Log, since: Option<&Since>) -> String {
    match log.answer(since) {
        Answer::Body(body) => short(&body),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_new_log_is_empty_and_complete_up_to_its_list() {
    assert_eq!(told(&log(&[("a", 3)], 7), None), "cluster 7..7");
}

#[test]
fn events_take_their_version_as_seq() {
    let mut log = log(&[("a", 3)], 7);
    follow(&mut log, &[(Kind::Modified, "a", 8), (Kind::Added, "b", 11), (Kind::Deleted, "a", 12)]);
    assert_eq!(told(&log, None), "cluster 7..12 8 MODIFIED 11 ADDED 12 DELETED");
    assert_eq!(told(&log, Some(&since(EPOCH, 8))), "cluster 7..12 11 ADDED 12 DELETED");
    assert_eq!(told(&log, Some(&since(EPOCH, 12))), "cluster 7..12");
}

#[test]
fn a_bookmark_moves_the_head_and_tells_nothing() {
    let mut log = log(&[], 7);
    log.bookmark(20);
    assert_eq!(told(&log, Some(&since(EPOCH, 7))), "cluster 7..20");
    assert_eq!(log.version(), 20);
}

#[test]
fn an_added_object_that_is_known_is_not_told() {
    let mut log = log(&[("a", 3)], 7);
    assert!(!log.follow(Kind::Added, object("a", 3)));
    assert_eq!(told(&log, None), "cluster 7..7");
}

#[test]
fn events_of_one_version_in_one_batch_are_one_unit() {
    let mut log = log(&[("a", 3), ("b", 4), ("c", 5)], 7);
    log.follow(Kind::Deleted, object("a", 9));
    log.follow(Kind::Deleted, object("b", 9));
    log.seal();
    assert_eq!(told(&log, None), "cluster 7..9 9 DELETED 9 DELETED");
}

#[test]
fn a_late_event_of_the_same_version_is_still_told_to_readers_at_the_head() {
    let mut log = log(&[("a", 3), ("b", 4)], 7);
    follow(&mut log, &[(Kind::Deleted, "a", 9), (Kind::Deleted, "b", 9)]);
    assert_eq!(told(&log, Some(&since(EPOCH, 9))), "cluster 7..10 10 DELETED");
    assert_eq!(log.version(), 9);
}

#[test]
fn a_relist_tells_the_net_change_in_one_unit_at_its_version() {
    let mut log = log(&[("same", 1), ("changed", 2), ("gone", 3)], 7);
    assert!(log.relist(known(&[("same", 1), ("changed", 9), ("new", 8)]), 20));
    assert_eq!(told(&log, Some(&since(EPOCH, 7))), "cluster 7..20 20 DELETED 20 ADDED 20 MODIFIED");
}

#[test]
fn a_relist_without_a_change_moves_the_head_only() {
    let mut log = log(&[("same", 1)], 7);
    assert!(!log.relist(known(&[("same", 1)]), 20));
    assert_eq!(told(&log, Some(&since(EPOCH, 7))), "cluster 7..20");
}

#[test]
fn an_error_is_told_to_readers_at_the_head_who_stay_there() {
    let mut log = log(&[], 7);
    log.fail("forbidden");
    assert_eq!(told(&log, Some(&since(EPOCH, 7))), "cluster 7..7 8 ERROR");
    assert_eq!(told(&log, None), "cluster 7..7 8 ERROR");
}

#[test]
fn what_follows_an_error_takes_its_version_as_ever() {
    let mut log = log(&[], 7);
    log.fail("forbidden");
    assert!(log.relist(known(&[("new", 8)]), 8));
    assert_eq!(told(&log, Some(&since(EPOCH, 7))), "cluster 7..8 8 ERROR 8 ADDED");
    log.fail("forbidden");
    log.fail("forbidden");
    follow(&mut log, &[(Kind::Modified, "new", 9), (Kind::Modified, "new", 30)]);
    assert_eq!(told(&log, Some(&since(EPOCH, 8))), "cluster 7..30 9 ERROR 9 ERROR 9 MODIFIED 30 MODIFIED");
}

#[test]
fn an_error_does_not_look_like_versions_going_back() {
    let mut log = log(&[], 7);
    log.fail("gone");
    assert!(!log.relist(known(&[]), 7));
    assert_eq!(told(&log, Some(&since(EPOCH, 7))), "cluster 7..7 8 ERROR");
    log.bookmark(9);
    assert_eq!(told(&log, Some(&since(EPOCH, 8))), "cluster 7..9");
}

#[test]
fn an_error_is_taken_back_when_the_source_is_well_again() {
    let mut log = log(&[], 7);
    assert!(!log.recovered());
    log.fail("gone");
    assert!(log.recovered());
    assert_eq!(told(&log, Some(&since(EPOCH, 7))), "cluster 7..7");
    assert!(!log.recovered(), "told once");
}

#[test]
fn versions_that_go_back_begin_another_epoch_with_the_difference() {
    let mut log = log(&[("a", 3), ("b", 4)], 70);
    assert!(log.relist(known(&[("a", 3)]), 50));
    assert_eq!(told(&log, Some(&since(EPOCH, 70))), "cluster~50 49..50 50 DELETED");
    assert_eq!(told(&log, Some(&since("cluster~50", 50))), "cluster~50 49..50");
    assert_eq!(told(&log, Some(&since("cluster~40", 50))), "cluster~50 49..50 50 DELETED");
}

#[test]
fn a_new_process_keeps_the_name_that_a_reset_gave() {
    assert_eq!(told(&log(&[], 70), Some(&since("cluster~50", 70))), "cluster~50 70..70");
    assert_eq!(told(&log(&[], 70), Some(&since("other", 70))), "cluster 70..70");
    assert_eq!(told(&log(&[], 70), Some(&since("clusters", 70))), "cluster 70..70");
}

#[test]
fn an_older_reader_must_be_caught_up() {
    let mut log = log(&[("a", 9)], 10);
    follow(&mut log, &[(Kind::Added, "b", 12)]);
    let reader = since(EPOCH, 5);
    assert_eq!(log.answer(Some(&reader)), Answer::Behind);
    assert_eq!(
        short(&log.catch_up(&reader, &known(&[("a", 4), ("x", 2)]))),
        "cluster 5..12 12 DELETED 12 MODIFIED 12 ADDED"
    );
    assert_eq!(short(&log.catch_up(&reader, &known(&[("a", 9), ("b", 12)]))), "cluster 5..12");
}

#[test]
fn a_compacted_past_is_one_gap_and_what_is_newer() {
    let log = log(&[("a", 3), ("b", 9)], 10);
    let body = log.compacted(&since(EPOCH, 5));
    assert_eq!(short(&body), "cluster 5..10 10 GAP 10 MODIFIED");
    assert!(body.contains(r#""reason":"compacted""#), "{body}");
}

#[test]
fn a_newer_reader_is_told_nothing_until_it_is_known_why() {
    let reader = since(EPOCH, 11);
    assert_eq!(log(&[], 10).answer(Some(&reader)), Answer::Ahead);
    assert_eq!(short(&Log::nothing_yet(&reader)), "cluster 11..11");
    assert_eq!(short(&log(&[], 10).reset()), "cluster~10 10..10");
}

#[test]
fn more_events_than_the_ring_holds_leave_old_readers_behind() {
    let mut log = log(&[], 10);
    for version in 11..=11 + CAPACITY as u64 {
        follow(&mut log, &[(Kind::Added, &format!("o{version}"), version)]);
    }
    assert_eq!(log.answer(Some(&since(EPOCH, 10))), Answer::Behind);
    assert!(matches!(log.answer(Some(&since(EPOCH, 11))), Answer::Body(_)));
}

#[test]
fn a_reader_of_seq_0_is_told_everything_there_is() {
    let log = log(&[("b", 9), ("a", 3)], 10);
    assert_eq!(told(&log, Some(&since("", 0))), "cluster 0..10 10 ADDED 10 ADDED");
}

/// Objects of a megabyte, more of them than a body may carry.
fn large() -> Known {
    let mut known = Known::default();
    for version in 1..=20 {
        let json = format!(r#"{{"x":"{}"}}"#, "x".repeat(1 << 20));
        known.insert(Object { uid: format!("{version}").into(), version, json });
    }
    known
}

#[test]
fn changes_that_no_client_would_take_are_a_gap_and_are_not_all_unpacked() {
    let now = large();
    let mut unpacked = 0;
    let before = Known::default();
    let events = unit(before.changes(&now).inspect(|_| unpacked += 1), 30);
    assert_eq!((events, unpacked), (vec![too_large(30)], 8));
}

#[test]
fn a_relist_that_no_client_would_take_is_held_as_one_gap() {
    let mut log = log(&[], 7);
    assert!(log.relist(large(), 30));
    assert!(log.ring.body(None, None).len() < 1000);
    assert_eq!(told(&log, Some(&since(EPOCH, 7))), "cluster 7..30 30 GAP");
    follow(&mut log, &[(Kind::Deleted, "1", 31)]);
    assert_eq!(told(&log, Some(&since(EPOCH, 30))), "cluster 7..31 31 DELETED");
}

#[test]
fn a_reader_who_missed_too_much_is_told_one_gap() {
    let mut log = log(&[], 7);
    log.relist(large(), 30);
    assert_eq!(short(&log.catch_up(&since(EPOCH, 5), &Known::default())), "cluster 5..30 30 GAP");
    assert_eq!(told(&log, Some(&since("", 0))), "cluster 0..30 30 GAP");
}

#[test]
fn a_body_that_no_client_would_take_is_a_gap() {
    let mut log = log(&[], 10);
    let json = format!(r#"{{"x":"{}"}}"#, "x".repeat(MAX_BODY));
    log.follow(Kind::Added, Object { uid: "x".into(), version: 12, json });
    assert_eq!(told(&log, Some(&since(EPOCH, 10))), "cluster 10..12 12 GAP");
    assert_eq!(told(&log, None), "cluster 10..12 12 GAP");
}
