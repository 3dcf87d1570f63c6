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
    let conditions = watch(&WatchStatus::default(), "memo://notes", &status(phase), &at(0)).conditions;
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
    let first = watch(&WatchStatus::default(), "memo://notes", &status(Phase::Connecting), &at(1));
    let second = watch(&first, "memo://notes", &status(Phase::Subscribed), &at(2));
    assert_eq!(second.conditions[0].last_transition_time, at(1), "Accepted is as it was");
    assert_eq!(second.conditions[1].last_transition_time, at(2), "Subscribed has changed");
}

#[test]
fn refusing_keeps_where_the_watch_stood() {
    let mut old = watch(&WatchStatus::default(), "memo://notes", &status(Phase::Subscribed), &at(1));
    old.cursor = Some(Cursor { epoch: "e".to_owned(), seq: 7 });
    old.observed_generation = Some(3);
    let new = refused(&old, Reason::NotYetSupported, "spec.onEvent: …", 4, &at(2));
    assert_eq!(new.cursor, old.cursor);
    assert_eq!(new.observed_generation, None, "that one is the operator's");
    assert_eq!((new.conditions[0].status.as_str(), new.conditions[0].reason.as_str()), ("False", "NotYetSupported"));
}

#[test]
fn nothing_of_another_resource_is_resumed() {
    let mut old = watch(&WatchStatus::default(), "memo://notes", &status(Phase::Subscribed), &at(1));
    old.cursor = Some(Cursor { epoch: "e".to_owned(), seq: 7 });
    old.baseline = Some(Baseline::default());
    let same = resume(&old, "memo://notes");
    assert!(same.cursor.is_some() && same.baseline.is_some());
    let other = resume(&old, "memo://other");
    assert!(other.cursor.is_none() && other.baseline.is_none());
}

#[test]
fn a_server_counts_as_down_after_five_attempts() {
    let failed = |attempts| {
        let failure = Failure { kind: FailureKind::ServerDown, message: "refused".to_owned() };
        check(Phase::Failed { failure, attempts }).remove(1)
    };
    assert_eq!(failed(0), "Subscribed=False Connecting refused");
    assert_eq!(failed(5), "Subscribed=False ServerDown refused");
}

#[test]
fn a_watch_at_its_hourly_maximum_says_so() {
    let throttled = Status { throttled: true, ..status(Phase::Subscribed) };
    let conditions = watch(&WatchStatus::default(), "memo://notes", &throttled, &at(0)).conditions;
    assert_eq!((conditions[2].type_.as_str(), conditions[2].reason.as_str()), ("Throttled", "NoticeLimit"));
}

#[test]
fn everything_missing_is_named() {
    let missing = [(Reason::SecretNotFound, "a".to_owned()), (Reason::ServerUnavailable, "b".to_owned())];
    let conditions = agent(&[], &missing, None, 1, &at(1));
    assert_eq!(conditions.len(), 1);
    assert_eq!((conditions[0].reason.as_str(), conditions[0].message.as_str()), ("SecretNotFound", "a; b"));
}
