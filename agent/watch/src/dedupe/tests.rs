//! Which lines are told again.

use super::{Dedupe, REMEMBERED};
use crate::event::Event;

fn event(kind: &str, object: Option<&str>) -> Event {
    Event {
        kind: kind.into(),
        object: object.map(str::to_owned),
        line: String::new(),
        differs: false,
        dict: String::new(),
    }
}

#[test]
fn a_line_of_an_object_is_told_again_after_another_line() {
    let mut dedupe = Dedupe::default();
    let told: Vec<bool> = ["a", "a", "b", "a"].map(|line| dedupe.admit(&event("X", Some("o")), line)).to_vec();
    assert_eq!(told, [true, false, true, true]);
    assert!(dedupe.admit(&event("X", Some("p")), "a"), "another object");
}

#[test]
fn what_has_no_object_is_always_told() {
    let mut dedupe = Dedupe::default();
    assert!(dedupe.admit(&event("X", None), "a") && dedupe.admit(&event("X", None), "a"));
}

#[test]
fn a_gap_is_always_told() {
    let mut dedupe = Dedupe::default();
    assert!(dedupe.admit(&event("GAP", Some("o")), "a") && dedupe.admit(&event("GAP", Some("o")), "a"));
}

#[test]
fn the_last_objects_are_remembered_and_no_more_than_twice_as_many() {
    let mut dedupe = Dedupe::default();
    for object in 0..3 * REMEMBERED {
        assert!(dedupe.admit(&event("X", Some(&object.to_string())), "a"));
        assert!(dedupe.recent.len() + dedupe.older.len() <= 2 * REMEMBERED);
    }
    for object in 2 * REMEMBERED..3 * REMEMBERED {
        assert!(!dedupe.admit(&event("X", Some(&object.to_string())), "a"), "{object}");
    }
}
