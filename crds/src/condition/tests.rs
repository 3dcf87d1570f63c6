//! Tests of how conditions follow on each other.

use super::*;

fn at(text: &str) -> Time {
    Time(text.parse().unwrap())
}

fn ready(status: Status, message: &str, now: &str) -> Condition {
    new(READY, status, Reason::Ready, message, 7, &at(now))
}

const EARLY: &str = "2026-11-30T18:00:00Z";
const LATE: &str = "2026-11-30T19:00:00Z";

#[test]
fn a_condition_says_of_which_generation_it_speaks() {
    let condition = ready(Status::True, "all well", EARLY);
    assert_eq!(condition.observed_generation, Some(7));
    assert_eq!((condition.status.as_str(), condition.reason.as_str()), ("True", "Ready"));
}

#[test]
fn the_time_stays_while_the_status_is_the_same() {
    let followed = follow(&[ready(Status::True, "old", EARLY)], vec![ready(Status::True, "new", LATE)]);
    assert_eq!(followed[0].message, "new");
    assert_eq!(followed[0].last_transition_time, at(EARLY));
}

#[test]
fn the_time_is_new_when_the_status_changes() {
    let followed = follow(&[ready(Status::True, "", EARLY)], vec![ready(Status::Unknown, "", LATE)]);
    assert_eq!(followed[0].last_transition_time, at(LATE));
}

#[test]
fn a_following_set_drops_what_is_no_longer_said() {
    let old = [ready(Status::True, "", EARLY), new(STALLED, true, Reason::SourceError, "", 7, &at(EARLY))];
    let followed = follow(&old, vec![ready(Status::True, "", LATE)]);
    assert_eq!(followed, [ready(Status::True, "", EARLY)]);
}

#[test]
fn a_long_message_is_cut_between_characters() {
    let condition = ready(Status::False, &"ä".repeat(1000), EARLY);
    assert!(condition.message.len() <= MESSAGE_MAX);
    assert!(condition.message.ends_with("ä…"), "{}", condition.message);
    assert_eq!(clip("just fits", 9), "just fits");
    assert_eq!(clip("", 0), "");
    assert_eq!(clip("does not", 7), "does…");
}
