//! What a failed run waits for before the next attempt, and when there is none.

use std::time::{Duration, Instant};

use crate::io::{Failure, FailureKind};

const FIRST_DELAY: Duration = Duration::from_secs(1);
const LONGEST_DELAY: Duration = Duration::from_mins(1);
/// An endpoint that asks for more is asked again all the same.
const LONGEST_ASKED: Duration = Duration::from_hours(1);
/// About two minutes of waiting, and whatever the calls themselves take.
const TRANSIENT_ATTEMPTS: u32 = 8;
/// Repeating a refused request seldom helps, and people wait for the reason.
const REFUSED_ATTEMPTS: u32 = 3;

/// The failures in a row.
#[derive(Debug, Default)]
pub(crate) struct Retry {
    attempts: u32,
    until: Option<Instant>,
}

impl Retry {
    /// A run failed. How long to wait for the next attempt; None: give up.
    pub(crate) fn failed(&mut self, now: Instant, failure: &Failure) -> Option<Duration> {
        self.attempts += 1;
        let most = match failure.kind {
            FailureKind::Transient => TRANSIENT_ATTEMPTS,
            FailureKind::Refused | FailureKind::ContextTooLong => REFUSED_ATTEMPTS,
        };
        if self.attempts >= most {
            return None;
        }
        let own = FIRST_DELAY.saturating_mul(1 << (self.attempts - 1)).min(LONGEST_DELAY);
        let asked = failure.retry_after.unwrap_or_default().min(LONGEST_ASKED);
        let delay = own.max(asked);
        self.until = Some(now + delay);
        Some(delay)
    }

    /// A run succeeded or was given up, or the model is another.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// The failures in a row.
    pub(crate) fn attempts(&self) -> u32 {
        self.attempts
    }

    /// When the next attempt is due, if it is not yet.
    pub(crate) fn waiting(&self, now: Instant) -> Option<Instant> {
        self.until.filter(|until| *until > now)
    }
}
