//! When the status of a watch is given out: at once when it matters, else seldom, and never the same one twice.

use std::time::{Duration, Instant};

use crate::change::{Mark, Snapshot};
use crate::status::{Phase, Status};

/// Least time from the last status to one that shows progress.
const PROGRESS: Duration = Duration::from_secs(5);
/// Least time from the last status to one that shows counts alone.
const COUNTS: Duration = Duration::from_secs(30);

/// What was given out last, and when.
#[derive(Debug, Default)]
pub(crate) struct Reporter {
    last: Option<(Instant, Status)>,
}

/// How much a status differs from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    Nothing,
    Counts,
    Progress,
    Urgent,
}

impl Reporter {
    /// The status to give out now, if any. `status` lacks cursor and baseline, which come from the mark.
    pub(crate) fn report(
        &mut self,
        now: Instant,
        status: Status,
        (mark, noted): (Option<&Mark>, u64),
        at_once: bool,
    ) -> Option<Status> {
        if self.due(now, &status, (mark, noted), at_once)? > now {
            return None;
        }
        let baseline = mark.and_then(|mark| match &mark.snapshot {
            Snapshot::Log => None,
            Snapshot::State(state) => Some(state.baseline()),
            Snapshot::Saved(baseline) => Some(baseline.clone()),
        });
        let status = Status { cursor: mark.map(Mark::cursor), baseline, ..status };
        self.last = Some((now, status.clone()));
        Some(status)
    }

    /// When a status is to be given out, if nothing else happens.
    pub(crate) fn due(
        &self,
        now: Instant,
        status: &Status,
        (mark, noted): (Option<&Mark>, u64),
        at_once: bool,
    ) -> Option<Instant> {
        let Some((at, last)) = &self.last else { return Some(now) };
        let noted = if at_once { u64::MAX } else { noted };
        match news(last, status, mark, noted) {
            News::Nothing => None,
            News::Urgent => Some(now),
            News::Progress | News::Counts if at_once => Some(now),
            News::Progress => Some((*at + PROGRESS).max(now)),
            News::Counts => Some((*at + COUNTS).max(now)),
        }
    }
}

/// The cursor says where a state is, too: each difference is numbered.
fn news(last: &Status, status: &Status, mark: Option<&Mark>, noted: u64) -> News {
    let moved = match (&last.cursor, mark) {
        (Some(cursor), Some(mark)) => *cursor.epoch != *mark.epoch || noted.min(mark.seq) > cursor.seq,
        (cursor, mark) => cursor.is_some() != mark.is_some(),
    };
    if last.generation != status.generation
        || !alike(&last.phase, &status.phase)
        || last.broken_filter.is_some() != status.broken_filter.is_some()
        || last.restore_failed != status.restore_failed
    {
        News::Urgent
    } else if moved
        || last.phase != status.phase
        || (last.shape, &last.server, last.throttled) != (status.shape, &status.server, status.throttled)
    {
        News::Progress
    } else if (last.counts, last.last_event, last.last_notice) != (status.counts, status.last_event, status.last_notice)
    {
        News::Counts
    } else {
        News::Nothing
    }
}

/// Whether two phases are the same but for numbers and messages.
fn alike(a: &Phase, b: &Phase) -> bool {
    match (a, b) {
        (Phase::Failed { failure: a, .. }, Phase::Failed { failure: b, .. }) => a.kind == b.kind,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}
