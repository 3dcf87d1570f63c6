//! What the ring holds, evicts and answers.

use super::Ring;
use crate::wire::{Body, Since};
use proptest::prelude::*;

fn ring(capacity: usize, head: u64, seqs: &[u64]) -> Ring {
    let mut ring = Ring::new(capacity, head);
    for (index, seq) in seqs.iter().enumerate() {
        ring.push(*seq, format!(r#"{{"seq":{seq},"n":{index}}}"#));
    }
    ring
}

/// Checks floor, head and the seqs that a reader at `since` of the same epoch gets.
#[track_caller]
fn check(ring: &Ring, since: u64, floor: u64, head: u64, seqs: &[u64]) {
    let since = Since { epoch: "e".into(), seq: since };
    let text = ring.body(Some("e"), Some(&since));
    let body = Body::read(&text).expect("body");
    assert_eq!((body.epoch.as_deref(), body.floor, body.head), (Some("e"), Some(floor), Some(head)));
    assert_eq!(body.events.iter().map(|event| event.seq).collect::<Vec<_>>(), seqs);
}

#[test]
fn an_empty_ring_stands_at_the_head_of_its_source() {
    check(&Ring::new(4, 7), 7, 7, 7, &[]);
}

#[test]
fn a_reader_gets_what_is_newer() {
    check(&ring(4, 0, &[1, 3, 5]), 1, 0, 5, &[3, 5]);
}

#[test]
fn the_floor_is_the_last_evicted_seq() {
    check(&ring(2, 0, &[2, 4, 6]), 2, 2, 6, &[4, 6]);
}

#[test]
fn a_reader_below_the_floor_gets_all() {
    check(&ring(2, 0, &[2, 4, 6]), 1, 2, 6, &[4, 6]);
}

#[test]
fn events_of_one_seq_are_evicted_together() {
    check(&ring(3, 0, &[1, 1, 1, 2]), 0, 1, 2, &[2]);
}

#[test]
fn the_newest_unit_is_kept_whole() {
    check(&ring(2, 0, &[1, 2, 2, 2]), 1, 1, 2, &[2, 2, 2]);
}

#[test]
fn a_bookmark_moves_the_head_and_not_the_floor() {
    let mut ring = ring(2, 0, &[3]);
    ring.advance(9);
    ring.advance(8);
    check(&ring, 4, 0, 9, &[]);
}

#[test]
fn a_unit_is_evicted_also_when_the_head_has_passed_it() {
    let mut ring = ring(2, 0, &[1, 1]);
    ring.advance(5);
    ring.push(6, r#"{"seq":6}"#);
    check(&ring, 1, 1, 6, &[6]);
}

#[test]
fn an_announced_event_is_told_and_leaves_the_head() {
    let mut ring = ring(4, 0, &[3]);
    ring.announce(4, r#"{"seq":4}"#);
    check(&ring, 3, 0, 3, &[4]);
}

#[test]
fn an_event_of_the_source_joins_the_unit_of_an_announced_one() {
    let mut ring = ring(4, 0, &[3]);
    ring.announce(4, r#"{"seq":4}"#);
    ring.push(4, r#"{"seq":4}"#);
    check(&ring, 3, 0, 4, &[4, 4]);
}

#[test]
fn an_announced_event_is_the_newest_unit() {
    let mut ring = ring(2, 0, &[1, 1]);
    ring.announce(2, r#"{"seq":2}"#);
    check(&ring, 1, 1, 1, &[2]);
    ring.announce(2, r#"{"seq":2}"#);
    ring.announce(2, r#"{"seq":2}"#);
    check(&ring, 1, 1, 1, &[2, 2, 2]);
}

#[test]
fn the_floor_never_passes_the_head() {
    let mut ring = ring(1, 0, &[1]);
    ring.announce(2, r#"{"seq":2}"#);
    ring.announce(3, r#"{"seq":3}"#);
    check(&ring, 1, 1, 1, &[2, 3]);
}

#[test]
fn a_reader_of_another_epoch_gets_all() {
    let since = Since { epoch: "other".into(), seq: 2 };
    let text = ring(4, 0, &[1, 2, 3]).body(Some("e"), Some(&since));
    assert_eq!(Body::read(&text).expect("body").events.len(), 3);
}

proptest! {
    #[test]
    fn a_reader_misses_only_what_is_at_or_below_the_floor(
        capacity in 1_usize..6,
        steps in prop::collection::vec(0_u64..3, 0..40),
        since in 0_u64..50,
    ) {
        let seqs: Vec<u64> = steps.iter().scan(1, |seq, step| { *seq += step; Some(*seq) }).collect();
        let ring = ring(capacity, 0, &seqs);
        let (floor, head) = (ring.floor(), ring.head());
        let after = |seq: u64| seqs.iter().copied().filter(|held| *held > seq).collect::<Vec<_>>();
        let text = ring.body(Some("e"), Some(&Since { epoch: "e".into(), seq: since }));
        let told: Vec<u64> = Body::read(&text).expect("body").events.iter().map(|event| event.seq).collect();
        prop_assert_eq!(told, after(since.max(floor)));
        prop_assert!(floor <= head && (floor == 0 || seqs.contains(&floor)));
        let held = after(floor);
        prop_assert!(held.len() <= capacity || held.iter().all(|seq| *seq == head));
    }
}
