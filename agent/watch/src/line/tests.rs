//! How events read, and that a line is a line.

use super::{single, visible};
use crate::change::Change;
use crate::event::Lens;
use crate::what::What;
use proptest::prelude::*;

/// Checks the default line of an event of an event log.
#[track_caller]
fn check(event: &str, line: &str) {
    let lens = Lens { watch: "w", uri: "u", filtered: false };
    let told = lens.look(&Change { seq: 1, what: What::Logged(event.into()) }).expect("an event");
    assert_eq!(told.line, line);
}

#[test]
fn an_object_like_those_of_kubernetes_is_told_by_namespace_and_name() {
    check(
        r#"{"seq":1,"type":"ADDED","object":{"metadata":{"namespace":"default","name":"web","uid":"u"}}}"#,
        "ADDED default/web",
    );
    check(r#"{"seq":1,"type":"DELETED","object":{"metadata":{"name":"node-1"}}}"#, "DELETED node-1");
    check(r#"{"seq":1,"type":"MODIFIED","object":{"metadata":{"name":"node-1"}}}"#, "MODIFIED node-1");
}

#[test]
fn anything_else_is_told_as_compact_json() {
    check(r#"{ "seq": 1, "type": "MOVED", "to": "a b" }"#, r#"{"seq":1,"type":"MOVED","to":"a b"}"#);
    check(r#"{"seq":1,"object":{"name":"x"}}"#, r#"{"seq":1,"object":{"name":"x"}}"#);
    check(r#"{"seq":1,"type":"ERROR"}"#, r#"{"seq":1,"type":"ERROR"}"#);
}

#[test]
fn errors_and_gaps_are_told_in_words() {
    check(r#"{"seq":1,"type":"ERROR","message":"forbidden"}"#, "ERROR forbidden");
    check(r#"{"seq":1,"type":"GAP"}"#, "GAP events may be missing");
    check(r#"{"seq":1,"type":"GAP","missed":3,"reason":"reset"}"#, "GAP 3 events may be missing (reason: reset)");
    check(r#"{"seq":1,"type":"GAP","message":"too old","reason":"reset"}"#, "GAP too old (reason: reset)");
}

#[track_caller]
fn modified(old: &str, new: &str, line: &str) {
    let object = |spec: &str| format!(r#"{{"metadata":{{"name":"bid-1"}},"spec":{spec}}}"#);
    let event = format!(r#"{{"seq":1,"type":"MODIFIED","object":{},"old":{}}}"#, object(new), object(old));
    check(&event, line);
}

#[test]
fn modified_tells_up_to_three_changes() {
    modified(r#"{"phase":"Deciding"}"#, r#"{"phase":"Published"}"#, "MODIFIED bid-1 (spec.phase: Deciding→Published)");
    modified(
        r#"{"a":1,"b":1,"c":1}"#,
        r#"{"a":2,"b":null,"d":"x"}"#,
        "MODIFIED bid-1 (spec.a: 1→2, spec.b: 1→null, spec.c: 1→None, +1 more)",
    );
}

#[test]
fn values_are_shortened_to_40_characters() {
    let (long, other) = ("x".repeat(41), "y".repeat(40));
    modified(
        &format!(r#"{{"a":"{long}"}}"#),
        &format!(r#"{{"a":"{other}"}}"#),
        &format!("MODIFIED bid-1 (spec.a: {}…→{other})", "x".repeat(39)),
    );
}

#[test]
fn of_values_that_read_the_same_only_the_path_is_told() {
    modified(
        &format!(r#"{{"a":["{}",1]}}"#, "x".repeat(50)),
        &format!(r#"{{"a":["{}",2]}}"#, "x".repeat(50)),
        "MODIFIED bid-1 (spec.a)",
    );
    modified(r#"{"a":"None"}"#, "{}", "MODIFIED bid-1 (spec.a)");
}

#[test]
fn a_line_has_at_most_2000_characters() {
    assert_eq!(single(&"é".repeat(2_000)), "é".repeat(2_000));
    assert_eq!(single(&"é".repeat(2_001)), format!("{}…", "é".repeat(1_999)));
    let escaped = single(&format!("{}\u{7}\u{7}", "x".repeat(1_991)));
    assert_eq!(escaped, format!("{}\\u{{7}}…", "x".repeat(1_991)));
}

#[test]
fn controls_and_what_hides_or_turns_text_are_written_out() {
    assert_eq!(single("a\nb\r\nc\rd\te\n"), "a\\nb\\nc\\u{d}d\\u{9}e");
    assert_eq!(
        single("\u{1b}[31m\u{202e}x\u{2066}y\u{200b}\u{feff}"),
        "\\u{1b}[31m\\u{202e}x\\u{2066}y\\u{200b}\\u{feff}"
    );
    assert_eq!(single("\u{e0041}\u{85}\u{2028}"), "\\u{e0041}\\u{85}\\u{2028}");
    assert_eq!(single("family: 👨‍👩‍👧, می‌خواهم"), "family: 👨‍👩‍👧, می‌خواهم");
}

proptest! {
    #[test]
    fn any_text_makes_one_bounded_line(text in any::<String>(), max in 1_usize..60) {
        let line = visible(&text, max);
        prop_assert!(line.chars().count() <= max);
        prop_assert!(!line.chars().any(char::is_control));
        prop_assert_eq!(visible(&line, max), line);
    }
}
