//! Tests of the session file, on a real disk.

use asyncai_orchestrator::{Outcome, Tokens};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

use super::file::Sizes;
use super::*;

fn user(run: u64, text: &str) -> Record {
    Record::User { run, channel: "#ops".into(), text: text.into() }
}

fn turn(run: u64, text: &str) -> [Record; 3] {
    let begin = Record::TurnBegin { run, channel: None, addressed: None };
    let end = Record::TurnEnd { run, outcome: Outcome::Completed, usage: Tokens::default() };
    [begin, user(run, text), end]
}

fn open(folder: &TempDir) -> (Session, Vec<Record>, Vec<String>) {
    let Opened { session, records, problems } = Session::open(folder.path()).unwrap();
    (session, records, problems)
}

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("main.jsonl")
}

#[tokio::test]
async fn what_is_committed_is_read_by_the_next_agent() {
    let folder = tempfile::tempdir().unwrap();
    let (mut session, records, problems) = open(&folder);
    assert_eq!((records, problems), (Vec::new(), Vec::new()));
    session.append(&user(1, "hello\nworld"));
    session.commit().await.unwrap();
    session.append(&user(1, "never committed"));
    drop(session);
    let line: Value = serde_json::from_str(&fs::read_to_string(file(&folder)).unwrap()).unwrap();
    assert!(line["ts"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok());
    let (mut session, records, _) = open(&folder);
    assert_eq!(records, [user(1, "hello\nworld")]);
    session.append(&user(2, "again"));
    session.commit().await.unwrap();
    drop(session);
    assert_eq!(open(&folder).1, [user(1, "hello\nworld"), user(2, "again")]);
}

#[test]
fn a_folder_has_one_agent() {
    let folder = tempfile::tempdir().unwrap();
    let (session, ..) = open(&folder);
    assert!(matches!(Session::open(folder.path()), Err(Error::InUse { .. })));
    drop(session);
    open(&folder);
}

#[tokio::test]
async fn a_torn_last_line_is_dropped_and_said_at_any_length() {
    let folder = tempfile::tempdir().unwrap();
    let (mut session, ..) = open(&folder);
    for record in turn(1, "a") {
        session.append(&record);
    }
    session.commit().await.unwrap();
    drop(session);
    let whole = fs::read(file(&folder)).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for length in last + 1..whole.len() {
        fs::write(file(&folder), &whole[..length]).unwrap();
        let (_session, records, problems) = open(&folder);
        assert_eq!(records, turn(1, "a")[..2]);
        assert!(problems.len() == 1 && problems[0].contains("dropped"), "{problems:?}");
        assert_eq!(fs::read(file(&folder)).unwrap(), whole[..last]);
    }
}

#[test]
fn a_line_that_is_no_record_is_skipped_and_said_with_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let line = |record: &Record| serde_json::to_string(record).unwrap();
    let text = format!("{}\nnonsense\n{{\"type\": \"future\"}}\n{}\n", line(&user(1, "a")), line(&user(2, "b")));
    fs::write(file(&folder), text).unwrap();
    let (_session, records, problems) = open(&folder);
    assert_eq!(records, [user(1, "a"), user(2, "b")]);
    assert!(problems.len() == 2 && problems[0].contains("main.jsonl:2:"), "{problems:?}");
    assert!(problems[1].contains("main.jsonl:3:") && problems[1].contains("future"), "{problems:?}");
}

#[tokio::test]
async fn a_long_file_is_begun_anew_with_what_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut session, ..) = open(&folder);
    session.writer.lock().unwrap().sizes = Sizes { most: 20_000, kept: 5000 };
    let text = "x".repeat(1000);
    for run in 1..=100 {
        for record in turn(run, &text) {
            session.append(&record);
        }
        session.commit().await.unwrap();
    }
    drop(session);
    let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["lock", "main.1.jsonl", "main.2.jsonl", "main.3.jsonl", "main.jsonl"]);
    for name in &names {
        assert!(fs::metadata(folder.path().join(name)).unwrap().len() < 22_000);
    }
    let (_session, records, problems) = open(&folder);
    assert_eq!(problems, [] as [String; 0]);
    assert_eq!(records.last(), turn(100, "").last());
    assert!(matches!(records[0], Record::TurnBegin { .. }) && records.len() >= 9, "{}", records.len());
}

#[tokio::test]
async fn when_no_file_can_be_begun_the_old_ones_stay_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (mut session, ..) = open(&folder);
    session.writer.lock().unwrap().sizes = Sizes { most: 5000, kept: 1000 };
    fs::write(path("main.1.jsonl"), "older").unwrap();
    fs::write(path("main.new.jsonl"), "what a crash left").unwrap();
    fs::create_dir(path("main.0.jsonl")).unwrap();
    let text = "x".repeat(1000);
    for run in 1..=10 {
        for record in turn(run, &text) {
            session.append(&record);
        }
        session.commit().await.unwrap();
    }
    assert_eq!(fs::read_to_string(path("main.1.jsonl")).unwrap(), "older");
    assert!(!path("main.2.jsonl").exists());
    fs::remove_dir(path("main.0.jsonl")).unwrap();
    for run in 11..=12 {
        for record in turn(run, &text) {
            session.append(&record);
        }
        session.commit().await.unwrap();
    }
    drop(session);
    assert_eq!(fs::read_to_string(path("main.2.jsonl")).unwrap(), "older");
    assert_eq!(fs::read_to_string(path("main.1.jsonl")).unwrap().matches("turn_end").count(), 11);
    let (_session, records, problems) = open(&folder);
    assert_eq!((problems, records.last()), (Vec::new(), turn(12, "").last()));
}

#[tokio::test]
async fn one_long_turn_is_not_copied_with_every_line() {
    let folder = tempfile::tempdir().unwrap();
    let (mut session, ..) = open(&folder);
    session.writer.lock().unwrap().sizes = Sizes { most: 5000, kept: 1000 };
    session.append(&turn(1, "")[0]);
    for _ in 0..14 {
        session.append(&user(1, &"x".repeat(1000)));
        session.commit().await.unwrap();
    }
    // At 5,000 and 10,000 bytes.
    assert!(folder.path().join("main.2.jsonl").exists() && !folder.path().join("main.3.jsonl").exists());
    drop(session);
    assert_eq!(open(&folder).1.len(), 15);
}

#[tokio::test]
async fn a_full_disk_is_said_and_nothing_is_lost_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let (mut session, ..) = open(&folder);
    session.append(&user(1, "a"));
    session.commit().await.unwrap();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let real = std::mem::replace(&mut session.writer.lock().unwrap().file, full);
    session.append(&user(2, "b"));
    let error = session.commit().await.unwrap_err();
    assert!(matches!(&error, Error::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull), "{error}");
    session.append(&user(3, "c"));
    session.commit().await.unwrap_err();
    // A write that failed may have left half of itself.
    fs::write(file(&folder), [fs::read(file(&folder)).unwrap(), b"{\"half".to_vec()].concat()).unwrap();
    session.writer.lock().unwrap().file = real;
    session.commit().await.unwrap();
    drop(session);
    let (_session, records, problems) = open(&folder);
    assert_eq!((records, problems), (vec![user(1, "a"), user(2, "b"), user(3, "c")], Vec::new()));
}

#[tokio::test]
async fn what_waits_for_a_full_disk_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let (mut session, ..) = open(&folder);
    session.writer.lock().unwrap().file = File::options().write(true).open("/dev/full").unwrap();
    session.append(&user(1, &"x".repeat(MOST_WAITING)));
    assert!(matches!(session.commit().await.unwrap_err(), Error::Lost { lost, .. } if lost > MOST_WAITING));
    assert!(session.lines.is_empty());
}
