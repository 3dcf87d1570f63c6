//! Tests of what is published.

use super::*;

#[track_caller]
fn check(text: &str, finish: Finish, expected: Option<&str>) {
    let reply = Reply { text: text.into(), calls: Vec::new(), finish, tokens: None };
    assert_eq!(published(&reply).as_deref(), expected, "{text:?}");
}

#[test]
fn a_line_that_is_only_no_reply_suppresses_the_whole() {
    check("NO_REPLY", Finish::Stop, None);
    check("  NO_REPLY \n", Finish::Stop, None);
    check("It does not matter.\nNO_REPLY\nReally.", Finish::Stop, None);
    check("First\n  NO_REPLY\t\nlast", Finish::Stop, None);
    check("It does not\r\nNO_REPLY\r\n", Finish::Length, None);
}

#[test]
fn the_word_within_a_line_is_a_word() {
    check("I said NO_REPLY.", Finish::Stop, Some("I said NO_REPLY."));
    check("`NO_REPLY`", Finish::Stop, Some("`NO_REPLY`"));
    check("NO_REPLYING", Finish::Stop, Some("NO_REPLYING"));
}

#[test]
fn an_empty_reply_is_none() {
    check("", Finish::Stop, None);
    check(" \n ", Finish::Other("tool_calls".into()), None);
}

#[test]
fn a_reply_that_is_not_complete_says_so() {
    check("One, two", Finish::Length, Some("One, two\n[reply cut at the token limit]"));
    check("", Finish::Length, Some("[no reply: cut at the token limit]"));
    check("One", Finish::Filtered, Some("One\n[reply withheld in part by the model's content filter]"));
    check("One", Finish::Other("eos".into()), Some("One"));
}

#[test]
fn what_may_turn_out_to_be_silence_is_not_shown() {
    let shown = |pieces: &[&str]| {
        let mut shown = Shown::default();
        pieces.iter().map(|piece| shown.push(piece)).collect::<Vec<_>>()
    };
    assert_eq!(shown(&["NO", "_REPLY", "\n"]), ["", "", "NO_REPLY\n"]);
    assert_eq!(shown(&["N", "o, ", "two"]), ["", "No, ", "two"]);
    assert_eq!(shown(&["One.\n", "NO_", "RE", "ADY"]), ["One.\n", "", "", "NO_READY"]);
    assert_eq!(shown(&[" ", "\n", "x"]), ["", " \n", "x"]);
}
