//! The cap on notices in any hour.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

const HOUR: Duration = Duration::from_hours(1);

/// When the notices of the last hour were sent.
#[derive(Debug, Default)]
pub(crate) struct Hour(VecDeque<Instant>);

impl Hour {
    /// The earliest time, not before `now`, at which one more makes at most `max` in an hour.
    pub(crate) fn free_at(&self, now: Instant, max: u32) -> Instant {
        let max = usize::try_from(max.max(1)).unwrap_or(usize::MAX);
        let blocking = self.0.len().checked_sub(max).and_then(|over| self.0.get(over));
        blocking.map_or(now, |sent| (*sent + HOUR).max(now))
    }

    /// One is sent now.
    pub(crate) fn sent(&mut self, now: Instant) {
        while self.0.pop_front_if(|sent| *sent + HOUR <= now).is_some() {}
        self.0.push_back(now);
    }
}
