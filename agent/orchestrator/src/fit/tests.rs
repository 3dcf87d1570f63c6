//! Tests of what is cut, and in which order.

use super::*;
use crate::message::ToolCall;

fn call(id: &str, code: &str) -> Message {
    let arguments = serde_json::json!({ "code": code }).to_string();
    let calls = vec![ToolCall { id: id.into(), name: "run_code".into(), arguments }];
    Message::Assistant { text: String::new(), calls }
}

fn result(id: &str, bytes: usize) -> Message {
    Message::Tool { call: id.into(), text: id.repeat(bytes) }
}

fn bytes(messages: &[Message]) -> Vec<usize> {
    messages.iter().map(Message::bytes).collect()
}

/// A turn of a question and three rounds.
fn turn(asked: usize, code: usize, results: [usize; 3]) -> Vec<Message> {
    let mut messages = vec![Message::User("q".repeat(asked))];
    for (id, bytes) in ["a", "b", "c"].into_iter().zip(results) {
        messages.extend([call(id, &"x".repeat(code)), result(id, bytes)]);
    }
    messages
}

#[test]
fn what_fits_stays_as_it_is() {
    let messages = turn(10, 10, [100, 100, 100]);
    let limit = bytes(&messages).iter().sum();
    assert_eq!(fit(messages.clone(), limit), messages);
}

#[test]
fn the_oldest_results_are_cut_first() {
    let fitted = fit(turn(10, 10, [10_000, 10_000, 10_000]), 21_000);
    assert!(bytes(&fitted)[2] < 1100, "{:?}", bytes(&fitted));
    assert_eq!((bytes(&fitted)[4], bytes(&fitted)[6]), (10_000, 10_000));
    let fitted = fit(turn(10, 10, [10_000, 10_000, 10_000]), 10_000);
    assert!(bytes(&fitted)[2] < 300 && bytes(&fitted)[4] < 300, "{:?}", bytes(&fitted));
    assert!(bytes(&fitted)[6] > 9000);
    assert!(
        matches!(&fitted[2], Message::Tool { call, text } if call == "a" && text.contains("[… 9744 bytes left out]"))
    );
}

#[test]
fn code_is_cut_to_a_call_that_is_whole() {
    let fitted = fit(turn(10, 5000, [1000, 1000, 1000]), 6500);
    let Message::Assistant { calls, .. } = &fitted[1] else { panic!("{fitted:?}") };
    assert_eq!(calls[0].arguments, r##"{"code":"# [… 5011 bytes left out]"}"##);
    assert!(serde_json::from_str::<serde_json::Value>(&calls[0].arguments).is_ok());
    let Message::Assistant { calls, .. } = &fitted[5] else { panic!("{fitted:?}") };
    assert!(calls[0].arguments.len() > 5000);
}

#[test]
fn what_was_asked_is_cut_last_and_nothing_is_dropped() {
    let fitted = fit(turn(10_000, 10_000, [10_000, 10_000, 10_000]), 4000);
    assert_eq!(fitted.len(), 7);
    let total: usize = bytes(&fitted).iter().sum();
    assert!((3000..4600).contains(&total), "{:?}", bytes(&fitted));
    assert!(bytes(&fitted)[0] > 2000, "{:?}", bytes(&fitted));
}
