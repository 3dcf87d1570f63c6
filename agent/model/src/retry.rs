//! How long to wait before a request is sent again.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

use crate::config::Retry;
use crate::error::{Error, Kind};

/// The wait before the attempt after number `attempt`, `jitter` being random in 0..1. None: there is
/// none.
///
/// What an endpoint asks for is a minimum, so jitter only adds: agents that were turned away together
/// do not come back together.
pub(crate) fn delay(retry: &Retry, attempt: u32, error: &Error, jitter: f64) -> Option<Duration> {
    let again = matches!(error, Error::Unreachable(_) | Error::Status { .. }) && error.kind() == Kind::Transient;
    if !again || attempt >= retry.attempts {
        return None;
    }
    let asked = error.retry_after().unwrap_or_default();
    if asked > retry.longest_delay {
        return None;
    }
    let doubled = retry.first_delay.saturating_mul(1_u32.checked_shl(attempt - 1).unwrap_or(u32::MAX));
    let base = doubled.min(retry.longest_delay).max(asked);
    Some(base + base.mul_f64(jitter / 4.0))
}

/// The `Retry-After` header: seconds, or a date.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests;
