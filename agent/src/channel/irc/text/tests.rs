//! Tests of addressing and of splitting.

use super::*;

#[test]
fn who_begins_with_the_nick_addresses_the_agent() {
    for (text, said) in [
        ("alice: hello", Some("hello")),
        ("alice, hello", Some("hello")),
        ("Alice:hello", Some("hello")),
        (" ALICE :hello", None),
        ("alice_: hello", Some("hello")),
        ("alice hello", None),
        ("malice: hello", None),
        ("bob: alice: hello", None),
        ("alice:  ", None),
        ("I told alice: hello", None),
        ("alice: a: b, c", Some("a: b, c")),
    ] {
        assert_eq!(addressed(text, &["alice", "alice_"]), said, "{text:?}");
    }
    assert_eq!(addressed("A[B]: hi", &["a{b}"]), Some("hi"));
}

#[test]
fn what_colours_and_ends_lines_is_left_out() {
    assert_eq!(clean("\u{2}bold\u{f} \u{3}04red\u{7}\ta\u{1}\u{9b}b\r\nc"), "bold 04red abc");
}

#[test]
fn each_line_is_a_message_and_blank_ones_are_none() {
    let messages = messages("alice", "#ops", "one\n\n  \r\n\u{1}\ntwo: three\n");
    assert_eq!(messages, ["PRIVMSG #ops :one", "PRIVMSG #ops :two: three"]);
}

#[test]
fn a_long_line_is_cut_between_words() {
    assert_eq!(split("aaa bbb ccc", 7), ["aaa bbb", "ccc"]);
    assert_eq!(split("aaa bbb ccc", 6), ["aaa", "bbb", "ccc"]);
    assert_eq!(split("aaaaaaaaaa bb", 4), ["aaaa", "aaaa", "aa", "bb"]);
}

#[test]
fn no_character_is_cut_and_none_is_lost() {
    for room in 1..12 {
        let parts = split("äöü 漢字 🎈x", room);
        assert_eq!(parts.concat().replace(' ', ""), "äöü漢字🎈x", "{room}");
        assert!(parts.iter().all(|part| part.len() <= room.max(4)), "{room}: {parts:?}");
    }
}

#[test]
fn a_line_fits_with_what_the_server_adds() {
    let text = "word ".repeat(1000);
    let prefix = format!(":alice!~{}@{} ", "u".repeat(9), "h".repeat(63));
    for message in messages("alice", "#ops", &text) {
        assert!(prefix.len() + message.len() + 2 <= LINE, "{message}");
    }
    assert_eq!(messages("alice", "#ops", &text).concat().matches("word").count(), 1000);
}
