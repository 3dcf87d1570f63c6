//! Lines that wait to be told together.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::change::Mark;

/// A notice has at most so many lines; those beyond are counted.
const MAX_LINES: usize = 20;
/// No wait is longer, whatever the spec says.
const LONGEST: Duration = Duration::from_hours(24);

/// The lines of the next notice. It does not grow beyond [`MAX_LINES`], however long it waits.
#[derive(Debug)]
pub(crate) struct Batch {
    lines: Vec<Told>,
    more: usize,
    first: Instant,
    last: Instant,
    /// The events told, if there are any.
    pub(crate) events: Option<Events>,
    /// The last mark that came after one of the lines.
    pub(crate) mark: Option<Mark>,
}

/// A line, and how often it came.
#[derive(Debug)]
struct Told {
    line: String,
    times: u32,
    alarm: bool,
}

/// A range of events of one sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Events {
    epoch: Arc<str>,
    from: u64,
    to: u64,
}

impl Events {
    /// `<epoch>/<from>-<to>`.
    pub(crate) fn id(&self) -> String {
        format!("{}/{}-{}", self.epoch, self.from, self.to)
    }
}

impl Batch {
    /// A batch that starts now, with no line.
    pub(crate) fn new(now: Instant) -> Self {
        Self { lines: Vec::new(), more: 0, first: now, last: now, events: None, mark: None }
    }

    /// Adds a line. One that is there already is counted with it, in the place of the last, so that the last line of an
    /// object says where it ended. An alarm, which says that more is missing than is
    /// told, takes the place of another line rather than be counted away.
    pub(crate) fn add(&mut self, now: Instant, line: String, alarm: bool) {
        self.last = now;
        if let Some(at) = self.lines.iter().position(|told| told.line == line) {
            let told = self.lines.remove(at);
            self.lines.push(Told { times: told.times.saturating_add(1), ..told });
        } else if self.lines.len() < MAX_LINES {
            self.lines.push(Told { line, times: 1, alarm });
        } else if let Some(at) = self.lines.iter().rposition(|told| !told.alarm).filter(|_| alarm) {
            let displaced = self.lines.remove(at);
            self.more += usize::try_from(displaced.times).unwrap_or(usize::MAX);
            self.lines.push(Told { line, times: 1, alarm });
        } else {
            self.more += 1;
        }
    }

    /// Says that the line just added is of this event. Of a sequence that started anew, the new one counts.
    pub(crate) fn cover(&mut self, epoch: &Arc<str>, seq: u64) {
        match &mut self.events {
            Some(events) if events.epoch == *epoch => events.to = seq,
            _ => self.events = Some(Events { epoch: Arc::clone(epoch), from: seq, to: seq }),
        }
    }

    /// When it is to be told: `debounce` after the last line, at the latest `max_wait` after the first.
    pub(crate) fn due(&self, debounce: Duration, max_wait: Duration) -> Instant {
        (self.last + debounce.min(LONGEST)).min(self.first + max_wait.min(LONGEST))
    }

    /// The lines as they are told, and how many more there were.
    pub(crate) fn into_lines(self) -> (Vec<String>, usize) {
        let told = |Told { line, times, .. }| if times > 1 { format!("{line} ×{times}") } else { line };
        (self.lines.into_iter().map(told).collect(), self.more)
    }
}
