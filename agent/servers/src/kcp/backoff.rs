//! How long to wait before the next attempt.

#[cfg(test)]
mod tests;

use std::time::Duration;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(1);

/// Doubles from one second to a minute.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { next: FIRST }
    }
}

impl Backoff {
    /// The next delay. `spread` in 0..1 moves it by up to a quarter, so that many clients do not come back at once.
    pub(crate) fn next(&mut self, spread: f64) -> Duration {
        let delay = self.next;
        self.next = (delay * 2).min(LONGEST);
        delay.mul_f64(0.75 + spread.clamp(0.0, 1.0) / 2.0)
    }

    /// Begins with the shortest delay again.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }
}
