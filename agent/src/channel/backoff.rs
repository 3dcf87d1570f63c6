//! How long is waited before something that failed is tried again.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

const LONGEST: Duration = Duration::from_mins(1);

/// Delays that grow with each failure.
#[derive(Default)]
pub(super) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The delay after one more failure: 1 s, doubled up to a minute, less up to a half of it so that a fleet does not
    /// return at once.
    pub(super) fn failed(&mut self) -> Duration {
        let full = Duration::from_secs(1 << self.failures.min(6)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        let random = RandomState::new().build_hasher().finish() % 1000;
        full.mul_f64(1.0 - 0.0005 * f64::from(u32::try_from(random).unwrap_or(0)))
    }

    /// It went well: the next delay is short again.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }
}
