//! How a new process goes on where an earlier one was.

use crate::check::check;

#[test]
fn an_event_log_is_read_from_the_cursor_and_nothing_is_told_again() {
    check(
        &["read", "notice", "status", "watch.restored"],
        r#"
        > apply m cursor=e:4
        < status m connecting, log, at e:4
        > loaded
        > ack m
        < read m since e:4
        > read m log {"epoch": "e", "floor": 0, "head": 5, "events": [{"seq": 4, "type": "A"}, {"seq": 5, "type": "B"}]}
        < status m subscribed, log, at e:4, 1 events 0 dropped 0 notices 0 gaps 0 resubscribes, event t=0
        < watch.restored restored=1 failed=0
        t=3 < notice 1 m/e/5-5
        | {"seq":5,"type":"B"}
        > seen 1
        t=5 < status m subscribed, log, at e:5, 1 events 0 dropped 1 notices 0 gaps 0 resubscribes, event t=0, notice t=3
        t=60 > wait
        "#,
    );
}

#[test]
fn a_cursor_of_our_own_naming_is_not_sent() {
    check(
        &["read"],
        r#"
        > apply m cursor=~17:4
        > ack m
        < read m
        > read m log {"events": [{"seq": 5, "type": "B"}]}
        "#,
    );
}

#[test]
fn an_epoch_that_ended_meanwhile_is_a_gap() {
    check(
        &["notice"],
        r#"
        > live m cursor=e:4 := log {"epoch": "f", "floor": 0, "head": 1, "events": [{"seq": 1, "type": "A"}]}
        t=3 < notice 1 m/f/0-1
        | GAP events may be missing (reason: epoch)
        | {"seq":1,"type":"A"}
        t=4 > wait
        "#,
    );
}

#[test]
fn a_plain_log_that_restarted_meanwhile_is_a_gap() {
    check(
        &["notice"],
        r#"
        > live m cursor=~17:4 := log {"events": [{"seq": 1, "type": "A"}]}
        t=3 < notice 1 m/~1/0-1
        | GAP events may be missing (reason: restart)
        | {"seq":1,"type":"A"}
        t=4 > wait
        "#,
    );
}

#[test]
fn a_state_is_compared_with_its_digests() {
    check(
        &["notice", "status"],
        r#"
        > apply m cursor=~17:4 baseline=00:{"a":"6b86b273ff34","b":"6b86b273ff34","c":"6b86b273ff34"}
        < status m connecting, state, at ~17:4, 1 items
        > ack m
        > read m state {"a":1.0,"b":2,"d":4}
        < status m subscribed, state, at ~17:4, 1 items, 3 events 0 dropped 0 notices 0 gaps 0 resubscribes, event t=0
        t=3 < notice 1 m/~1/5-7
        | CHANGED b
        | CHANGED d
        | CHANGED c
        > seen 1
        t=5 < status m subscribed, state, at ~1:7, 3 items, 3 events 0 dropped 1 notices 0 gaps 0 resubscribes, event t=0, notice t=3
        t=60 > wait
        "#,
    );
}

#[test]
fn what_a_state_does_after_a_restart_bears_no_id_that_another_process_may_have_given() {
    check(
        &["notice"],
        r#"
        > live m cursor=~17:4 baseline=00:{"a":"6b86b273ff34"} := state {"a":1}
        t=4 > wait
        > updated m
        > read m state {"a":2}
        t=7 < notice 1 m/~4000/5-5
        | MODIFIED a (1→2)
        t=8 > wait
        > updated m
        > read m state {"a":3}
        t=11 < notice 2 m/~4000/6-6
        | MODIFIED a (2→3)
        t=12 > wait
        "#,
    );
}

#[test]
fn a_filter_sees_no_old_value_after_a_restart() {
    check(
        &["filter"],
        r#"
        > apply m filtered cursor=~17:4 baseline=00:{"a":"0","c":"0"}
        > ack m
        > read m state {"a":1}
        < filter m {"watch":"m","uri":"memo://m","type":"CHANGED","key":"a","new":1,"old":null,"changed":null}
        < filter m {"watch":"m","uri":"memo://m","type":"CHANGED","key":"c","new":null,"old":null,"changed":null}
        "#,
    );
}

#[test]
fn a_truncated_baseline_that_differs_is_a_gap() {
    check(
        &["notice"],
        r#"
        > live m cursor=~17:4 truncated := state {"a":1}
        t=3 < notice 1 m/~1/5-5
        | GAP events may be missing (reason: truncated)
        t=4 > wait
        "#,
    );
}

#[test]
fn digests_that_cannot_be_read_are_a_gap() {
    check(
        &["notice"],
        r#"
        > live m cursor=~17:4 baseline=00:junk := state {"a":1}
        t=3 < notice 1 m/~1/5-5
        | GAP events may be missing (reason: baseline)
        t=4 > wait
        "#,
    );
}

#[test]
fn a_text_that_differs_is_changed() {
    check(
        &["notice"],
        r"
        > live m cursor=~17:4 baseline=00: := state new text
        t=3 < notice 1 m/~1/5-5
        | CHANGED
        t=4 > wait
        ",
    );
}

#[test]
fn a_watch_that_was_never_read_starts_as_a_new_one() {
    check(
        &["notice", "watch.restored"],
        r#"
        > live m deliver := state {"a": 1}
        > loaded
        t=3 < notice 1 m/~1/1-1
        | ADDED a
        t=4 > wait
        "#,
    );
}

#[test]
fn on_stop_there_is_a_final_read_and_the_last_status() {
    check(
        &["read", "status", "unsubscribe", "notice", "stopped"],
        r#"
        > live m := log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        > live n := state {}
        t=60 > stop
        < read m since e:4
        < read n
        > read m log {"epoch": "e", "floor": 0, "head": 90, "events": []}
        < unsubscribe m
        < status m subscribed, log, at e:90
        > read n failed ServerDown gone
        < unsubscribe n
        < status n resubscribing attempt 1: gone, state, at ~2:0, 0 items
        < stopped
        t=90 > wait
        "#,
    );
}

#[test]
fn what_the_final_read_finds_is_left_to_the_next_process() {
    check(
        &["read", "status", "notice", "stopped"],
        r#"
        > live m := log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        t=60 > stop
        < read m since e:4
        > read m log {"epoch": "e", "floor": 0, "head": 90, "events": [{"seq": 50, "type": "A"}]}
        < status m subscribed, log, at e:4, 1 events 0 dropped 0 notices 0 gaps 0 resubscribes, event t=60
        < stopped
        t=90 > wait
        "#,
    );
}

#[test]
fn a_turn_that_ends_after_stop_is_saved_at_once() {
    check(
        &["status", "notice", "stopped"],
        r#"
        > live m := log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 5, "events": [{"seq": 5, "type": "A"}]}
        t=3 < notice 1 m/e/5-5
        | {"seq":5,"type":"A"}
        t=4 > stop
        > read m log {"epoch": "e", "floor": 0, "head": 5, "events": []}
        < status m subscribed, log, at e:4, 1 events 0 dropped 1 notices 0 gaps 0 resubscribes, event t=0, notice t=3
        < stopped
        > seen 1
        < status m subscribed, log, at e:5, 1 events 0 dropped 1 notices 0 gaps 0 resubscribes, event t=0, notice t=3
        "#,
    );
}

#[test]
fn a_server_that_is_dead_does_not_hold_up_the_end() {
    check(
        &["read", "status", "unsubscribe", "stopped"],
        r#"
        > live m := log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        t=60 > stop
        < read m since e:4
        t=61 > stop
        t=65 < unsubscribe m
        < stopped
        t=90 > wait
        "#,
    );
}

#[test]
fn without_watches_stop_is_over_at_once() {
    check(&["stopped", "subscribe", "status"], "> stop\n< stopped\n> stop\n> apply m");
}
