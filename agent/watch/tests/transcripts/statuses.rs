//! When statuses are given out, and how far their cursor has come.

use crate::check::check;

const STATUS: &[&str] = &["status", "notice"];

#[test]
fn the_cursor_moves_over_what_a_finished_turn_has_seen() {
    check(
        STATUS,
        r#"
        > apply m
        < status m connecting
        > ack m
        > read m log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        < status m subscribed, log, at e:4
        t=10 > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 5, "events": [{"seq": 5, "type": "A"}]}
        t=13 < notice 1 m/e/5-5
        | {"seq":5,"type":"A"}
        t=14 > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 6, "events": [{"seq": 6, "type": "B"}]}
        t=17 < notice 2 m/e/6-6
        | {"seq":6,"type":"B"}
        > seen 2
        t=18 > seen 1
        < status m subscribed, log, at e:6, 2 events 0 dropped 2 notices 0 gaps 0 resubscribes, event t=14, notice t=17
        t=60 > wait
        "#,
    );
}

#[test]
fn the_cursor_moves_over_what_was_dropped_with_nothing_before_it() {
    check(
        STATUS,
        r#"
        > live m filtered := log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        t=10 > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 9, "events": [{"seq": 5, "type": "A"}]}
        > filtered m none
        < status m subscribed, log, at e:9, 1 events 1 dropped 0 notices 0 gaps 0 resubscribes, event t=10
        t=90 > wait
        "#,
    );
}

#[test]
fn progress_is_shown_at_most_every_5_s_and_counts_alone_every_30_s() {
    check(
        STATUS,
        r#"
        > live m filtered := log {"epoch": "e", "floor": 0, "head": 0, "events": []}
        t=1 > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 1, "events": [{"seq": 1, "type": "A"}]}
        > filtered m none
        t=2 > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 2, "events": [{"seq": 2, "type": "A"}]}
        > filtered m none
        t=5 < status m subscribed, log, at e:2, 2 events 2 dropped 0 notices 0 gaps 0 resubscribes, event t=2
        t=6 > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 3, "events": [{"seq": 3, "type": "A"}]}
        > filtered m text told
        t=9 < notice 1 m/e/3-3
        | told
        t=35 < status m subscribed, log, at e:2, 3 events 2 dropped 1 notices 0 gaps 0 resubscribes, event t=6, notice t=9
        t=600 > wait
        "#,
    );
}

#[test]
fn nothing_happens_while_nothing_happens() {
    check(
        &["subscribe", "unsubscribe", "read", "filter", "notice", "status", "stopped"],
        r"
        > live m := state {}
        t=86400 > wait
        > updated m
        < read m
        > read m state {}
        t=172800 > wait
        ",
    );
}

#[test]
fn a_new_generation_is_shown_at_once() {
    check(
        STATUS,
        r#"
        > live m := state {"a": 1}
        t=1 > apply m generation=2 per_hour=5
        < status m subscribed, generation 2, state, at ~1:0, 1 items
        > apply m generation=2 per_hour=5
        "#,
    );
}

#[test]
fn another_uri_clears_cursor_and_baseline() {
    check(
        STATUS,
        r#"
        > live m := state {"a": 1}
        t=1 > apply m generation=2 uri=memo://other
        < status m connecting, generation 2
        "#,
    );
}

#[test]
fn a_suspended_watch_says_so_and_keeps_its_place() {
    check(
        STATUS,
        r"
        > apply m suspend cursor=e:4
        < status m suspended, log, at e:4
        t=90 > wait
        ",
    );
}

#[test]
fn a_large_state_has_no_digests() {
    let members: Vec<String> = (0..400).map(|n| format!(r#""member-{n}":{n}"#)).collect();
    check(
        STATUS,
        &format!(
            "> apply m\n< status m connecting\n> ack m\n> read m state {{{}}}\n< status m subscribed, state, at ~1:0, 400 items truncated",
            members.join(",")
        ),
    );
}
