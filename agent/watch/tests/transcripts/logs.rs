//! Event logs: what is new in a body, and where something may be missing.

use crate::check::check;

const EVENTS: &[&str] = &["read", "watch.event", "notice"];

#[test]
fn events_after_the_last_seen_are_delivered_once() {
    check(
        EVENTS,
        r#"
        > live cm := log {"events": [{"seq": 1, "type": "A"}]}
        > updated cm
        < read cm
        > read cm log {"events": [{"seq": 1, "type": "A"}, {"seq": 2, "type": "B"}]}
        < watch.event cm 2 B kept=true
        > updated cm
        < read cm
        > read cm log {"events": [{"seq": 1, "type": "A"}, {"seq": 2, "type": "B"}, {"seq": 3, "type": "C"}]}
        < watch.event cm 3 C kept=true
        t=3 < notice 1 cm/~1/2-3
        | {"seq":2,"type":"B"}
        | {"seq":3,"type":"C"}
        t=4 > wait
        "#,
    );
}

#[test]
fn of_known_events_nothing_but_the_seq_is_looked_at() {
    // The string of the known event is no Unicode: to parse it would fail.
    check(
        EVENTS,
        r#"
        > live cm := log {"events": [{"seq": 1, "type": "\ud800"}]}
        > updated cm
        < read cm
        > read cm log {"events": [{"seq": 1, "type": "\ud800"}, {"seq": 2, "type": "B"}]}
        < watch.event cm 2 B kept=true
        "#,
    );
}

#[test]
fn a_hole_in_plain_numbers_is_one_gap() {
    check(
        EVENTS,
        r#"
        > live cm := log {"events": [{"seq": 1, "type": "A"}]}
        > updated cm
        < read cm
        > read cm log {"events": [{"seq": 5, "type": "B"}]}
        < watch.event cm 4 GAP kept=true
        < watch.event cm 5 B kept=true
        > updated cm
        < read cm
        > read cm log {"events": [{"seq": 5, "type": "B"}, {"seq": 6, "type": "C"}]}
        < watch.event cm 6 C kept=true
        t=3 < notice 1 cm/~1/4-6
        | GAP 3 events may be missing (reason: evicted)
        | {"seq":5,"type":"B"}
        | {"seq":6,"type":"C"}
        t=4 > wait
        "#,
    );
}

#[test]
fn a_log_that_was_empty_and_starts_at_1_has_no_hole() {
    check(
        EVENTS,
        r#"
        > live cm := log {"events": []}
        > updated cm
        < read cm
        > read cm log {"events": [{"seq": 1, "type": "A"}]}
        < watch.event cm 1 A kept=true
        "#,
    );
}

#[test]
fn an_event_of_seq_0_is_delivered() {
    check(
        EVENTS,
        r#"
        > live cm := log {"events": []}
        > updated cm
        < read cm
        > read cm log {"events": [{"seq": 0, "type": "A"}]}
        < watch.event cm 0 A kept=true
        > updated cm
        < read cm
        > read cm log {"events": [{"seq": 0, "type": "A"}]}
        "#,
    );
}

#[test]
fn with_a_floor_numbers_may_be_sparse() {
    check(
        EVENTS,
        r#"
        > live cm := log {"epoch": "e", "floor": 10, "head": 10, "events": []}
        > updated cm
        < read cm since e:10
        > read cm log {"epoch": "e", "floor": 10, "head": 70, "events": [{"seq": 50, "type": "A"}]}
        < watch.event cm 50 A kept=true
        > updated cm
        < read cm since e:70
        "#,
    );
}

#[test]
fn a_floor_beyond_the_cursor_is_one_gap() {
    check(
        EVENTS,
        r#"
        > live cm := log {"epoch": "e", "floor": 10, "head": 10, "events": []}
        > updated cm
        < read cm since e:10
        > read cm log {"epoch": "e", "floor": 40, "head": 50, "events": [{"seq": 50, "type": "A"}]}
        < watch.event cm 40 GAP kept=true
        < watch.event cm 50 A kept=true
        > updated cm
        < read cm since e:50
        > read cm log {"epoch": "e", "floor": 40, "head": 50, "events": [{"seq": 50, "type": "A"}]}
        t=3 < notice 1 cm/e/40-50
        | GAP events may be missing (reason: evicted)
        | {"seq":50,"type":"A"}
        t=4 > wait
        "#,
    );
}

#[test]
fn another_epoch_is_a_gap_and_then_all_that_the_log_holds() {
    check(
        EVENTS,
        r#"
        > live cm := log {"epoch": "e", "floor": 10, "head": 90, "events": []}
        > updated cm
        < read cm since e:90
        > read cm log {"epoch": "f", "floor": 1, "head": 3, "events": [{"seq": 2, "type": "A"}]}
        < watch.event cm 1 GAP kept=true
        < watch.event cm 2 A kept=true
        > updated cm
        < read cm since f:3
        t=3 < notice 1 cm/f/1-2
        | GAP events may be missing (reason: epoch)
        | {"seq":2,"type":"A"}
        t=4 > wait
        "#,
    );
}

#[test]
fn a_notice_over_two_epochs_bears_the_range_of_the_new_one() {
    check(
        &["notice"],
        r#"
        > live cm := log {"epoch": "e", "floor": 10, "head": 90, "events": []}
        > updated cm
        > read cm log {"epoch": "e", "floor": 10, "head": 91, "events": [{"seq": 91, "type": "A"}]}
        > updated cm
        > read cm log {"epoch": "f", "floor": 1, "head": 3, "events": [{"seq": 2, "type": "B"}]}
        t=3 < notice 1 cm/f/1-2
        | {"seq":91,"type":"A"}
        | GAP events may be missing (reason: epoch)
        | {"seq":2,"type":"B"}
        "#,
    );
}

#[test]
fn without_an_epoch_a_lower_seq_is_a_restart() {
    check(
        EVENTS,
        r#"
        > live cm := log {"events": [{"seq": 8, "type": "A"}]}
        > updated cm
        < read cm
        > read cm log {"events": [{"seq": 1, "type": "B"}, {"seq": 2, "type": "C"}]}
        < watch.event cm 0 GAP kept=true
        < watch.event cm 1 B kept=true
        < watch.event cm 2 C kept=true
        t=3 < notice 1 cm/~2/0-2
        | GAP events may be missing (reason: restart)
        | {"seq":1,"type":"B"}
        | {"seq":2,"type":"C"}
        t=4 > wait
        "#,
    );
}

#[test]
fn within_an_epoch_a_lower_head_is_a_stale_read() {
    check(
        EVENTS,
        r#"
        > live cm := log {"epoch": "e", "floor": 1, "head": 9, "events": []}
        > updated cm
        < read cm since e:9
        > read cm log {"epoch": "e", "floor": 1, "head": 7, "events": [{"seq": 7, "type": "A"}]}
        > updated cm
        < read cm since e:9
        "#,
    );
}

#[test]
fn events_of_one_seq_are_one_unit() {
    check(
        EVENTS,
        r#"
        > live cm := log {"epoch": "e", "floor": 1, "head": 1, "events": []}
        > updated cm
        < read cm since e:1
        > read cm log {"epoch": "e", "floor": 1, "head": 4, "events": [{"seq": 4, "type": "A"}, {"seq": 4, "type": "B"}]}
        < watch.event cm 4 A kept=true
        < watch.event cm 4 B kept=true
        > updated cm
        < read cm since e:4
        > read cm log {"epoch": "e", "floor": 1, "head": 4, "events": [{"seq": 4, "type": "A"}, {"seq": 4, "type": "B"}]}
        "#,
    );
}

#[test]
fn a_unit_that_is_not_complete_may_grow() {
    check(
        EVENTS,
        r#"
        > live cm := log {"epoch": "e", "floor": 1, "head": 1, "events": []}
        > updated cm
        < read cm since e:1
        > read cm log {"epoch": "e", "floor": 1, "head": 3, "events": [{"seq": 4, "type": "A"}]}
        < watch.event cm 4 A kept=true
        > updated cm
        < read cm since e:3
        > read cm log {"epoch": "e", "floor": 1, "head": 4, "events": [{"seq": 4, "type": "A"}, {"seq": 4, "type": "B"}]}
        < watch.event cm 4 B kept=true
        > updated cm
        < read cm since e:4
        "#,
    );
}

#[test]
fn an_error_in_band_is_told() {
    check(
        &["notice"],
        r#"
        > live cm := log {"events": []}
        > updated cm
        > read cm log {"events": [{"seq": 1, "type": "ERROR", "message": "forbidden:\nno watch"}]}
        t=3 < notice 1 cm/~1/1-1
        | ERROR forbidden:\nno watch
        t=4 > wait
        "#,
    );
}

#[test]
fn a_gap_in_band_says_what_the_server_says() {
    check(
        &["notice", "status"],
        r#"
        > live cm := log {"events": []}
        > updated cm
        > read cm log {"events": [{"seq": 1, "type": "GAP", "reason": "compacted", "message": "deletions may be missing"}]}
        t=3 < notice 1 cm/~1/1-1
        | GAP deletions may be missing (reason: compacted)
        t=30 < status cm subscribed, log, at ~1:0, 1 events 0 dropped 1 notices 1 gaps 0 resubscribes, event t=0, notice t=3
        t=40 > wait
        "#,
    );
}

#[test]
fn the_mime_type_decides_the_shape_also_with_parameters() {
    check(
        &["notice"],
        r#"
        > live cm := state {"events": [{"seq": 1}]}
        > updated cm
        > read cm state {"events": [{"seq": 1}, {"seq": 2}]}
        t=3 < notice 1 cm/~1/1-1
        | MODIFIED events ([{"seq":1}]→[{"seq":1},{"seq":2}])
        t=4 > wait
        "#,
    );
}

#[test]
fn another_shape_is_a_gap_and_a_fresh_baseline() {
    check(
        &["notice"],
        r#"
        > live cm := log {"epoch": "e", "head": 3, "events": []}
        > updated cm
        > read cm state {"a": 1}
        t=3 < notice 1 cm/~2/1-1
        | GAP events may be missing (reason: shape)
        > updated cm
        > read cm log {"epoch": "e", "head": 5, "events": [{"seq": 5, "type": "A"}]}
        t=6 < notice 2 cm/e/5-5
        | GAP events may be missing (reason: shape)
        t=7 > wait
        "#,
    );
}

#[test]
fn status_writes_of_our_own_kinds_make_no_events() {
    check(
        EVENTS,
        r#"
        > live w := log {"events": []}
        > updated w
        < read w
        > read w log {"events": [{"seq": 1, "type": "MODIFIED", "object": {"apiVersion": "asyncai.dev/v1alpha1", "metadata": {"name": "cm", "resourceVersion": "2", "managedFields": []}, "status": {"counts": {"events": 2}}}, "old": {"apiVersion": "asyncai.dev/v1alpha1", "metadata": {"name": "cm", "resourceVersion": "1"}}}]}
        > updated w
        < read w
        > read w log {"events": [{"seq": 2, "type": "MODIFIED", "object": {"apiVersion": "asyncai.dev/v1alpha1", "metadata": {"name": "cm"}, "spec": {"suspend": true}, "status": {}}, "old": {"apiVersion": "asyncai.dev/v1alpha1", "metadata": {"name": "cm"}, "spec": {}}}]}
        < watch.event w 2 MODIFIED kept=true
        > updated w
        < read w
        > read w log {"events": [{"seq": 3, "type": "MODIFIED", "object": {"apiVersion": "other.dev/v1", "metadata": {"name": "x"}, "status": {"a": 1}}, "old": {"apiVersion": "other.dev/v1", "metadata": {"name": "x"}}}]}
        < watch.event w 3 MODIFIED kept=true
        t=3 < notice 1 w/~1/2-3
        | MODIFIED cm (spec.suspend: None→true, status: None→{})
        | MODIFIED x (status: None→{"a":1})
        t=4 > wait
        "#,
    );
}

#[test]
fn an_error_of_a_server_that_restarted_hides_no_event() {
    check(
        &["notice"],
        r#"
        > live m := log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 4, "events": [{"seq": 5, "type": "ERROR", "message": "gone"}]}
        > updated m
        > read m log {"epoch": "e", "floor": 4, "head": 4, "events": []}
        > updated m
        > read m log {"epoch": "e", "floor": 4, "head": 5, "events": [{"seq": 5, "type": "A"}]}
        t=3 < notice 1 m/e/5-5
        | ERROR gone
        | RECOVERED the source is live again
        | {"seq":5,"type":"A"}
        "#,
    );
}

#[test]
fn a_status_of_our_own_causes_no_status() {
    let own = |seq: u32| {
        format!(
            r#"[{{"seq": {seq}, "type": "MODIFIED", "object": {{"apiVersion": "asyncai.dev/v1alpha1", "metadata": {{"name": "w"}}, "status": {{"a": {seq}}}}}, "old": {{"apiVersion": "asyncai.dev/v1alpha1", "metadata": {{"name": "w"}}}}}}]"#
        )
    };
    check(
        &["status", "stopped"],
        &format!(
            r#"
            > live m := log {{"epoch": "e", "floor": 0, "head": 4, "events": []}}
            t=60 > updated m
            > read m log {{"epoch": "e", "floor": 0, "head": 5, "events": {}}}
            t=120 > updated m
            > read m log {{"epoch": "e", "floor": 0, "head": 6, "events": {}}}
            t=180 > stop
            > read m log {{"epoch": "e", "floor": 0, "head": 6, "events": []}}
            < status m subscribed, log, at e:6
            < stopped
            "#,
            own(5),
            own(6),
        ),
    );
}

#[test]
fn a_source_in_trouble_is_no_healthy_watch_until_it_says_so() {
    check(
        &["status", "notice"],
        r#"
        > live m := log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        t=60 > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 4, "events": [{"seq": 5, "type": "ERROR", "message": "forbidden"}]}
        < status m failed after 0 attempts, SourceError: forbidden, log, at e:4, 1 events 0 dropped 0 notices 0 gaps 0 resubscribes, event t=60
        t=63 < notice 1 m/e/5-5
        | ERROR forbidden
        > seen 1
        t=90 < status m failed after 0 attempts, SourceError: forbidden, log, at e:4, 1 events 0 dropped 1 notices 0 gaps 0 resubscribes, event t=60, notice t=63
        > updated m
        > read m log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        < status m subscribed, log, at e:4, 1 events 0 dropped 1 notices 0 gaps 0 resubscribes, event t=60, notice t=63
        t=93 < notice 2 m/watch/93000-93000
        | RECOVERED the source is live again
        "#,
    );
}
