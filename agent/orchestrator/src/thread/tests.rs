//! Tests of what a call holds.

use super::*;

fn entry(text: &str) -> Entry {
    Entry::user("#ops".into(), text.into())
}

/// A thread of `limit` bytes with answered turns of 10 bytes each.
fn thread(limit: usize, turns: usize) -> Thread {
    let mut thread = Thread::new(limit);
    for turn in 0..turns {
        thread.complete(vec![entry(&format!("asked{turn}"))], "said");
    }
    thread
}

fn contents(thread: &Thread, claimed: &[Entry]) -> Vec<String> {
    thread.messages("", claimed).into_iter().map(|message| message.content).collect()
}

#[test]
fn the_oldest_turns_are_forgotten_whole() {
    let mut thread = thread(25, 3);
    thread.add(entry("12345"));
    let claimed = thread.claim();
    assert_eq!(contents(&thread, &claimed), ["asked1", "said", "asked2", "said", "12345"]);
    thread.put_back(claimed);
    thread.add(entry("6"));
    let claimed = thread.claim();
    assert_eq!(contents(&thread, &claimed), ["asked2", "said", "12345", "6"]);
}

#[test]
fn what_does_not_fit_waits_for_the_next_run() {
    let mut thread = thread(10, 1);
    for text in ["12345", "67890", "x"] {
        thread.add(entry(text));
    }
    let claimed = thread.claim();
    assert_eq!(contents(&thread, &claimed), ["12345", "67890"]);
    assert_eq!(contents(&thread, &thread.waiting().iter().cloned().collect::<Vec<_>>()), ["x"]);
}

#[test]
fn one_message_too_long_is_cut_and_says_so() {
    let mut thread = thread(10, 0);
    thread.add(entry("äääääbbbbbccccc"));
    let claimed = thread.claim();
    assert_eq!(contents(&thread, &claimed), ["ää\n[11 bytes left out]\nccccc"]);
    thread.complete(claimed, "said");
    assert_eq!(contents(&thread, &[]), ["ää\n[11 bytes left out]\nccccc", "said"]);
}

#[test]
fn what_is_put_back_keeps_its_place() {
    let mut thread = thread(100, 0);
    thread.add(entry("a"));
    thread.add(entry("b"));
    let claimed = thread.claim();
    thread.add(entry("c"));
    thread.put_back(claimed);
    let claimed = thread.claim();
    assert_eq!(contents(&thread, &claimed), ["a", "b", "c"]);
}

#[test]
fn an_empty_reply_is_no_message() {
    let mut thread = thread(100, 0);
    thread.complete(vec![entry("a")], " \n");
    assert_eq!(contents(&thread, &[]), ["a"]);
}

#[test]
fn shortening_halves_until_there_is_too_little() {
    let mut thread = Thread::new(1 << 20);
    thread.add(entry(&"x".repeat(10_000)));
    let claimed = thread.claim();
    assert_eq!(thread.shorten(&claimed), Some(5000));
    assert_eq!(thread.shorten(&claimed), Some(2500));
    assert_eq!(thread.shorten(&claimed), Some(1250));
    assert_eq!(thread.shorten(&claimed), None);
}
