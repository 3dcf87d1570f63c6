//! Tests of what a call holds.

use super::*;

fn entry(text: &str) -> Entry {
    Entry::user("#ops".into(), text.into())
}

/// A thread of `limit` bytes with answered turns of 10 bytes each.
fn thread(limit: usize, turns: usize) -> Thread {
    let mut thread = Thread::new(limit);
    for number in 0..turns {
        let mut turn = turn(&format!("asked{number}"));
        turn.say(Message::said("said"));
        thread.complete(&turn);
    }
    thread
}

fn turn(asked: &str) -> Turn {
    let mut turn = Turn::default();
    turn.ask(entry(asked));
    turn
}

fn contents(thread: &mut Thread, turn: &Turn) -> Vec<String> {
    let text = |message| match message {
        Message::System(text) | Message::User(text) | Message::Assistant { text, .. } | Message::Tool { text, .. } => {
            text
        }
    };
    thread.messages("", turn).into_iter().map(text).collect()
}

fn claim(thread: &mut Thread) -> Turn {
    thread.claim().turn
}

#[test]
fn the_oldest_turns_are_forgotten_whole() {
    let mut thread = thread(25, 3);
    thread.add(entry("12345"));
    let claimed = claim(&mut thread);
    assert_eq!(
        contents(&mut thread, &claimed),
        ["[earlier turns left out]", "asked1", "said", "asked2", "said", "12345"]
    );
    thread.put_back(claimed);
    thread.add(entry("6"));
    let claimed = claim(&mut thread);
    assert_eq!(contents(&mut thread, &claimed), ["[earlier turns left out]", "asked2", "said", "12345", "6"]);
}

#[test]
fn what_does_not_fit_waits_for_the_next_run() {
    let mut thread = thread(10, 1);
    for text in ["12345", "67890", "x"] {
        thread.add(entry(text));
    }
    let claimed = claim(&mut thread);
    assert_eq!(contents(&mut thread, &claimed), ["[earlier turns left out]", "12345", "67890"]);
    assert_eq!(thread.waiting().iter().map(|entry| entry.text.as_str()).collect::<Vec<_>>(), ["x"]);
}

#[test]
fn one_message_too_long_is_cut_and_says_so() {
    let mut thread = thread(100, 0);
    thread.add(entry(&"ä".repeat(100)));
    let claimed = claim(&mut thread);
    let cut = format!("{0}\n[… 140 bytes left out]\n{0}", "ä".repeat(15));
    assert_eq!(contents(&mut thread, &claimed), [cut.as_str()]);
    thread.complete(&claimed);
    assert_eq!(contents(&mut thread, &Turn::default()), [cut]);
}

#[test]
fn what_is_put_back_keeps_its_place() {
    let mut thread = thread(100, 0);
    thread.add(entry("a"));
    thread.add(entry("b"));
    let claimed = claim(&mut thread);
    thread.add(entry("c"));
    thread.put_back(claimed);
    let claimed = claim(&mut thread);
    assert_eq!(contents(&mut thread, &claimed), ["a", "b", "c"]);
}

#[test]
fn a_turn_that_has_begun_is_gone_on_with() {
    let mut thread = thread(100, 0);
    thread.add(entry("a"));
    let mut claimed = claim(&mut thread);
    claimed.say(Message::said("on it"));
    thread.put_back(claimed);
    thread.add(entry("b"));
    let Claim { turn, fresh } = thread.claim();
    assert_eq!((contents(&mut thread, &turn), fresh), (vec!["a".into(), "on it".into(), "b".into()], 1));
}

#[test]
fn shortening_halves_until_there_is_too_little() {
    let mut thread = Thread::new(1 << 20);
    thread.add(entry(&"x".repeat(10_000)));
    let claimed = claim(&mut thread);
    assert_eq!(thread.shorten(&claimed), Some(5000));
    assert_eq!(thread.shorten(&claimed), Some(2500));
    assert_eq!(thread.shorten(&claimed), Some(1250));
    assert_eq!(thread.shorten(&claimed), None);
}
