//! Filters are checked before they see an event, and before anything is subscribed.

use crate::check::check;

const CHECKS: &[&str] = &["check", "end filter", "subscribe", "unsubscribe", "filter", "status", "notice", "busy"];

#[test]
fn a_filter_is_checked_before_anything_is_subscribed_and_then_the_status_is_out() {
    check(
        CHECKS,
        "
        > apply m filter=one
        < check m one
        < busy
        > checked m
        < subscribe m memo://m
        < status m connecting
        ",
    );
}

#[test]
fn an_invalid_filter_is_said_at_once_and_nothing_is_subscribed() {
    check(
        CHECKS,
        "
        > apply m filter=one
        < check m one
        < busy
        > checked m SyntaxError: line 1, column 3
        < status m invalid filter: SyntaxError: line 1, column 3
        < idle
        t=600 > wait
        ",
    );
}

#[test]
fn a_filter_that_was_refused_is_checked_anew_when_it_changes_and_only_then() {
    check(
        CHECKS,
        "
        > apply m filter=one
        < check m one
        < busy
        > checked m no
        < status m invalid filter: no
        < idle
        > apply m filter=one generation=2 debounce=9
        < status m invalid filter: no, generation 2
        > apply m filter=two generation=3
        < check m two
        < busy
        > checked m
        < subscribe m memo://m
        < status m connecting, generation 3
        ",
    );
}

#[test]
fn a_filter_that_was_refused_is_checked_anew_when_there_is_more_to_use() {
    check(
        CHECKS,
        "
        > apply m filter=one
        < check m one
        < busy
        > checked m NameError: kcp
        < status m invalid filter: NameError: kcp
        < idle
        > apply n filter=two
        < check n two
        < busy
        > checked n
        < subscribe n memo://n
        < status n connecting
        > recheck
        < check m one
        > checked m
        < subscribe m memo://m
        < status m connecting
        ",
    );
}

#[test]
fn while_a_changed_filter_is_checked_events_wait_and_the_status_too() {
    check(
        CHECKS,
        r#"
        > live m filtered := log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        > updated m
        < busy
        > read m log {"epoch": "e", "floor": 0, "head": 5, "events": [{"seq": 5, "type": "A"}]}
        < filter m {"watch":"m","uri":"memo://m","seq":5,"type":"A","old":null,"changed":null}
        > apply m filter=two generation=2
        < check m two
        > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 6, "events": [{"seq": 6, "type": "B"}]}
        > filtered m text by the first
        t=1 > checked m
        < filter m {"watch":"m","uri":"memo://m","seq":6,"type":"B","old":null,"changed":null}
        < status m subscribed, generation 2, log, at e:4, 1 events 0 dropped 0 notices 0 gaps 0 resubscribes, event t=0
        > filtered m text by the second
        t=4 < notice 1 m/e/5-6
        | by the first
        | by the second
        < idle
        "#,
    );
}

#[test]
fn a_changed_filter_that_is_invalid_ends_the_subscription_and_a_valid_one_loses_nothing() {
    check(
        &["check", "subscribe", "unsubscribe", "read", "filter", "status", "notice"],
        r#"
        > live m filtered := log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        > apply m filter=two generation=2
        < check m two
        > updated m
        < read m since e:4
        > read m log {"epoch": "e", "floor": 0, "head": 5, "events": [{"seq": 5, "type": "A"}]}
        > checked m SyntaxError
        < unsubscribe m
        < status m invalid filter: SyntaxError, generation 2, log, at e:4
        t=60 > apply m filter=three generation=3
        < check m three
        > checked m
        < subscribe m memo://m
        < filter m {"watch":"m","uri":"memo://m","seq":5,"type":"A","old":null,"changed":null}
        < status m connecting, generation 3, log, at e:4
        > filtered m text told after all
        > ack m
        < read m since e:5
        > read m log {"epoch": "e", "floor": 0, "head": 7, "events": [{"seq": 7, "type": "B"}]}
        < filter m {"watch":"m","uri":"memo://m","seq":7,"type":"B","old":null,"changed":null}
        < status m subscribed, generation 3, log, at e:4, 1 events 0 dropped 0 notices 0 gaps 0 resubscribes, event t=60
        > filtered m text and this
        t=63 < notice 1 m/e/5-7
        | told after all
        | and this
        t=64 > wait
        "#,
    );
}

#[test]
fn the_answer_to_an_outdated_check_is_ignored() {
    check(
        CHECKS,
        "
        > apply m filter=one
        < check m one
        < busy
        > apply m filter=two
        < check m two
        > checked-old m no
        > checked m
        < subscribe m memo://m
        < status m connecting
        ",
    );
}

#[test]
fn a_watch_over_the_limit_has_its_filter_checked_when_there_is_room() {
    check(
        CHECKS,
        "
        > limit 0
        > apply m filter=one
        < status m refused over 0
        > limit 1
        < check m one
        < busy
        > checked m
        < subscribe m memo://m
        < status m connecting
        ",
    );
}

#[test]
fn the_filter_of_a_suspended_watch_is_checked_too() {
    check(
        CHECKS,
        "
        > apply m filter=one suspend
        < check m one
        > checked m SyntaxError
        < status m invalid filter: SyntaxError
        > apply m filter=two suspend generation=2
        < check m two
        > checked m
        < status m suspended, generation 2
        > apply m filter=two generation=3
        < subscribe m memo://m
        < status m connecting, generation 3
        < busy
        ",
    );
}

#[test]
fn with_another_uri_the_filter_starts_afresh() {
    check(
        &["check", "unsubscribe", "subscribe"],
        "
        > apply m filter=one
        < check m one
        > checked m
        < subscribe m memo://m
        > apply m filter=one uri=memo://other
        < unsubscribe m
        < check m one
        > checked m
        < subscribe m memo://other
        ",
    );
}

#[test]
fn what_runs_a_filter_ends_with_the_filter_or_the_watch() {
    check(
        &["check", "end filter", "unsubscribe", "subscribe"],
        "
        > live m filtered := state {}
        > live n filtered := state {}
        > apply m
        < end filter m
        > remove n
        < unsubscribe n
        < end filter n
        > remove m
        < unsubscribe m
        ",
    );
}

#[test]
fn another_filter_has_not_failed_yet() {
    let failures = "> filtered m error boom\n".repeat(10);
    let events: Vec<String> = (1..=11).map(|seq| format!(r#"{{"seq":{seq},"type":"T"}}"#)).collect();
    check(
        &["status"],
        &format!(
            "> live m filtered := log {{\"events\": []}}
            > updated m
            > read m log {{\"events\": [{}]}}
            {failures}< status m subscribed, log, at ~1:9, 10 events 9 dropped 0 notices 0 gaps 0 resubscribes 10 filter errors, event t=0, broken filter: Traceback: boom
            > apply m filter=two generation=2
            > checked m
            < status m subscribed, generation 2, log, at ~1:9, 10 events 9 dropped 0 notices 0 gaps 0 resubscribes 10 filter errors, event t=0",
            events.join(",")
        ),
    );
}

#[test]
fn a_check_under_way_does_not_hold_up_the_end() {
    check(
        &["check", "status", "stopped"],
        "
        > apply m filter=one
        < check m one
        > stop
        < status m connecting
        < stopped
        > checked m
        t=60 > wait
        ",
    );
}
