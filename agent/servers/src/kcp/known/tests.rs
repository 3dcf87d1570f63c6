//! What is told of a change, and what is not.

use super::*;

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

fn events(changes: impl IntoIterator<Item = Change>) -> Vec<String> {
    changes.into_iter().map(|change| change.event(9)).collect()
}

fn apply(known: &mut Known, kind: Kind, uid: &str, version: u64) -> Vec<String> {
    events(known.apply(kind, object(uid, version)))
}

#[test]
fn a_known_object_is_not_added_again() {
    let mut known = known(&[("a", 1)]);
    assert_eq!(known.apply(Kind::Added, object("a", 1)), None);
    assert_eq!(known.apply(Kind::Modified, object("a", 1)), None);
}

#[test]
fn a_modification_carries_the_object_before_it() {
    let mut known = known(&[("a", 1)]);
    assert_eq!(
        apply(&mut known, Kind::Modified, "a", 2),
        [r#"{"seq":9,"type":"MODIFIED","object":{"a":2},"old":{"a":1}}"#]
    );
    assert_eq!(
        apply(&mut known, Kind::Added, "a", 3),
        [r#"{"seq":9,"type":"MODIFIED","object":{"a":3},"old":{"a":2}}"#]
    );
}

#[test]
fn a_deletion_is_told_and_forgotten() {
    let mut known = known(&[("a", 1)]);
    assert_eq!(apply(&mut known, Kind::Deleted, "a", 2), [r#"{"seq":9,"type":"DELETED","object":{"a":2}}"#]);
    assert_eq!((known.objects.len(), known.bytes()), (0, 0));
    assert_eq!(apply(&mut known, Kind::Added, "a", 3), [r#"{"seq":9,"type":"ADDED","object":{"a":3}}"#]);
}

#[test]
fn the_past_of_an_unknown_object_is_not_invented() {
    assert_eq!(
        apply(&mut Known::default(), Kind::Modified, "a", 2),
        [r#"{"seq":9,"type":"MODIFIED","object":{"a":2}}"#]
    );
}

#[test]
fn two_states_differ_by_what_was_deleted_then_by_what_is_newer() {
    let before = known(&[("same", 1), ("changed", 2), ("gone", 4), ("gone-too", 3)]);
    let now = known(&[("same", 1), ("changed", 7), ("new", 5)]);
    assert_eq!(
        events(before.changes(&now)),
        [
            r#"{"seq":9,"type":"DELETED","object":{"gone-too":3}}"#,
            r#"{"seq":9,"type":"DELETED","object":{"gone":4}}"#,
            r#"{"seq":9,"type":"ADDED","object":{"new":5}}"#,
            r#"{"seq":9,"type":"MODIFIED","object":{"changed":7},"old":{"changed":2}}"#,
        ],
    );
}

#[test]
fn without_a_past_only_newer_objects_are_told() {
    assert_eq!(
        events(known(&[("a", 1), ("c", 5), ("b", 3)]).newer_than(1)),
        [r#"{"seq":9,"type":"MODIFIED","object":{"b":3}}"#, r#"{"seq":9,"type":"MODIFIED","object":{"c":5}}"#],
    );
}
