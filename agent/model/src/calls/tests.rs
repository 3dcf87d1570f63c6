//! Tests of putting calls together.

use super::*;

/// The calls made of `pieces`, as `id name(arguments)`.
fn assemble(pieces: &[&str]) -> Vec<String> {
    let mut calls = Calls::default();
    for piece in pieces {
        calls.absorb(serde_json::from_str(piece).expect("a piece"));
    }
    calls.finish().into_iter().map(|call| format!("{} {}({})", call.id, call.name, call.arguments)).collect()
}

#[test]
fn pieces_are_put_together_by_index() {
    let pieces = [
        r#"{"index": 0, "id": "a", "type": "function", "function": {"name": "run_code", "arguments": ""}}"#,
        r#"{"index": 0, "function": {"arguments": "{\"co"}}"#,
        r#"{"index": 1, "id": "b", "function": {"name": "other", "arguments": "{"}}"#,
        r#"{"index": 0, "function": {"arguments": "de\": 1}"}}"#,
        r#"{"index": 1, "id": null, "function": {"name": null, "arguments": "}"}}"#,
    ];
    assert_eq!(assemble(&pieces), [r#"a run_code({"code": 1})"#, "b other({})"]);
}

#[test]
fn whole_calls_in_one_piece_are_calls() {
    let pieces = [
        r#"{"id": "a", "function": {"name": "f", "arguments": "{}"}}"#,
        r#"{"id": "b", "function": {"name": "f", "arguments": {"code": "x"}}}"#,
    ];
    assert_eq!(assemble(&pieces), ["a f({})", r#"b f({"code":"x"})"#]);
}

#[test]
fn an_index_that_is_always_0_does_not_mix_calls() {
    let pieces = [
        r#"{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}"#,
        r#"{"index": 0, "id": "b", "function": {"name": "f", "arguments": "{"}}"#,
        r#"{"index": 0, "function": {"arguments": "}"}}"#,
    ];
    assert_eq!(assemble(&pieces), ["a f({})", "b f({})"]);
}

#[test]
fn pieces_without_an_index_belong_to_the_latest_call() {
    let pieces = [
        r#"{"id": "a", "function": {"name": "f"}}"#,
        r#"{"function": {"arguments": "{"}}"#,
        r#"{"id": "a", "function": {"name": "f", "arguments": "}"}}"#,
    ];
    assert_eq!(assemble(&pieces), ["a f({})"]);
}

#[test]
fn ids_that_are_missing_or_the_same_are_made_up() {
    let piece = |index: usize, id: &str| format!(r#"{{"index": {index}, "id": {id}, "function": {{"name": "f"}}}}"#);
    let mut calls = Calls::default();
    for piece in [piece(0, "null"), piece(1, "\"\""), piece(2, "\"a\""), piece(3, "\"a\"")] {
        calls.absorb(serde_json::from_str(&piece).expect("a piece"));
    }
    let ids: BTreeSet<String> = calls.finish().into_iter().map(|call| call.id).collect();
    assert_eq!(ids.len(), 4, "{ids:?}");
    assert!(ids.contains("a") && !ids.contains(""));
}

#[test]
fn a_flood_of_calls_is_bounded() {
    let mut calls = Calls::default();
    for index in 0..10_000 {
        calls.absorb(CallPiece { index: Some(index), ..CallPiece::default() });
    }
    assert_eq!(calls.finish().len(), MOST);
}
