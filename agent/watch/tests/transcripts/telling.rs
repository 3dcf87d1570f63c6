//! How lines become notices: dedupe, collapse, debounce, caps.

use crate::check::check;

#[test]
fn each_line_moves_the_notice_to_3_s_later_up_to_15_s_after_the_first() {
    check(
        &["notice"],
        r#"
        > live m := state {}
        t=1 > updated m
        > read m state {"a": 1}
        t=3.5 > updated m
        > read m state {"a": 2}
        t=6 > updated m
        > read m state {"a": 3}
        t=8.5 > updated m
        > read m state {"a": 4}
        t=11 > updated m
        > read m state {"a": 5}
        t=13.5 > updated m
        > read m state {"a": 6}
        t=15.5 > updated m
        > read m state {"a": 7}
        t=16 < notice 1 m/~1/1-7
        | ADDED a
        | MODIFIED a (1→2)
        | MODIFIED a (2→3)
        | MODIFIED a (3→4)
        | MODIFIED a (4→5)
        | MODIFIED a (5→6)
        | MODIFIED a (6→7)
        t=30 > wait
        "#,
    );
}

#[test]
fn a_line_equal_to_the_last_of_the_same_object_is_dropped() {
    check(
        &["notice", "watch.event"],
        r#"
        > live m := log {"events": []}
        > updated m
        > read m log {"events": [{"seq": 1, "type": "SEEN", "object": {"metadata": {"name": "a"}}}, {"seq": 2, "type": "SEEN", "object": {"metadata": {"name": "b"}}}]}
        < watch.event m 1 SEEN kept=true
        < watch.event m 2 SEEN kept=true
        t=3 < notice 1 m/~1/1-2
        | SEEN a
        | SEEN b
        > updated m
        > read m log {"events": [{"seq": 2, "type": "SEEN"}, {"seq": 3, "type": "SEEN", "object": {"metadata": {"name": "a"}}}]}
        < watch.event m 3 SEEN kept=false
        t=60 > wait
        "#,
    );
}

#[test]
fn a_gap_is_always_told_and_an_error_again_once_something_else_came() {
    check(
        &["watch.event"],
        r#"
        > live m := log {"epoch": "e", "head": 0, "events": []}
        > updated m
        > read m log {"epoch": "f", "floor": 0, "head": 1, "events": [{"seq": 1, "type": "ERROR", "message": "no"}]}
        < watch.event m 0 GAP kept=true
        < watch.event m 1 ERROR kept=true
        > updated m
        > read m log {"epoch": "f", "floor": 0, "head": 3, "events": [{"seq": 3, "type": "ERROR", "message": "no"}]}
        < watch.event m 3 ERROR kept=false
        > updated m
        > read m log {"epoch": "g", "floor": 0, "head": 1, "events": [{"seq": 1, "type": "ERROR", "message": "no"}]}
        < watch.event m 0 GAP kept=true
        < watch.event m 1 ERROR kept=true
        "#,
    );
}

#[test]
fn identical_lines_of_a_notice_collapse() {
    check(
        &["notice"],
        r#"
        > live m filtered := log {"events": []}
        > updated m
        > read m log {"events": [{"seq": 1, "type": "A"}, {"seq": 2, "type": "B"}, {"seq": 3, "type": "C"}]}
        > filtered m text something
        > filtered m text else
        > filtered m text something
        t=3 < notice 1 m/~1/1-3
        | else
        | something ×2
        t=4 > wait
        "#,
    );
}

#[test]
fn a_notice_has_20_lines_and_says_how_many_more() {
    let events: Vec<String> = (1..=23).map(|seq| format!(r#"{{"seq":{seq},"type":"T"}}"#)).collect();
    let lines: Vec<String> = events[..20].iter().map(|event| format!("| {event}")).collect();
    check(
        &["notice"],
        &format!(
            "
            > live m := log {{\"events\": []}}
            > updated m
            > read m log {{\"events\": [{}]}}
            t=3 < notice 1 m/~1/1-23
            {}
            | +3 more
            t=4 > wait
            ",
            events.join(","),
            lines.join("\n")
        ),
    );
}

#[test]
fn more_than_100_events_of_an_update_follow_in_slices_at_once() {
    let events: Vec<String> = (1..=250).map(|seq| format!(r#"{{"seq":{seq},"type":"T"}}"#)).collect();
    let logs: Vec<String> = (1..=250).map(|seq| format!("< watch.event m {seq} T kept=true")).collect();
    check(
        &["watch.event"],
        &format!(
            "
            > live m := log {{\"events\": []}}
            > updated m
            > read m log {{\"events\": [{}]}}
            {}
            > wait
            {}
            > wait
            {}
            ",
            events.join(","),
            logs[..100].join("\n"),
            logs[100..200].join("\n"),
            logs[200..].join("\n"),
        ),
    );
}

#[test]
fn over_the_hourly_maximum_notices_merge_and_go_later() {
    check(
        &["notice", "status"],
        r#"
        > live m per_hour=2 := state {"n": 0}
        t=10 > updated m
        > read m state {"n": 1}
        t=13 < notice 1 m/~1/1-1
        | MODIFIED n (0→1)
        t=20 > updated m
        > read m state {"n": 2}
        t=23 < notice 2 m/~1/2-2
        | MODIFIED n (1→2)
        > seen 1 2
        < status m subscribed, state, at ~1:2, 1 items, 2 events 0 dropped 2 notices 0 gaps 0 resubscribes, event t=20, notice t=23
        t=30 > updated m
        > read m state {"n": 3}
        t=33 < status m subscribed, state, at ~1:2, 1 items, 3 events 0 dropped 2 notices 0 gaps 0 resubscribes, event t=30, notice t=23, throttled
        t=40 > updated m
        > read m state {"n": 4}
        t=63 < status m subscribed, state, at ~1:2, 1 items, 4 events 0 dropped 2 notices 0 gaps 0 resubscribes, event t=40, notice t=23, throttled
        t=3613 < notice 3 m/~1/3-4
        | MODIFIED n (2→3)
        | MODIFIED n (3→4)
        < status m subscribed, state, at ~1:2, 1 items, 4 events 0 dropped 3 notices 0 gaps 0 resubscribes, event t=40, notice t=3613
        t=9000 > wait
        "#,
    );
}

#[test]
fn while_throttled_no_more_than_the_lines_of_one_notice_are_held() {
    let reads: Vec<String> = (2..=30).map(|n| format!("> updated m\n> read m state {{\"n\": {n}}}")).collect();
    let lines: Vec<String> = (2..=21).map(|n| format!("| MODIFIED n ({}→{n})", n - 1)).collect();
    check(
        &["notice"],
        &format!(
            "
            > live m per_hour=1 := state {{\"n\": 0}}
            > updated m
            > read m state {{\"n\": 1}}
            t=3 < notice 1 m/~1/1-1
            | MODIFIED n (0→1)
            {}
            t=3603 < notice 2 m/~1/2-30
            {}
            | +9 more
            t=4000 > wait
            ",
            reads.join("\n"),
            lines.join("\n"),
        ),
    );
}

#[test]
fn nothing_is_told_while_suspended_and_what_happened_is_told_on_resume() {
    check(
        &["subscribe", "unsubscribe", "read", "notice"],
        r#"
        > live m := log {"epoch": "e", "floor": 0, "head": 1, "events": []}
        > updated m
        < read m since e:1
        > read m log {"epoch": "e", "floor": 0, "head": 2, "events": [{"seq": 2, "type": "A"}]}
        t=1 > apply m suspend
        < unsubscribe m
        t=100 > apply m
        < subscribe m memo://m
        < notice 1 m/e/2-2
        | {"seq":2,"type":"A"}
        > ack m
        < read m since e:2
        > read m log {"epoch": "e", "floor": 0, "head": 3, "events": [{"seq": 3, "type": "B"}]}
        t=103 < notice 2 m/e/3-3
        | {"seq":3,"type":"B"}
        t=200 > wait
        "#,
    );
}

#[test]
fn while_turns_are_held_back_lines_merge_into_one_notice() {
    check(
        &["notice"],
        r#"
        > live m := log {"epoch": "e", "floor": 0, "head": 0, "events": []}
        > hold on
        > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 1, "events": [{"seq": 1, "type": "A"}]}
        t=600 > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 2, "events": [{"seq": 2, "type": "B"}]}
        t=7200 > hold off
        < notice 1 m/e/1-2
        | {"seq":1,"type":"A"}
        | {"seq":2,"type":"B"}
        "#,
    );
}

#[test]
fn a_gap_is_never_among_the_lines_that_are_only_counted() {
    let events: Vec<String> = (1..=25).map(|seq| format!(r#"{{"seq": {seq}, "type": "A"}}"#)).collect();
    let lines: Vec<String> = (1..=19).map(|seq| format!(r#"| {{"seq":{seq},"type":"A"}}"#)).collect();
    check(
        &["notice"],
        &format!(
            r#"
            > live m := log {{"epoch": "e", "floor": 0, "head": 0, "events": []}}
            > updated m
            > read m log {{"epoch": "e", "floor": 0, "head": 25, "events": [{}]}}
            > updated m
            > read m log {{"epoch": "e", "floor": 30, "head": 31, "events": [{{"seq": 31, "type": "A"}}]}}
            t=3 < notice 1 m/e/1-31
            {}
            | GAP events may be missing (reason: evicted)
            | +7 more
            "#,
            events.join(", "),
            lines.join("\n"),
        ),
    );
}

#[test]
fn the_last_line_of_an_object_says_where_it_ended() {
    check(
        &["notice"],
        r#"
        > live m := state {}
        > updated m
        > read m state {"k": 1}
        > updated m
        > read m state {}
        > updated m
        > read m state {"k": 1}
        t=3 < notice 1 m/~1/1-3
        | DELETED k
        | ADDED k ×2
        "#,
    );
}

#[test]
fn changes_that_read_the_same_when_shortened_are_told_each() {
    let value = "x".repeat(60);
    let read = |n: u32| format!("> updated m\n> read m state {{\"k\": \"{value}{n}\"}}");
    check(
        &["notice"],
        &format!(
            "
            > live m := state {{\"k\": \"{value}0\"}}
            {}
            t=3 < notice 1 m/~1/1-1
            | MODIFIED k
            {}
            t=6 < notice 2 m/~1/2-2
            | MODIFIED k
            ",
            read(1),
            read(2),
        ),
    );
}
