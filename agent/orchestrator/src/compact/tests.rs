//! Tests of what is kept.

use super::*;
use crate::budget::Tokens;
use crate::record::Monitor;

fn begin(run: u64) -> Record {
    Record::TurnBegin { run, channel: None, addressed: None }
}

fn end(run: u64, outcome: Outcome) -> Record {
    Record::TurnEnd { run, outcome, usage: Tokens::default() }
}

fn input(text: &str) -> Record {
    let queued = Queued::Input { channel: "#ops".into(), text: text.into() };
    Record::QueueOperation { operation: Operation::Enqueue, queued }
}

fn monitor(id: &str) -> Monitor {
    let note = String::new();
    Monitor { task_id: "t".into(), description: "d".into(), note, notice_id: Some(id.into()), text: "x".into() }
}

fn notice(id: &str) -> Record {
    Record::QueueOperation { operation: Operation::Enqueue, queued: Queued::Monitor(monitor(id)) }
}

fn user(run: u64, text: &str) -> Record {
    Record::User { run, channel: "#ops".into(), text: text.into() }
}

/// What is kept when each record has 10 bytes.
fn kept(records: &[Record], most: usize) -> Vec<usize> {
    compact(&records.iter().map(|record| (record.clone(), 10)).collect::<Vec<_>>(), most)
}

#[test]
fn the_latest_whole_turns_are_kept_and_the_last_in_any_case() {
    use Outcome::{Completed, Suppressed};
    let records =
        [begin(1), user(1, "a"), end(1, Completed), begin(2), end(2, Suppressed), begin(3), end(3, Completed)];
    assert_eq!(kept(&records, 70), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(kept(&records, 69), [3, 4, 5, 6]);
    assert_eq!(kept(&records, 39), [5, 6]);
    assert_eq!(kept(&records, 0), [5, 6]);
}

#[test]
fn a_turn_that_another_run_went_on_with_is_one_turn() {
    use Outcome::{Completed, Interrupted, Retried};
    for between in [Retried, Interrupted] {
        let records = [begin(1), end(1, Completed), begin(2), end(2, between), begin(3), end(3, Completed)];
        assert_eq!(kept(&records, 20), [2, 3, 4, 5]);
    }
}

#[test]
fn what_waits_is_kept() {
    use Outcome::Completed;
    let records = [
        input("a"),
        input("b"),
        notice("i"),
        notice("j"),
        begin(1),
        user(1, "a"),
        Record::Attachment { run: 1, monitor: monitor("i") },
        end(1, Completed),
        begin(2),
        end(2, Completed),
    ];
    assert_eq!(kept(&records, 20), [1, 3, 8, 9]);
}

#[test]
fn without_a_turn_all_is_kept() {
    assert_eq!(kept(&[input("a"), input("b")], 0), [0, 1]);
    assert_eq!(kept(&[], 0), [0; 0]);
}
