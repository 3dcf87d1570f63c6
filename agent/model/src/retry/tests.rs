//! Tests of the waits.

use std::time::UNIX_EPOCH;

use reqwest::StatusCode;

use super::*;

fn status(status: u16, retry_after: Option<u64>) -> Error {
    Error::Status {
        status: StatusCode::from_u16(status).unwrap(),
        message: String::new(),
        code: None,
        retry_after: retry_after.map(Duration::from_secs),
    }
}

/// Waits after attempts 1, 2, 3 …, in milliseconds.
fn waits(error: &Error, jitter: f64) -> Vec<u128> {
    let wait = |attempt| delay(&Retry { attempts: 10, ..Retry::default() }, attempt, error, jitter);
    (1..).map_while(wait).map(|wait| wait.as_millis()).collect()
}

#[test]
fn waits_double_up_to_the_longest() {
    let expected = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000];
    assert_eq!(waits(&status(503, None), 0.0), expected);
    assert_eq!(waits(&Error::Unreachable(String::new()), 0.0), expected);
}

#[test]
fn what_is_asked_for_is_the_least() {
    assert_eq!(waits(&status(429, Some(7)), 0.0)[..5], [7000, 7000, 7000, 8000, 16_000]);
    assert_eq!(waits(&status(429, Some(7)), 1.0)[0], 8750);
}

#[test]
fn what_is_asked_for_may_be_too_long() {
    assert_eq!(waits(&status(429, Some(61)), 0.0), []);
}

#[test]
fn some_errors_are_final() {
    assert_eq!(waits(&status(401, Some(1)), 0.0), []);
    assert_eq!(waits(&Error::Timeout(Duration::ZERO), 0.0), []);
    assert_eq!(waits(&Error::BrokenOff { bytes: 0, reason: String::new() }, 0.0), []);
}

#[test]
fn many_attempts_do_not_overflow() {
    let retry = Retry { attempts: u32::MAX, ..Retry::default() };
    assert_eq!(delay(&retry, 1000, &status(500, None), 0.0), Some(Duration::from_mins(1)));
}

#[test]
fn retry_after_is_seconds_or_a_date() {
    let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
    let read = |text: &str| {
        let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
        retry_after(&headers, now).map(|wait| wait.as_secs())
    };
    assert_eq!(read("7"), Some(7));
    assert_eq!(read("Sun, 06 Nov 1994 08:51:37 GMT"), Some(120));
    assert_eq!(read("Sun, 06 Nov 1994 08:40:00 GMT"), Some(0));
    assert_eq!(read("soon"), None);
    assert_eq!(read("-1"), None);
    assert_eq!(retry_after(&HeaderMap::new(), now), None);
}
