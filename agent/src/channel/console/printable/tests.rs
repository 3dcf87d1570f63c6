//! Tests of what reaches a terminal.

use super::*;

#[test]
fn what_a_terminal_would_obey_is_shown_instead() {
    for (text, shown) in [
        ("plain\n\tünïcode ✓ 你好", "plain\n\tünïcode ✓ 你好"),
        ("one\r\ntwo", "one\ntwo"),
        ("\x1b]52;c;ZXZpbA==\x07", r"\u001b]52;c;ZXZpbA==\u0007"),
        ("good\rbad \x08\x7f\0", r"good\u000dbad \u0008\u007f\u0000"),
        ("\u{9b}2J", r"\u009b2J"),
        ("user\u{202e}txt.exe\u{2066}\u{200f}", r"user\u202etxt.exe\u2066\u200f"),
    ] {
        assert_eq!(printable(text), shown, "{text:?}");
    }
}

#[test]
fn json_means_the_same_as_before() {
    let value = serde_json::json!({ "text": "\u{1b}[31m\u{9b}\u{202e}\u{7f}\r\n\"\\" });
    let line = serde_json::to_string(&value).unwrap();
    assert!(line.contains('\u{202e}'), "it is for printable to escape");
    let shown = printable(&line);
    assert!(!shown.contains(commands), "{shown:?}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
}
