//! Tests of what is said in conditions.

use asyncai_watch::Failure;

use super::*;

fn status(phase: Phase) -> Status {
    Status {
        id: "u1".into(),
        generation: 3,
        phase,
        shape: None,
        server: None,
        cursor: None,
        baseline: None,
        counts: asyncai_watch::Counts::default(),
        last_event: None,
        last_notice: None,
        broken_filter: None,
        throttled: false,
    }
}

fn at(second: i64) -> Time {
    Time(jiff::Timestamp::from_second(second).unwrap())
}

fn check(phase: Phase) -> Vec<String> {
    let conditions = watch(&WatchStatus::default(), &status(phase), &at(0)).conditions;
    assert!(conditions.iter().all(|condition| condition.observed_generation == Some(3)));
    conditions
        .iter()
        .map(|c| format!("{}={} {} {}", c.type_, c.status, c.reason, c.message).trim_end().to_owned())
        .collect()
}

#[test]
fn each_phase_has_its_conditions() {
    let failure = Failure { kind: FailureKind::SourceError, message: "did you mean: configmaps".to_owned() };
    assert_eq!(check(Phase::Subscribed), ["Accepted=True Accepted", "Subscribed=True Subscribed"]);
    assert_eq!(check(Phase::Connecting), ["Accepted=True Accepted", "Subscribed=False Connecting"]);
    assert_eq!(
        check(Phase::Failed { failure, attempts: 5 }),
        ["Accepted=True Accepted", "Subscribed=False SourceError did you mean: configmaps"]
    );
    assert_eq!(
        check(Phase::Resubscribing { attempt: 2, message: "gone".to_owned() })[1],
        "Subscribed=False Resubscribing attempt 2: gone"
    );
    let refused = check(Phase::Refused { maximum: 5 });
    assert!(refused[0].starts_with("Accepted=False TooManyWatches"), "{refused:?}");
}

#[test]
fn a_condition_keeps_its_time_while_its_status_is_the_same() {
    let first = watch(&WatchStatus::default(), &status(Phase::Connecting), &at(1));
    let second = watch(&first, &status(Phase::Subscribed), &at(2));
    assert_eq!(second.conditions[0].last_transition_time, at(1), "Accepted is as it was");
    assert_eq!(second.conditions[1].last_transition_time, at(2), "Subscribed has changed");
}

#[test]
fn refusing_keeps_where_the_watch_stood() {
    let mut old = watch(&WatchStatus::default(), &status(Phase::Subscribed), &at(1));
    old.cursor = Some(Cursor { epoch: "e".to_owned(), seq: 7 });
    old.observed_generation = Some(3);
    let new = refused(&old, Reason::NotYetSupported, "spec.onEvent: …", 4, &at(2));
    assert_eq!(new.cursor, old.cursor);
    assert_eq!(new.observed_generation, None, "that one is the operator's");
    assert_eq!((new.conditions[0].status.as_str(), new.conditions[0].reason.as_str()), ("False", "NotYetSupported"));
}

#[test]
fn a_baseline_of_another_generation_is_not_compared_item_by_item() {
    let mut old = watch(&WatchStatus::default(), &status(Phase::Subscribed), &at(1));
    let baseline = Baseline { hash: "h".to_owned(), items: 1, digests: Some("{}".to_owned()), truncated: false };
    old.baseline = Some(baseline);
    let same = resume(&old, 3).baseline.unwrap();
    assert_eq!((same.digests.as_deref(), same.truncated), (Some("{}"), false));
    let other = resume(&old, 4).baseline.unwrap();
    assert_eq!((other.digests, other.truncated), (None, true));
}

#[test]
fn everything_missing_is_named() {
    let missing = [(Reason::SecretNotFound, "a".to_owned()), (Reason::ServerUnavailable, "b".to_owned())];
    let conditions = agent(&[], &missing, None, 1, &at(1));
    assert_eq!(conditions.len(), 1);
    assert_eq!((conditions[0].reason.as_str(), conditions[0].message.as_str()), ("SecretNotFound", "a; b"));
}
