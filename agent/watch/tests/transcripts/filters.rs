//! Filters: what they see, and what becomes of their answers.

use crate::check::check;

#[test]
fn a_filter_sees_the_fields_of_the_event_and_what_changed() {
    check(
        &["filter"],
        r#"
        > live m filtered := log {"events": []}
        > updated m
        > read m log {"events": [{"seq": 1, "type": "MODIFIED", "extra": [1, 2], "object": {"a": {"b": 2}}, "old": {"a": {"b": 1}}}, {"seq": 2, "type": "MODIFIED", "object": {}}, {"seq": 3, "old": 1, "watch": "x"}]}
        < filter m {"watch":"m","uri":"memo://m","seq":1,"type":"MODIFIED","extra":[1, 2],"object":{"a": {"b": 2}},"old":{"a": {"b": 1}},"changed":["a.b"]}
        < filter m {"watch":"m","uri":"memo://m","seq":2,"type":"MODIFIED","object":{},"old":null,"changed":null}
        < filter m {"watch":"m","uri":"memo://m","seq":3,"type":"UNKNOWN","old":null,"changed":null}
        "#,
    );
}

#[test]
fn a_filter_sees_the_key_and_the_values_of_a_state() {
    check(
        &["filter"],
        r#"
        > live o filtered := state {"a": 1, "b": 1}
        > live l filtered := state [{"id": 1, "v": 1}, {"id": 2}]
        > live t filtered := state one
        > updated o
        > read o state {"a": 2, "c": 3}
        < filter o {"watch":"o","uri":"memo://o","type":"MODIFIED","key":"a","new":2,"old":1,"changed":["a"]}
        < filter o {"watch":"o","uri":"memo://o","type":"ADDED","key":"c","new":3,"old":null,"changed":null}
        < filter o {"watch":"o","uri":"memo://o","type":"DELETED","key":"b","new":null,"old":null,"changed":null}
        > updated l
        > read l state [{"id": 1, "v": 2}]
        < filter l {"watch":"l","uri":"memo://l","type":"MODIFIED","key":"1","item":{"id": 1, "v": 2},"old":{"id": 1, "v": 1},"changed":["v"]}
        < filter l {"watch":"l","uri":"memo://l","type":"DELETED","key":"2","item":{"id": 2},"old":null,"changed":null}
        > updated t
        > read t state "two"
        < filter t {"watch":"t","uri":"memo://t","type":"CHANGED","key":null,"new":"two","old":null,"changed":null}
        "#,
    );
}

#[test]
fn a_filter_sees_a_gap() {
    check(
        &["filter"],
        r#"
        > live m filtered := log {"events": [{"seq": 1}]}
        > updated m
        > read m log {"events": [{"seq": 4, "type": "A"}]}
        < filter m {"watch":"m","uri":"memo://m","type":"GAP","seq":3,"reason":"evicted","missed":2,"old":null,"changed":null}
        < filter m {"watch":"m","uri":"memo://m","seq":4,"type":"A","old":null,"changed":null}
        "#,
    );
}

#[test]
fn without_a_filter_none_is_asked() {
    check(
        &["filter"],
        r#"
        > live m := log {"events": []}
        > updated m
        > read m log {"events": [{"seq": 1, "type": "A"}]}
        "#,
    );
}

#[test]
fn an_event_without_effect_does_not_reach_the_filter() {
    check(
        &["filter", "watch.event"],
        r#"
        > live m filtered := log {"events": []}
        > updated m
        > read m log {"events": [{"seq": 1, "type": "MODIFIED", "object": {"a": 1}, "old": {"a": 1.0}}]}
        < watch.event m 1 MODIFIED kept=false
        "#,
    );
}

#[test]
fn none_drops_the_event_and_text_is_told_in_one_line() {
    check(
        &["notice", "watch.event"],
        r#"
        > live m filtered := log {"events": []}
        > updated m
        > read m log {"events": [{"seq": 1, "type": "A"}, {"seq": 2, "type": "B"}, {"seq": 3, "type": "C"}]}
        > filtered m none
        < watch.event m 1 A kept=false
        > filtered m text two\nlines
        < watch.event m 2 B kept=true
        > filtered m text  
        < watch.event m 3 C kept=false
        t=3 < notice 1 m/~1/2-2
        | two\nlines
        t=4 > wait
        "#,
    );
}

#[test]
fn gap_and_error_are_told_even_if_the_filter_drops_them_or_fails() {
    check(
        &["notice"],
        r#"
        > live m filtered := log {"events": [{"seq": 1}]}
        > updated m
        > read m log {"events": [{"seq": 3, "type": "ERROR", "message": "no"}, {"seq": 4, "type": "ERROR", "message": "still no"}]}
        > filtered m none
        > filtered m none
        > filtered m error NameError: x
        t=3 < notice 1 m/~1/2-4
        | GAP 1 event may be missing (reason: evicted)
        | ERROR no
        | ERROR still no
        | ERROR the filter failed: NameError: x
        t=4 > wait
        "#,
    );
}

#[test]
fn a_filter_may_reword_a_gap() {
    check(
        &["notice"],
        r#"
        > live m filtered := log {"events": [{"seq": 1}]}
        > updated m
        > read m log {"events": [{"seq": 3, "type": "A"}]}
        > filtered m text there is a hole
        > filtered m none
        t=3 < notice 1 m/~1/2-2
        | there is a hole
        t=4 > wait
        "#,
    );
}

#[test]
fn a_failing_filter_costs_its_events_and_is_reported_once_a_minute() {
    check(
        &["notice", "watch.event"],
        r#"
        > live m filtered := log {"events": []}
        > updated m
        > read m log {"events": [{"seq": 1, "type": "A"}, {"seq": 2, "type": "B"}, {"seq": 3, "type": "C"}]}
        > filtered m error KeyError: 'x'
        < watch.event m 1 A kept=false
        > filtered m error KeyError: 'y'
        < watch.event m 2 B kept=false
        > filtered m error KeyError: 'z'
        < watch.event m 3 C kept=false
        t=3 < notice 1 m/watch/3000-3000
        | ERROR the filter failed: KeyError: 'x'
        t=63 < notice 2 m/watch/63000-63000
        | ERROR the filter failed 2 times, last: KeyError: 'z'
        t=200 > wait
        "#,
    );
}

#[test]
fn after_ten_failures_in_a_row_the_default_line_is_told_until_the_filter_works() {
    check(
        &["watch.event", "status"],
        r#"
        > live m filtered := log {"events": []}
        > updated m
        > read m log {"events": [{"seq": 1}, {"seq": 2}, {"seq": 3}, {"seq": 4}, {"seq": 5}, {"seq": 6}, {"seq": 7}, {"seq": 8}, {"seq": 9}, {"seq": 10}, {"seq": 11}, {"seq": 12}]}
        > filtered m error boom
        < watch.event m 1 UNKNOWN kept=false
        > filtered m error boom
        < watch.event m 2 UNKNOWN kept=false
        > filtered m error boom
        < watch.event m 3 UNKNOWN kept=false
        > filtered m error boom
        < watch.event m 4 UNKNOWN kept=false
        > filtered m error boom
        < watch.event m 5 UNKNOWN kept=false
        > filtered m error boom
        < watch.event m 6 UNKNOWN kept=false
        > filtered m error boom
        < watch.event m 7 UNKNOWN kept=false
        > filtered m error boom
        < watch.event m 8 UNKNOWN kept=false
        > filtered m error boom
        < watch.event m 9 UNKNOWN kept=false
        > filtered m error boom
        < watch.event m 10 UNKNOWN kept=true
        < status m subscribed, log, at ~1:9, 10 events 9 dropped 0 notices 0 gaps 0 resubscribes 10 filter errors, event t=0, broken filter: Traceback: boom
        > filtered m error boom
        < watch.event m 11 UNKNOWN kept=true
        > filtered m none
        < watch.event m 12 UNKNOWN kept=false
        < status m subscribed, log, at ~1:9, 12 events 10 dropped 0 notices 0 gaps 0 resubscribes 11 filter errors, event t=0
        "#,
    );
}

#[test]
fn answers_out_of_order_are_told_in_order() {
    check(
        &["watch.event"],
        r#"
        > live m filtered := log {"events": []}
        > updated m
        > read m log {"events": [{"seq": 1, "type": "A"}, {"seq": 2, "type": "B"}]}
        > filtered-last m text second
        > filtered m text first
        < watch.event m 1 A kept=true
        < watch.event m 2 B kept=true
        "#,
    );
}

/// Events of one seq, which are one unit.
fn unit(events: u32) -> String {
    let events: Vec<String> = (0..events).map(|_| r#"{"seq":1,"type":"T"}"#.to_owned()).collect();
    events.join(",")
}

#[test]
fn the_filter_is_asked_100_times_before_it_answers_once() {
    let question =
        "< filter m {\"watch\":\"m\",\"uri\":\"memo://m\",\"seq\":1,\"type\":\"T\",\"old\":null,\"changed\":null}\n";
    let transcript = format!(
        "> live m filtered := log {{\"events\": []}}\n> updated m\n> read m log {{\"events\": [{}]}}\n{}> filtered m none\n{question}> wait",
        unit(150),
        question.repeat(100),
    );
    check(&["filter"], &transcript);
}

#[test]
fn with_10_000_changes_before_the_filter_nothing_is_read() {
    let transcript = format!(
        "> live m filtered := log {{\"events\": []}}\n> updated m\n< read m\n> read m log {{\"events\": [{}]}}\n> updated m\n{}< read m",
        unit(10_100),
        "> filtered m none\n".repeat(3),
    );
    check(&["read"], &transcript);
}
