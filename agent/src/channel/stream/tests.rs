//! Tests of how a reply is shown as it comes.

use super::*;

/// What is shown of `pieces`, and then of the reply.
fn check(pieces: &[&str], reply: &str) -> (Vec<String>, Option<String>) {
    let mut stream = Stream::default();
    let shown = pieces.iter().filter_map(|piece| stream.piece(piece)).collect();
    (shown, stream.finish(reply))
}

#[test]
fn a_line_is_shown_when_it_is_complete() {
    let (shown, rest) = check(&["One", " line.\nTw", "o lin", "es.\n\nThree"], "One line.\nTwo lines.\n\nThree");
    assert_eq!(shown, ["One line.", "Two lines.\n"]);
    assert_eq!(rest.as_deref(), Some("Three"));
}

#[test]
fn nothing_is_shown_twice() {
    assert_eq!(check(&["One.\n"], "One."), (vec!["One.".to_owned()], None));
    assert_eq!(check(&[], "One."), (vec![], Some("One.".to_owned())));
}

#[test]
fn another_reply_than_what_was_said_is_shown_whole() {
    let (_, rest) = check(&["Let me see.\n"], "It is 4.");
    assert_eq!(rest.as_deref(), Some("It is 4."));
}

#[test]
fn silence_is_not_shown() {
    assert_eq!(check(&["NO_", "REPLY\n"], "").0, Vec::<String>::new());
    let mut stream = Stream::default();
    stream.piece("NO_REPLY");
    assert_eq!(stream.aside(), None);
}

#[test]
fn what_is_said_before_something_else_is_shown_to_its_end() {
    let mut stream = Stream::default();
    assert_eq!(stream.piece("I look.\nOne mo"), Some("I look.".to_owned()));
    assert_eq!(stream.aside(), Some("One mo".to_owned()));
    assert_eq!(stream.finish("Done."), Some("Done.".to_owned()));
}
