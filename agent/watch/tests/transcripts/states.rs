//! States: what differs between two reads.

use crate::check::check;

/// Plays a change from one state to another.
#[track_caller]
fn differ(old: &str, new: &str, expected: &str) {
    let transcript = format!("> live m := state {old}\n> updated m\n> read m state {new}\n{expected}");
    check(&["watch.event", "notice"], &transcript);
}

#[test]
fn lists_differ_by_item_key() {
    differ(
        r#"[{"id": 1, "v": "a"}, {"id": 2, "v": "a"}, {"id": 3, "v": "a"}]"#,
        r#"[{"id": 4, "v": "a"}, {"id": 3, "v": "b"}, {"id": 1, "v": "a"}]"#,
        "
        < watch.event m 1 ADDED kept=true
        < watch.event m 2 MODIFIED kept=true
        < watch.event m 3 DELETED kept=true
        t=3 < notice 1 m/~1/1-3
        | ADDED 4
        | MODIFIED 3 (v: a→b)
        | DELETED 2
        t=4 > wait
        ",
    );
}

#[test]
fn the_key_is_the_first_present_of_uid_id_and_name() {
    differ(
        "[]",
        r#"[{"metadata": {"uid": "u1", "name": "a"}, "uid": "x"}, {"uid": "u2", "id": "x", "metadata": {}}, {"id": "u3", "name": "x"}, {"name": "u4"}, "u5", {"other": 6}]"#,
        r#"
        < watch.event m 1 ADDED kept=true
        < watch.event m 2 ADDED kept=true
        < watch.event m 3 ADDED kept=true
        < watch.event m 4 ADDED kept=true
        < watch.event m 5 ADDED kept=true
        < watch.event m 6 ADDED kept=true
        t=3 < notice 1 m/~1/1-6
        | ADDED a
        | ADDED u2
        | ADDED u3
        | ADDED u4
        | ADDED u5
        | ADDED {"other":6}
        t=4 > wait
        "#,
    );
}

#[test]
fn objects_differ_by_top_level_key() {
    differ(
        r#"{"a": 1, "b": {"x": {"y": 1}}, "c": 1}"#,
        r#"{"b": {"x": {"y": 2}}, "c": 1.0, "d": 1}"#,
        "
        < watch.event m 1 MODIFIED kept=true
        < watch.event m 2 MODIFIED kept=false
        < watch.event m 3 ADDED kept=true
        < watch.event m 4 DELETED kept=true
        t=3 < notice 1 m/~1/1-4
        | MODIFIED b (x.y: 1→2)
        | ADDED d
        | DELETED a
        t=4 > wait
        ",
    );
}

#[test]
fn anything_else_differs_as_a_whole() {
    differ(
        "one",
        "three",
        r"
        < watch.event m 1 CHANGED kept=true
        t=3 < notice 1 m/~1/1-1
        | CHANGED (one→three)
        t=4 > wait
        ",
    );
}

#[test]
fn a_state_of_another_kind_is_changed_as_a_whole() {
    differ(
        r#"{"a": 1}"#,
        r#"["a"]"#,
        "
        < watch.event m 1 CHANGED kept=true
        t=3 < notice 1 m/~1/1-1
        | CHANGED
        t=4 > wait
        ",
    );
}

#[test]
fn a_state_that_means_the_same_makes_no_events() {
    differ(r#"{"a": [1, 2]}"#, r#"{"a": [1, 2]}"#, "");
    differ("[1, 2]", "[2, 1]", "");
    differ("plain text", "plain text", "");
}

#[test]
fn items_of_the_same_key_are_told_apart_by_their_order() {
    differ(
        r#"[{"name": "a", "v": 1}]"#,
        r#"[{"name": "a", "v": 1}, {"name": "a", "v": 2}]"#,
        "
        < watch.event m 1 ADDED kept=true
        t=3 < notice 1 m/~1/1-1
        | ADDED a#2
        t=4 > wait
        ",
    );
}

#[test]
fn of_items_of_the_same_key_the_last_is_deleted() {
    differ(
        r#"[{"name": "a", "v": 1}, {"name": "a", "v": 1}]"#,
        r#"[{"name": "a", "v": 1}]"#,
        "
        < watch.event m 1 DELETED kept=true
        t=3 < notice 1 m/~1/1-1
        | DELETED a#2
        t=4 > wait
        ",
    );
    differ(
        r#"[{"name": "b"}, {"name": "a", "v": 1}, {"name": "a", "v": 2}]"#,
        r#"[{"name": "a", "v": 2}]"#,
        "
        < watch.event m 1 MODIFIED kept=true
        < watch.event m 2 DELETED kept=true
        < watch.event m 3 DELETED kept=true
        t=3 < notice 1 m/~1/1-3
        | MODIFIED a (v: 1→2)
        | DELETED b
        | DELETED a#2
        t=4 > wait
        ",
    );
}

#[test]
fn bookkeeping_alone_is_dropped() {
    differ(
        r#"[{"metadata": {"name": "a", "resourceVersion": "1", "generation": 1}}]"#,
        r#"[{"metadata": {"name": "a", "resourceVersion": "2", "generation": 2, "managedFields": []}}]"#,
        "< watch.event m 1 MODIFIED kept=false",
    );
}

#[test]
fn two_writes_before_a_read_make_their_net_change() {
    check(
        &["notice", "read"],
        r#"
        > live m := state {"a": 1}
        > updated m
        < read m
        > updated m
        > updated m
        > read m state {"a": 3}
        < read m
        > read m state {"a": 3}
        t=3 < notice 1 m/~1/1-1
        | MODIFIED a (1→3)
        t=4 > wait
        "#,
    );
}
