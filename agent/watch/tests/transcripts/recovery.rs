//! What happens when a subscription ends.

use crate::check::check;

#[test]
fn it_is_made_anew_after_1_2_4_8_and_16_s_then_the_agent_is_told() {
    check(
        &["subscribe", "watch.resubscribing", "watch.failed", "notice"],
        "
        > live m := state {}
        t=10 > ended m bye
        < watch.resubscribing m attempt=1 delay=1 bye
        t=11 < subscribe m memo://m
        > refused m ServerDown down
        < watch.resubscribing m attempt=2 delay=2 down
        t=13 < subscribe m memo://m
        > refused m ServerDown down
        < watch.resubscribing m attempt=3 delay=4 down
        t=17 < subscribe m memo://m
        > refused m ServerDown down
        < watch.resubscribing m attempt=4 delay=8 down
        t=25 < subscribe m memo://m
        > refused m ServerDown down
        < watch.resubscribing m attempt=5 delay=16 down
        t=41 < subscribe m memo://m
        > refused m ServerDown down
        < watch.failed m down
        < watch.resubscribing m attempt=6 delay=22 down
        t=44 < notice 1 m/watch/44000-44000
        | ERROR the watch failed, and tries again: down
        t=45 > wait
        ",
    );
}

#[test]
fn after_that_it_goes_on_for_ever_at_up_to_a_minute_and_says_when_it_is_back() {
    check(
        &["status", "notice"],
        r#"
        > live m := state {"n": 1}
        t=10 > ended m bye
        < status m resubscribing attempt 1: bye, state, at ~1:0, 1 items
        t=11 > refused m ServerDown down
        t=13 > refused m ServerDown down
        t=15 < status m resubscribing attempt 3: down, state, at ~1:0, 1 items
        t=17 > refused m ServerDown down
        t=20 < status m resubscribing attempt 4: down, state, at ~1:0, 1 items
        t=25 > refused m ServerDown down
        < status m resubscribing attempt 5: down, state, at ~1:0, 1 items
        t=41 > refused m ServerDown down
        < status m failed after 5 attempts, ServerDown: down, state, at ~1:0, 1 items
        t=44 < notice 1 m/watch/44000-44000
        | ERROR the watch failed, and tries again: down
        t=71 < status m failed after 5 attempts, ServerDown: down, state, at ~1:0, 1 items, 0 events 0 dropped 1 notices 0 gaps 0 resubscribes, notice t=44
        t=80 > refused m ServerDown down
        t=140 > refused m ServerDown down
        t=200 > refused m ServerDown down
        t=260 > refused m ServerDown down
        t=320 > ack m
        > read m state {"n": 2}
        < status m subscribed, state, at ~1:0, 1 items, 1 events 0 dropped 1 notices 0 gaps 1 resubscribes, event t=320, notice t=44
        t=323 < notice 2 m/~1/1-1
        | RECOVERED the watch is live again
        | MODIFIED n (1→2)
        "#,
    );
}

#[test]
fn the_count_starts_anew_after_30_healthy_seconds() {
    check(
        &["watch.resubscribing"],
        "
        > live m := state {}
        t=10 > ended m a
        < watch.resubscribing m attempt=1 delay=1 a
        t=12 > ack m
        > read m state {}
        t=41 > ended m b
        < watch.resubscribing m attempt=2 delay=2 b
        t=44 > ack m
        > read m state {}
        t=74 > ended m c
        < watch.resubscribing m attempt=1 delay=1 c
        ",
    );
}

#[test]
fn a_failed_read_ends_the_subscription() {
    check(
        &["subscribe", "unsubscribe", "status"],
        "
        > live m := state {}
        t=10 > updated m
        > read m failed SourceError gone
        < unsubscribe m
        < status m resubscribing attempt 1: gone, state, at ~1:0, 0 items
        t=11 < subscribe m memo://m
        > ack m
        > read m state {}
        < status m subscribed, state, at ~1:0, 0 items, 0 events 0 dropped 0 notices 0 gaps 1 resubscribes
        ",
    );
}

#[test]
fn what_changed_meanwhile_is_read_after_the_acknowledgement() {
    check(
        &["read", "notice"],
        r#"
        > live m := log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        t=10 > ended m bye
        t=11 > ack m
        < read m since e:4
        > read m log {"epoch": "e", "floor": 0, "head": 5, "events": [{"seq": 5, "type": "A"}]}
        t=14 < notice 1 m/e/5-5
        | {"seq":5,"type":"A"}
        t=20 > wait
        "#,
    );
}

#[test]
fn a_read_of_the_old_subscription_is_not_waited_for() {
    check(
        &["read", "unsubscribe", "subscribe"],
        "
        > live m := state {}
        > updated m
        < read m
        > ended m bye
        > read m state {}
        t=1 < subscribe m memo://m
        > ack m
        < read m
        ",
    );
}

#[test]
fn a_read_of_the_old_subscription_counts_for_nothing() {
    check(
        &["status"],
        r#"
        > live m := state {"n": 1}
        > updated m
        > ended m bye
        < status m resubscribing attempt 1: bye, state, at ~1:0, 1 items
        t=1 > ack m
        > read-old m state {"n": 2}
        > read-old m failed ServerDown gone
        > read m state {"n": 1}
        < status m subscribed, state, at ~1:0, 1 items, 0 events 0 dropped 0 notices 0 gaps 1 resubscribes
        "#,
    );
}

#[test]
fn a_resumed_watch_starts_with_the_first_attempt() {
    check(
        &["watch.resubscribing"],
        "
        > live m := state {}
        > ended m bye
        < watch.resubscribing m attempt=1 delay=1 bye
        t=1 > refused m ServerDown down
        < watch.resubscribing m attempt=2 delay=2 down
        > apply m suspend
        > apply m
        > refused m ServerDown down
        < watch.resubscribing m attempt=1 delay=1 down
        ",
    );
}

#[test]
fn a_watch_that_comes_and_goes_is_not_told_of_each_time() {
    check(
        &["notice"],
        "
        > live m debounce=0 := state {}
        > ended m bye
        t=1 > refused m ServerDown down
        t=3 > refused m ServerDown down
        t=7 > refused m ServerDown down
        t=15 > refused m ServerDown down
        t=31 > refused m ServerDown down
        < notice 1 m/watch/31000-31000
        | ERROR the watch failed, and tries again: down
        t=70 > ack m
        > read m state {}
        < notice 2 m/watch/70001-70001
        | RECOVERED the watch is live again
        t=71 > ended m bye
        < notice 3 m/watch/71000-71000
        | ERROR the watch failed, and tries again: bye
        t=140 > ack m
        > read m state {}
        t=141 > ended m bye
        t=210 > ack m
        > read m state {}
        t=211 > ended m bye
        t=280 > ack m
        > read m state {}
        t=310 < notice 4 m/watch/310000-310000
        | RECOVERED the watch is live again
        t=900 > ended m bye
        t=901 > wait
        ",
    );
}

#[test]
fn a_broken_watch_does_not_touch_another() {
    check(
        &["notice", "subscribe"],
        r#"
        > live a := state {"n": 1}
        > live b := state {"n": 1}
        > ended a bye
        t=0.5 > updated b
        > read b state {"n": 2}
        t=1 < subscribe a memo://a
        t=3.5 < notice 1 b/~2/1-1
        | MODIFIED n (1→2)
        "#,
    );
}
