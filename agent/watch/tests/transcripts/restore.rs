//! What is told of the watches that an earlier process left.

use crate::check::check;

const RESTORE: &[&str] = &["restore", "delete", "notice", "watch.restored"];

#[test]
fn a_clean_resume_is_not_told() {
    check(
        RESTORE,
        r#"
        > apply a cursor=e:1 was=memo://a
        > apply b was=memo://b
        > apply c cursor=e:1 suspend
        > apply new
        > loaded
        > ack a
        > read a log {"epoch": "e", "floor": 0, "head": 1, "events": []}
        > ack b
        > read b state {}
        < watch.restored restored=2 failed=0
        t=60 > wait
        "#,
    );
}

#[test]
fn with_nothing_to_restore_nothing_is_said() {
    check(
        RESTORE,
        "
        > apply a
        > loaded
        > refused a SourceError no
        t=3 < notice 1 a/watch/3000-3000
        | ERROR the watch failed, and tries again: no
        t=9 > wait
        ",
    );
}

#[test]
fn a_watch_that_cannot_go_on_is_told_once_and_again_when_it_is_back() {
    check(
        &["restore", "status", "notice", "watch.restored", "watch.failed"],
        "
        > apply a was=memo://a
        < status a connecting
        > loaded
        > refused a SourceError no such resource
        < watch.failed a no such resource
        < status a failed after 0 attempts, SourceError: no such resource, restore failed
        < restore 1
        | a could not be resumed, and is tried again: no such resource
        < watch.restored restored=0 failed=1
        t=1 > refused a SourceError no such resource
        t=3 > ack a
        > read a state {}
        < status a subscribed, state, at ~3000:0, 0 items
        t=6 < notice 2 a/watch/6000-6000
        | RECOVERED the watch is live again
        t=33 < status a subscribed, state, at ~3000:0, 0 items, 0 events 0 dropped 1 notices 0 gaps 0 resubscribes, notice t=6
        t=60 > wait
        ",
    );
}

#[test]
fn a_server_that_comes_up_along_with_the_agent_is_waited_for() {
    check(
        RESTORE,
        "
        > apply a was=memo://a
        > loaded
        > refused a ServerDown down
        t=1 > refused a ServerDown down
        t=3 > ack a
        > read a state {}
        < watch.restored restored=1 failed=0
        t=60 > wait
        ",
    );
}

#[test]
fn a_server_that_stays_down_is_told_after_three_attempts_and_not_again() {
    check(
        RESTORE,
        "
        > apply a was=memo://a
        > loaded
        > refused a ServerDown down
        t=1 > refused a ServerDown down
        t=3 > refused a ServerDown down
        < restore 1
        | a could not be resumed, and is tried again: down
        < watch.restored restored=0 failed=1
        t=7 > refused a ServerDown down
        t=15 > refused a ServerDown down
        t=31 > refused a ServerDown down
        t=91 > wait
        ",
    );
}

#[test]
fn a_watch_that_was_edited_while_no_agent_ran_starts_afresh_and_that_is_told() {
    check(
        &["restore", "read", "status", "watch.restored"],
        r#"
        > apply a cursor=e:4 was=memo://old
        < status a connecting
        > loaded
        > ack a
        < read a
        > read a log {"epoch": "e", "floor": 0, "head": 9, "events": [{"seq": 9, "type": "A"}]}
        < status a subscribed, log, at e:9
        < restore 1
        | a watches something else since it was edited while the agent was down: it starts afresh
        < watch.restored restored=1 failed=0
        "#,
    );
}

#[test]
fn another_server_is_something_else_too() {
    check(
        &["restore", "read", "watch.restored"],
        r#"
        > apply a cursor=e:4 was=memo://a was-at=one server=two
        > apply b cursor=e:4 was=memo://b was-at=one
        > loaded
        > ack a
        < read a
        > read a log {"epoch": "e", "floor": 0, "head": 9, "events": []}
        > ack b
        < read b since e:4
        > read b log {"epoch": "e", "floor": 0, "head": 4, "events": []}
        < restore 1
        | a watches something else since it was edited while the agent was down: it starts afresh
        < watch.restored restored=2 failed=0
        "#,
    );
}

#[test]
fn a_filter_of_the_model_that_is_invalid_deletes_the_watch_and_one_of_people_does_not() {
    check(
        &["restore", "delete", "status", "watch.restored", "subscribe"],
        "
        > apply a filter=bad model was=memo://a
        > apply b filter=bad was=memo://b
        > apply new filter=bad
        > loaded
        > checked a SyntaxError: line 1, column 3
        < status a invalid filter: SyntaxError: line 1, column 3
        < delete a
        > checked new no
        < status new invalid filter: no
        > checked b NameError
        < status b invalid filter: NameError
        < restore 1
        | a was deleted: its filter is not valid: SyntaxError: line 1, column 3
        | b does not run: its filter is not valid: NameError
        < watch.restored restored=0 failed=0 dropped=1
        > remove a
        ",
    );
}

#[test]
fn over_the_limit_the_watches_of_the_model_are_deleted_once_it_is_known_who_stays() {
    check(
        &["restore", "delete", "watch.restored", "subscribe"],
        "
        > limit 2
        > apply a model created=1 filter=bad
        > apply b created=2 was=memo://b
        < subscribe b memo://b
        > apply c model created=3
        > apply d model created=4
        > apply e created=5 was=memo://e
        > loaded
        > ack b
        > read b state {}
        > checked a no
        < delete a
        < subscribe c memo://c
        > ack c
        > read c state {}
        < delete d
        < restore 1
        | a was deleted: its filter is not valid: no
        | d was deleted: the agent may have 2 watches, and that many are older
        | e does not run: the agent may have 2 watches, and that many are older
        < watch.restored restored=2 failed=0 dropped=2
        ",
    );
}

#[test]
fn a_watch_that_the_model_makes_later_is_left_to_whoever_made_it() {
    check(
        &["restore", "delete", "status", "notice"],
        "
        > limit 1
        > loaded
        > apply a filter=bad model created=1
        > checked a SyntaxError
        < status a invalid filter: SyntaxError
        > apply b model created=2
        < status b refused over 1
        > limit 2
        < status b connecting
        > refused b SourceError no
        < status b failed after 0 attempts, SourceError: no
        t=3 < notice 1 b/watch/3000-3000
        | ERROR the watch failed, and tries again: no
        t=4 > wait
        ",
    );
}

#[test]
fn an_edit_that_breaks_a_filter_of_the_model_deletes_nothing() {
    check(
        &["restore", "delete", "status"],
        "
        > apply a filter=good model was=memo://a
        > loaded
        > checked a
        < status a connecting
        > ack a
        > read a state {}
        < status a subscribed, state, at ~1:0, 0 items
        > apply a filter=bad model generation=2
        > checked a SyntaxError
        < status a invalid filter: SyntaxError, generation 2, state, at ~1:0, 0 items
        ",
    );
}

#[test]
fn a_watch_that_is_resumed_long_after_the_restart_has_not_failed_to_restore() {
    check(
        &["status", "watch.restored"],
        "
        > apply a suspend was=memo://a
        < status a suspended
        > loaded
        < watch.restored restored=0 failed=0
        t=60 > apply a
        < status a connecting
        > refused a SourceError no
        < status a failed after 0 attempts, SourceError: no
        ",
    );
}

#[test]
fn restored_is_logged_once_all_have_settled() {
    check(
        &["watch.restored"],
        r#"
        > apply a cursor=e:1
        > apply b cursor=e:1
        > apply c cursor=e:1 suspend
        > apply d
        > ack a
        > read a log {"epoch": "e", "floor": 0, "head": 1, "events": []}
        > loaded
        > refused b SourceError no
        < watch.restored restored=1 failed=1
        t=60 > wait
        "#,
    );
}
