//! How many watches run.

use crate::check::check;

const LIMIT: &[&str] = &["subscribe", "unsubscribe", "status"];

#[test]
fn five_watches_run_unless_told_otherwise() {
    check(
        &["status"],
        "
        > apply a created=1
        < status a connecting
        > apply b created=2
        < status b connecting
        > apply c created=3
        < status c connecting
        > apply d created=4
        < status d connecting
        > apply e created=5
        < status e connecting
        > apply f created=6
        < status f refused over 5
        ",
    );
}

#[test]
fn the_oldest_win_then_the_name_decides() {
    check(
        LIMIT,
        "
        > limit 1
        > apply c created=2
        < subscribe c memo://c
        < status c connecting
        > apply b created=2
        < subscribe b memo://b
        < status b connecting
        < unsubscribe c
        < status c refused over 1
        > apply a created=3
        < status a refused over 1
        ",
    );
}

#[test]
fn a_refused_watch_gets_in_when_there_is_room() {
    check(
        LIMIT,
        "
        > limit 1
        > apply a created=1
        < subscribe a memo://a
        < status a connecting
        > apply b created=2
        < status b refused over 1
        > apply c created=3
        < status c refused over 1
        t=60 > remove a
        < unsubscribe a
        < subscribe b memo://b
        < status b connecting
        > limit 2
        < subscribe c memo://c
        < status c connecting
        > limit 0
        < unsubscribe b
        < status b refused over 0
        < unsubscribe c
        < status c refused over 0
        ",
    );
}

#[test]
fn a_suspended_watch_keeps_its_place() {
    check(
        LIMIT,
        "
        > limit 1
        > apply a created=1 suspend
        < status a suspended
        > apply b created=2
        < status b refused over 1
        > apply a created=1
        < subscribe a memo://a
        < status a connecting
        ",
    );
}
