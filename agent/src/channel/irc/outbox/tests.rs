//! Tests of what is sent, and sent again.

use super::*;

fn outbox(lines: usize) -> Outbox {
    let mut outbox = Outbox::default();
    let text = (1..=lines).map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
    outbox.load(&Post { to: None, text }, "alice", "#ops");
    outbox
}

/// What is sent until a ping's answer is awaited; a line by its text, a ping as `?`.
fn sent(outbox: &mut Outbox) -> String {
    let mut sent = String::new();
    while let Some(next) = outbox.next() {
        match next {
            Next::Line(line) => sent += line.rsplit(':').next().unwrap(),
            Next::Ping(_) => sent += "?",
        }
    }
    sent
}

#[test]
fn a_reply_is_gone_when_the_server_has_confirmed_it() {
    let mut outbox = outbox(3);
    assert_eq!(sent(&mut outbox), "123?");
    outbox.confirmed("another");
    assert!(!outbox.is_empty());
    outbox.confirmed("said-1");
    assert!(outbox.is_empty());
    assert_eq!(sent(&mut outbox), "");
}

#[test]
fn a_long_reply_is_confirmed_in_parts_and_only_the_last_part_is_said_again() {
    let mut outbox = outbox(10);
    assert_eq!(sent(&mut outbox), "12345678?");
    outbox.confirmed("said-1");
    assert_eq!(sent(&mut outbox), "910?");
    outbox.broken();
    assert_eq!(sent(&mut outbox), "910?");
    outbox.confirmed("said-2");
    assert!(!outbox.is_empty(), "an answer to a ping of before counts for nothing");
    outbox.confirmed("said-3");
    assert!(outbox.is_empty());
}

#[test]
fn a_private_reply_goes_to_who_asked() {
    let mut outbox = Outbox::default();
    outbox.load(&Post { to: Some("bob".to_owned()), text: "hi".to_owned() }, "alice", "#ops");
    assert!(outbox.is_private());
    assert_eq!(outbox.next(), Some(Next::Line("PRIVMSG bob :hi".to_owned())));
}
