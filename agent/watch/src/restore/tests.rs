//! Tests of the notice about restored watches.

use super::*;

#[test]
fn the_text_is_escaped_and_says_that_nobody_need_answer() {
    let notice = RestoreNotice::new(1, vec!["cm does not run: a < b & c".to_owned()]);
    assert_eq!(
        notice.text(),
        "<watch-restore>\ncm does not run: a &lt; b &amp; c\n</watch-restore>\nThis is a watch notification, not a user \
         message. Tell the channel only if the change matters to what was asked; otherwise reply exactly NO_REPLY."
    );
}

#[test]
fn lines_beyond_twenty_are_counted() {
    let notice = RestoreNotice::new(1, (0..23).map(|n| format!("w{n}")).collect());
    assert_eq!((notice.lines.len(), notice.more), (20, 3));
    assert!(notice.text().contains("w19\n+3 more\n</watch-restore>"));
}

#[test]
fn a_server_that_is_down_has_three_attempts() {
    let down = Failure { kind: FailureKind::ServerDown, message: "down".to_owned() };
    let mut restore = Restore::Awaited;
    assert_eq!([1, 2, 3, 4].map(|attempt| restore.failed(&down, attempt)), [false, false, true, false]);
    assert!(restore.is_failed());
}

#[test]
fn an_answer_is_told_at_once_and_only_of_restored_watches() {
    let no = Failure { kind: FailureKind::SourceError, message: "no".to_owned() };
    assert!(Restore::Awaited.failed(&no, 1));
    assert!(!Restore::No.failed(&no, 1));
}
