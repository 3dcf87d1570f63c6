//! Which paths differ, as a table and against trees.

use std::collections::BTreeSet;

use super::differences;
use crate::json::tests::{normal, value};
use proptest::prelude::*;
use serde_json::Value;

#[track_caller]
fn check(old: &str, new: &str, paths: &[&str]) {
    let found: Vec<String> = differences(None, old, new).into_iter().map(|difference| difference.path).collect();
    assert_eq!(found, paths, "{old} {new}");
}

#[test]
fn paths_are_dotted_sorted_and_at_most_three_deep() {
    check(r#"{"b":{"c":{"d":{"e":1}}},"a":1}"#, r#"{"b":{"c":{"d":{"e":2}}},"a":2}"#, &["a", "b.c.d"]);
}

#[test]
fn what_is_on_one_side_only_differs_as_a_whole() {
    check(r#"{"a":{"b":{"c":1}}}"#, "{}", &["a"]);
    check("{}", r#"{"a":{"b":1}}"#, &["a"]);
    check(r#"{"a":{}}"#, r#"{"a":{"b":1}}"#, &["a.b"]);
}

#[test]
fn lists_are_leaves() {
    check(r#"{"a":[{"b":1}]}"#, r#"{"a":[{"b":2}]}"#, &["a"]);
}

#[test]
fn bookkeeping_is_ignored_where_it_stands_and_nowhere_else() {
    check(
        r#"{"metadata":{"resourceVersion":"1","generation":1,"managedFields":[],"labels":{}},"generation":1,"x":{"metadata":{"generation":1}}}"#,
        r#"{"metadata":{"resourceVersion":"2","generation":2,"labels":{"a":"b"}},"generation":2,"x":{"metadata":{"generation":2}}}"#,
        &["generation", "metadata.labels.a", "x.metadata.generation"],
    );
}

#[test]
fn values_without_paths_differ_at_the_dot() {
    check("1", "2", &["."]);
    check("1", "12", &["."]);
    check("[1]", "{}", &["."]);
}

#[test]
fn a_value_inside_of_something_has_its_paths_from_there() {
    let found =
        differences(Some("metadata"), r#"{"resourceVersion":"1","name":"a"}"#, r#"{"resourceVersion":"2","name":"b"}"#);
    assert_eq!(found.len(), 1);
    assert_eq!((&*found[0].path, found[0].old, found[0].new), ("metadata.name", Some("\"a\""), Some("\"b\"")));
}

/// The same on trees.
fn naive(path: &[String], old: &Value, new: &Value, found: &mut BTreeSet<String>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) if path.len() < 3 => {
            for key in old.keys().chain(new.keys()) {
                let path = [path, std::slice::from_ref(key)].concat();
                match (old.get(key), new.get(key)) {
                    (Some(old), Some(new)) => naive(&path, old, new, found),
                    _ => _ = found.insert(path.join(".")),
                }
            }
        }
        _ if normal(old) == normal(new) => {}
        _ if path.is_empty() => _ = found.insert(".".to_owned()),
        _ => _ = found.insert(path.join(".")),
    }
}

/// Changes one place of a value.
fn alter(value: &mut Value, at: &[usize], new: Value) {
    let size = match value {
        Value::Array(values) => values.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    };
    match (at.split_first(), value) {
        (Some((at, rest)), Value::Array(values)) if size > 0 => alter(&mut values[at % size], rest, new),
        (Some((at, rest)), Value::Object(members)) if size > 0 => {
            if let Some((_, member)) = members.iter_mut().nth(at % size) {
                alter(member, rest, new);
            }
        }
        (_, value) => *value = new,
    }
}

proptest! {
    #[test]
    fn paths_are_those_of_trees(old in value(), new in value()) {
        let mut must = BTreeSet::new();
        naive(&[], &old, &new, &mut must);
        let pretty = serde_json::to_string_pretty(&new).expect("JSON");
        let (old, found) = (old.to_string(), |old: &str| {
            differences(None, old, &pretty).into_iter().map(|difference| difference.path).collect::<Vec<_>>()
        });
        prop_assert_eq!(found(&old), must.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn paths_of_near_twins_are_those_of_trees(
        old in value(),
        places in prop::collection::vec((prop::collection::vec(0_usize..4, 0..5), value()), 1..4),
        padding in "[ ]{0,200}",
    ) {
        let (old, mut new) = (serde_json::json!({"a": &old, "b": {"c": {"d": &old, "e": &old}}, "z": padding}), Value::Null);
        new.clone_from(&old);
        for (at, value) in places {
            alter(&mut new, &at, value);
        }
        let mut must = BTreeSet::new();
        naive(&[], &old, &new, &mut must);
        let (old, new) = (old.to_string(), new.to_string());
        let found: Vec<String> = differences(None, &old, &new).into_iter().map(|difference| difference.path).collect();
        prop_assert_eq!(found, must.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn keys_that_are_written_differently_are_the_same() {
    check(r#"{"metadata":{"generation":1},"a":1}"#, r#"{"\u006detadata":{"generation":2},"\u0061":1}"#, &[]);
    check(r#"{"a\"b":{"c":1},"d":1}"#, r#"{"a\"b":{"c":2},"d":1}"#, &["a\"b.c"]);
}

#[test]
fn after_keys_that_are_not_the_same_nothing_is_told_twice() {
    check(r#"{"a":{"x":1,"y":1},"b":1}"#, r#"{"a":{"x":2,"z":1},"b":2}"#, &["a.x", "a.y", "a.z", "b"]);
    check(r#"{"x":1,"y":1}"#, r#"{"x":2,"y":1,"z":1}"#, &["x", "z"]);
    check(r#"{"x":1,"y":1}"#, "{ }", &["x", "y"]);
}
