//! Tests of when the agent's status is written.

use super::*;

fn server(ready: bool, message: Option<&str>) -> ServerStatus {
    ServerStatus {
        name: "kcp".to_owned(),
        ready,
        protocol_version: None,
        subscribable: false,
        tool_count: 0,
        message: message.map(str::to_owned),
    }
}

fn used(turns: u64) -> turns::Usage {
    turns::Usage { day: 20_000, turns, tokens: 10 }
}

#[test]
fn an_equal_status_is_not_written_twice() {
    let (now, wall) = (Instant::now(), SystemTime::UNIX_EPOCH);
    let mut report = Report::new(None);
    assert!(report.write(now, wall, false).is_some());
    assert!(report.write(now, wall + Duration::from_mins(1), false).is_none());
    assert_eq!(report.next_wake(), None);
}

#[test]
fn numbers_wait_and_conditions_do_not() {
    let (now, wall) = (Instant::now(), SystemTime::UNIX_EPOCH);
    let mut report = Report::new(None);
    report.write(now, wall, false);
    report.spent(used(1), wall);
    assert!(report.write(now, wall, false).is_none());
    assert_eq!(report.next_wake(), Some(now + PERIOD));
    report.servers = vec![server(false, Some("connection refused"))];
    let status = report.write(now, wall, false).unwrap();
    assert_eq!(status.usage.as_ref().map(|usage| usage.turns), Some(1), "the numbers go along");
    assert_eq!(status.conditions[0].reason, "ServerUnavailable");
    assert!(status.conditions[0].message.contains("spec.mcpServers[kcp]: connection refused"));
}

#[test]
fn the_last_write_is_forced() {
    let (now, wall) = (Instant::now(), SystemTime::UNIX_EPOCH);
    let mut report = Report::new(None);
    report.write(now, wall, false);
    report.spent(used(1), wall);
    assert!(report.write(now, wall, true).is_some());
}

#[test]
fn a_server_that_is_being_connected_is_not_missing() {
    let mut report = Report::new(None);
    report.servers = vec![server(false, None)];
    let status = report.write(Instant::now(), SystemTime::UNIX_EPOCH, false).unwrap();
    assert_eq!(status.conditions[0].status, "True");
}

#[test]
fn what_was_spent_survives_a_restart() {
    let (now, wall) = (Instant::now(), SystemTime::UNIX_EPOCH);
    let mut report = Report::new(None);
    report.spent(used(3), wall);
    let status = report.write(now, wall, false).unwrap();
    assert_eq!(status.usage.as_ref().map(|usage| usage.day.as_str()), Some("2024-10-04"));
    assert_eq!(Report::new(Some(&status)).used(), used(3));
}
