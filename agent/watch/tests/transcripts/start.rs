//! How a watch starts, changes and ends.

use crate::check::check;

const LINK: &[&str] =
    &["subscribe", "unsubscribe", "read", "notice", "watch.started", "watch.subscribed", "watch.stopped"];

#[test]
fn the_order_is_subscribe_acknowledge_read_live() {
    check(
        LINK,
        r#"
        > apply cm
        < watch.started cm memo://cm
        < subscribe cm memo://cm
        t=1 > ack cm
        < watch.subscribed cm server
        < read cm
        t=2 > read cm state {"a": 1}
        t=3 > updated cm
        < read cm
        > read cm state {"a": 2}
        t=6 < notice 1 cm/~2000/1-1
        | MODIFIED a (1→2)
        t=9 > wait
        "#,
    );
}

#[test]
fn the_server_of_the_spec_is_asked() {
    check(
        LINK,
        "
        > apply cm server=kcp uri=kcp-events://watch/local/configmaps
        < watch.started cm kcp-events://watch/local/configmaps
        < subscribe cm kcp-events://watch/local/configmaps at kcp
        ",
    );
}

#[test]
fn one_read_is_under_way_at_most() {
    check(
        LINK,
        r"
        > live cm := state {}
        > updated cm
        < read cm
        > updated cm
        > updated cm
        > read cm state {}
        < read cm
        > read cm state {}
        ",
    );
}

#[test]
fn an_update_before_the_acknowledgement_is_covered_by_the_first_read() {
    check(
        LINK,
        r"
        > apply cm
        < watch.started cm memo://cm
        < subscribe cm memo://cm
        > updated cm
        > ack cm
        < watch.subscribed cm server
        < read cm
        ",
    );
}

#[test]
fn a_source_that_rejects_the_uri_fails_the_start_at_once_and_the_agent_is_told_once() {
    check(
        &["subscribe", "unsubscribe", "status", "notice"],
        "
        > apply cm
        < subscribe cm memo://cm
        < status cm connecting
        > ack cm
        > read cm failed SourceError no such resource; did you mean: configmaps
        < unsubscribe cm
        < status cm failed after 0 attempts, SourceError: no such resource; did you mean: configmaps
        t=1 < subscribe cm memo://cm
        > refused cm SourceError no such resource; did you mean: configmaps
        t=3 < subscribe cm memo://cm
        < notice 1 cm/watch/3000-3000
        | ERROR the watch failed, and tries again: no such resource; did you mean: configmaps
        t=4 > refused cm SourceError no such resource; did you mean: configmaps
        t=5 < status cm failed after 2 attempts, SourceError: no such resource; did you mean: configmaps, 0 events 0 dropped 1 notices 0 gaps 0 resubscribes, notice t=3
        t=8 < subscribe cm memo://cm
        > ack cm
        > read cm state {}
        < status cm subscribed, state, at ~8000:0, 0 items, 0 events 0 dropped 1 notices 0 gaps 0 resubscribes, notice t=3
        t=11 < notice 2 cm/watch/11000-11000
        | RECOVERED the watch is live again
        ",
    );
}

#[test]
fn a_server_that_is_not_there_yet_is_not_told_of_at_once() {
    check(
        &["notice"],
        "
        > apply cm
        > refused cm ServerDown connection refused
        t=1 > refused cm ServerDown connection refused
        t=3 > refused cm ServerDown connection refused
        t=7 > refused cm ServerDown connection refused
        t=15 > refused cm ServerDown connection refused
        t=31 > refused cm ServerDown connection refused
        t=34 < notice 1 cm/watch/34000-34000
        | ERROR the watch failed, and tries again: connection refused
        ",
    );
}

#[test]
fn a_body_that_is_none_fails_the_start() {
    check(
        &["status"],
        r#"
        > apply cm
        < status cm connecting
        > ack cm
        > read cm log {"items": []}
        < status cm failed after 0 attempts, SourceError: the body of an event log must be {"events": [...]}: missing field `events` at line 1 column 13
        "#,
    );
}

#[test]
fn initial_deliver_tells_what_exists() {
    check(
        &["notice"],
        r#"
        > live memo deliver := state {"b": 1, "a": {"x": 2}}
        > live list deliver := state [{"id": 7}, "x"]
        > live text deliver := state hello
        > live log deliver := log {"events": [{"seq": 4, "type": "ADDED", "object": {"metadata": {"name": "web"}}}]}
        t=3 < notice 1 list/~2/1-2
        | ADDED 7
        | ADDED x
        < notice 2 log/~4/4-4
        | ADDED web
        < notice 3 memo/~1/1-2
        | ADDED a
        | ADDED b
        < notice 4 text/~3/1-1
        | ADDED
        t=4 > wait
        "#,
    );
}

#[test]
fn initial_deliver_asks_an_event_log_for_all_there_is() {
    check(
        &["read", "notice"],
        r#"
        > apply cm deliver
        > ack cm
        < read cm since :0
        > read cm log {"epoch": "e", "floor": 0, "head": 70, "events": [{"seq": 70, "type": "ADDED", "object": {"metadata": {"name": "a"}}}, {"seq": 70, "type": "ADDED", "object": {"metadata": {"name": "b"}}}]}
        > updated cm
        < read cm since e:70
        t=3 < notice 1 cm/e/70-70
        | ADDED a
        | ADDED b
        "#,
    );
}

#[test]
fn initial_deliver_is_for_the_first_start_only() {
    check(
        &["notice"],
        r#"
        > live cm deliver cursor=e:4 := log {"epoch": "e", "floor": 0, "head": 4, "events": [{"seq": 4, "type": "ADDED"}]}
        t=9 > wait
        "#,
    );
}

#[test]
fn another_uri_starts_afresh() {
    check(
        LINK,
        r#"
        > live cm := state {"a": 1}
        t=1 > updated cm
        < read cm
        > read cm state {"a": 2}
        t=2 > apply cm uri=memo://other
        < notice 1 cm/~1/1-1
        | MODIFIED a (1→2)
        < unsubscribe cm
        < watch.stopped cm
        < watch.started cm memo://other
        < subscribe cm memo://other
        > ack cm
        < watch.subscribed cm server
        < read cm
        > read cm state {"a": 3}
        t=9 > wait
        "#,
    );
}

#[test]
fn a_suspended_watch_that_gets_another_uri_tells_nothing_of_the_old_one() {
    check(
        &["notice"],
        r#"
        > live cm := state {"a": 1}
        > updated cm
        > read cm state {"a": 2}
        > apply cm suspend
        > apply cm suspend uri=memo://other
        > apply cm uri=memo://other
        t=60 > wait
        "#,
    );
}

#[test]
fn any_other_field_applies_live() {
    check(
        LINK,
        r#"
        > live cm := state {"a": 1}
        > updated cm
        < read cm
        > read cm state {"a": 2}
        t=1 > apply cm debounce=1 generation=2
        < notice 1 cm/~1/1-1
        | MODIFIED a (1→2)
        "#,
    );
}

#[test]
fn answers_to_what_is_outdated_are_ignored() {
    check(
        LINK,
        r#"
        > apply cm
        < watch.started cm memo://cm
        < subscribe cm memo://cm
        > ack cm
        < watch.subscribed cm server
        < read cm
        > apply cm suspend
        < unsubscribe cm
        > read cm state {"a": 1}
        > updated cm
        > ended cm bye
        t=60 > wait
        "#,
    );
}

#[test]
fn a_removed_watch_is_unsubscribed_and_tells_nothing_more() {
    check(
        LINK,
        r#"
        > live cm := state {"a": 1}
        > updated cm
        < read cm
        > read cm state {"a": 2}
        > remove cm
        < unsubscribe cm
        < watch.stopped cm
        t=20 > wait
        > seen 1
        > remove cm
        "#,
    );
}

#[test]
fn a_refresh_reads_each_live_watch_once_more() {
    check(
        LINK,
        r"
        > live a := state {}
        > apply b
        < watch.started b memo://b
        < subscribe b memo://b
        > live c suspend := state {}
        > refresh
        < read a
        > refresh
        > read a state {}
        < read a
        > read a state {}
        ",
    );
}

#[test]
fn it_is_busy_as_long_as_a_notice_may_come_by_itself() {
    check(
        &["busy", "notice"],
        r#"
        > apply cm filtered
        < busy
        > ack cm
        > read cm log {"events": []}
        < idle
        > updated cm
        < busy
        > read cm log {"events": [{"seq": 1, "type": "A"}, {"seq": 2, "type": "B"}]}
        > filtered cm text a
        > filtered cm none
        t=3 < notice 1 cm/~1/1-1
        | a
        < idle
        > ended cm bye
        t=4 < busy
        "#,
    );
}
