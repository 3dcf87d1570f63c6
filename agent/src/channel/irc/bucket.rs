//! How fast lines may be said, so that no server takes them for a flood: a few at once, then one a second. Pure.

use std::time::Duration;

use tokio::time::Instant;

#[cfg(test)]
mod tests;

const BURST: u32 = 5;
const PERIOD: Duration = Duration::from_secs(1);

/// A token bucket.
pub(super) struct Bucket {
    /// When it will be full.
    full: Instant,
}

impl Bucket {
    pub(super) fn new(now: Instant) -> Self {
        Self { full: now }
    }

    /// When the next line may be said.
    pub(super) fn ready(&self) -> Instant {
        // Before the bucket is full by more than a token less than a burst there is none in it.
        self.full.checked_sub(PERIOD * (BURST - 1)).unwrap_or(self.full)
    }

    /// One line was said.
    pub(super) fn take(&mut self, now: Instant) {
        self.full = self.full.max(now) + PERIOD;
    }
}
