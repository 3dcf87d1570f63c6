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
        restore_failed: false,
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
fn what_was_left_is_resumed_with_what_it_is_of() {
    let mut old = watch(&WatchStatus::default(), "memo://notes", &status(Phase::Subscribed), &at(1));
    old.cursor = Some(Cursor { epoch: "e".to_owned(), seq: 7 });
    old.counts = Some(Counts { events: 9, filter_errors: 2, ..Counts::default() });
    let resumed = resume(&old);
    assert_eq!(resumed.uri.as_deref(), Some("memo://notes"));
    assert_eq!(resumed.cursor.map(|cursor| cursor.seq), Some(7));
    assert_eq!((resumed.counts.events, resumed.counts.filter_errors), (9, 2));
    assert_eq!(resume(&WatchStatus::default()), Resume::default());
}

#[test]
fn a_filter_that_cannot_be_used_names_its_field() {
    let invalid = Phase::InvalidFilter { message: "SyntaxError: invalid syntax (line 2, column 5)".to_owned() };
    assert_eq!(
        check(invalid),
        [
            "Accepted=False InvalidFilter spec.onEvent: SyntaxError: invalid syntax (line 2, column 5)",
            "Subscribed=False Pending the Watch is not accepted"
        ]
    );
}

#[test]
fn a_watch_that_could_not_go_on_says_so_whatever_kept_it() {
    let failure = Failure { kind: FailureKind::ServerDown, message: "refused".to_owned() };
    let failed = Status { restore_failed: true, ..status(Phase::Failed { failure, attempts: 2 }) };
    let conditions = watch(&WatchStatus::default(), "memo://notes", &failed, &at(0)).conditions;
    let subscribed = &conditions[1];
    assert_eq!((subscribed.status.as_str(), subscribed.reason.as_str()), ("False", "RestoreFailed"));
    assert_eq!(subscribed.message, "could not be resumed after a restart, and is tried again: refused");
}

#[test]
fn a_filter_that_fails_again_and_again_shows_the_end_of_its_traceback() {
    let broken = |traceback: &str| {
        let broken = Status { broken_filter: Some(traceback.to_owned()), ..status(Phase::Subscribed) };
        watch(&WatchStatus::default(), "memo://notes", &broken, &at(0)).conditions.remove(2)
    };
    let short = broken("Traceback (most recent call last):\n  line 1\nKeyError: 'x'\n");
    assert_eq!((short.type_.as_str(), short.reason.as_str()), ("FilterFailing", "FilterFailing"));
    assert!(short.message.ends_with(": Traceback (most recent call last):\n  line 1\nKeyError: 'x'"), "{short:?}");
    let long = broken(&format!("{}\nKeyError: 'ü'", "é".repeat(400)));
    assert!(long.message.len() <= condition::MESSAGE_MAX, "{}", long.message.len());
    assert!(long.message.contains(": …é") && long.message.ends_with("KeyError: 'ü'"), "{long:?}");
}

#[test]
fn the_model_manages_watches_unless_spec_or_cluster_say_no() {
    let mut agent = Agent::new("alice", serde_json::from_value(serde_json::json!({})).unwrap());
    assert_eq!(may_manage(&agent), Ok(()));
    let denied =
        condition::new(condition::MODEL_WATCHES_DENIED, true, Reason::NoAdmissionPolicy, "it is missing", 1, &at(0));
    agent.status = Some(asyncai_crds::AgentStatus { conditions: vec![denied], ..Default::default() });
    assert!(may_manage(&agent).unwrap_err().starts_with("it is missing: people start"));
    agent.spec.watches.model_managed = ModelManaged::Deny;
    assert!(may_manage(&agent).unwrap_err().contains("spec.watches.modelManaged"));
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
