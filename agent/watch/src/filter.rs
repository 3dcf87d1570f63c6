//! What becomes of a filter that fails.

use std::time::{Duration, Instant};

use crate::input::FilterError;

/// After so many failures in a row, events are told by the default line.
const BROKEN: u32 = 10;
/// Failures are reported at most so often.
const REPORT: Duration = Duration::from_mins(1);

/// The failures of a filter.
#[derive(Debug, Default)]
pub(crate) struct FilterHealth {
    in_a_row: u32,
    unreported: u32,
    last: Option<FilterError>,
    reported: Option<Instant>,
}

impl FilterHealth {
    /// It answered.
    pub(crate) fn worked(&mut self) {
        self.in_a_row = 0;
    }

    /// It failed.
    pub(crate) fn failed(&mut self, error: FilterError) {
        self.in_a_row = self.in_a_row.saturating_add(1);
        self.unreported = self.unreported.saturating_add(1);
        self.last = Some(error);
    }

    /// Why events are told by the default line, if they are.
    pub(crate) fn broken(&self) -> Option<&str> {
        self.last.as_ref().filter(|_| self.in_a_row >= BROKEN).map(|last| &*last.traceback)
    }

    /// When there is something to report.
    pub(crate) fn next_wake(&self, now: Instant) -> Option<Instant> {
        (self.unreported > 0).then(|| self.reported.map_or(now, |reported| reported + REPORT))
    }

    /// The line that reports the failures since the last report, if it is time for it.
    pub(crate) fn report(&mut self, now: Instant) -> Option<String> {
        if self.next_wake(now).is_none_or(|due| now < due) {
            return None;
        }
        self.reported = Some(now);
        let message = &self.last.as_ref()?.message;
        Some(match std::mem::take(&mut self.unreported) {
            1 => format!("ERROR the filter failed: {message}"),
            times => format!("ERROR the filter failed {times} times, last: {message}"),
        })
    }
}
