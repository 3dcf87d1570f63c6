//! The event log of one URI: what is known of the collection, the recent events, and what a reader is told.

#[cfg(test)]
mod tests;

use asyncai_eventlog::{Extent, Ring, Since, write};
use serde_json::json;

use crate::kcp::known::{Change, Kind, Known};
use crate::kcp::object::Object;

/// How many events a log holds.
pub(crate) const CAPACITY: usize = 256;
/// The longest body in bytes, well below what clients take; what does not fit is a gap.
const MAX_BODY: usize = 8 << 20;

/// An event log with `seq` = `resourceVersion`.
#[derive(Debug)]
pub(crate) struct Log {
    /// Names the cluster, as far as the configuration knows.
    base: String,
    /// `base`, or a name derived from it once the versions went back.
    epoch: String,
    known: Known,
    ring: Ring,
    /// The newest version seen. The ring's head is above it only just after a late event was told.
    version: u64,
    /// The version of the last event of this batch; an event of the same version belongs to its unit.
    unit: Option<u64>,
    /// Readers were told that the source fails.
    failing: bool,
}

/// What a log can say to a reader by itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// This body.
    Body(String),
    /// The reader is older than the log: what it missed has to be found out.
    Behind,
    /// The reader is newer than the log: it may know more, or the versions went back.
    Ahead,
}

impl Log {
    /// A log that begins with a list made at `version`.
    pub(crate) fn new(epoch: &str, known: Known, version: u64) -> Self {
        Self {
            base: epoch.to_owned(),
            epoch: epoch.to_owned(),
            known,
            ring: Ring::new(CAPACITY, version),
            version,
            unit: None,
            failing: false,
        }
    }

    /// What the collection holds at the head.
    pub(crate) fn known(&self) -> &Known {
        &self.known
    }

    /// The newest version seen: from where a watch goes on.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Names the cluster that the log is of.
    pub(crate) fn cluster(&self) -> &str {
        &self.base
    }

    /// Follows an event of the watch; whether there is something to tell.
    pub(crate) fn follow(&mut self, kind: Kind, object: Object) -> bool {
        let Some(change) = self.known.apply(kind, object) else { return false };
        let same_unit = self.unit == Some(change.version);
        let seq = if same_unit { self.ring.head() } else { self.next(change.version) };
        self.unit = Some(change.version);
        self.version = self.version.max(change.version);
        self.ring.push(seq, change.event(seq));
        true
    }

    /// Nothing else happened up to `version`.
    pub(crate) fn bookmark(&mut self, version: u64) {
        self.version = self.version.max(version);
        self.ring.advance(version);
    }

    /// Ends a batch: readers may have seen its last unit from now on, so that nothing can be added to it.
    pub(crate) fn seal(&mut self) {
        self.unit = None;
    }

    /// Takes over a list made at `version`, and tells what changed since the last known state, in one unit.
    pub(crate) fn relist(&mut self, now: Known, version: u64) -> bool {
        let restarted = version < self.version;
        if restarted {
            // Another sequence begins, under another name.
            self.epoch = reset_epoch(&self.base, version);
            self.ring = Ring::new(CAPACITY, version.saturating_sub(1));
        }
        let seq = self.next(version);
        let events = unit(self.known.changes(&now), seq);
        let told = restarted || !events.is_empty();
        for event in events {
            self.ring.push(seq, event);
        }
        self.ring.advance(version);
        self.known = now;
        self.version = version;
        told
    }

    /// Tells that the source fails, beyond the head: at the head readers would not see it, and what the source has at
    /// the version after it is still to come.
    pub(crate) fn fail(&mut self, message: &str) {
        self.failing = true;
        let seq = self.ring.head() + 1;
        self.ring.announce(seq, json!({"seq": seq, "type": "ERROR", "message": message}).to_string());
    }

    /// The source no longer fails; whether readers were told that it does, and are to see that it is over.
    pub(crate) fn recovered(&mut self) -> bool {
        self.ring.retract();
        std::mem::take(&mut self.failing)
    }

    /// The `seq` of something that happened at `version`. Readers at the head would not see it at the head or below.
    fn next(&self, version: u64) -> u64 {
        version.max(self.ring.head() + 1)
    }

    /// What a reader who stands at `since` is told.
    pub(crate) fn answer(&self, since: Option<&Since>) -> Answer {
        match since {
            Some(since) if since.seq == 0 => Answer::Body(self.everything()),
            Some(since) => match self.shared_epoch(since) {
                Some(_) if since.seq < self.ring.floor() => Answer::Behind,
                Some(_) if since.seq > self.ring.head() => Answer::Ahead,
                Some(epoch) => Answer::Body(self.fitting(epoch, since.seq, self.ring.body(Some(epoch), Some(since)))),
                None => Answer::Body(self.recent(&self.epoch)),
            },
            None => Answer::Body(self.recent(&self.epoch)),
        }
    }

    /// All that the log holds.
    fn recent(&self, epoch: &str) -> String {
        self.fitting(epoch, self.ring.floor(), self.ring.body(Some(epoch), None))
    }

    /// What there is, as if it had just come: for a reader who has seen nothing and says so by `seq` 0.
    fn everything(&self) -> String {
        self.body(&self.epoch, 0, &unit(Known::default().changes(&self.known), self.ring.head()))
    }

    /// The name under which the reader knows this sequence, if it does.
    ///
    /// A new process cannot know that the versions once went back; a reader that was told so still names it that way.
    fn shared_epoch<'a>(&'a self, since: &'a Since) -> Option<&'a str> {
        let derived = || {
            self.epoch == self.base && since.epoch.strip_prefix(&self.base).is_some_and(|rest| rest.starts_with('~'))
        };
        (since.epoch == self.epoch || derived()).then_some(since.epoch.as_str())
    }

    /// What a reader missed since the collection was `base`, in one unit.
    pub(crate) fn catch_up(&self, since: &Since, base: &Known) -> String {
        self.body(&since.epoch, since.seq, &unit(base.changes(&self.known), self.ring.head()))
    }

    /// What can be told to a reader whose past is compacted: a gap, then every object that changed since.
    pub(crate) fn compacted(&self, since: &Since) -> String {
        let message = "the API server no longer has the versions since the last read: deletions may be missing";
        let seq = self.ring.head();
        let mut events = vec![gap(seq, "compacted", message)];
        events.append(&mut unit(self.known.newer_than(since.seq), seq));
        self.body(&since.epoch, since.seq, &events)
    }

    /// What a reader is told who knows more than this log by now: nothing, and to stay where it is.
    pub(crate) fn nothing_yet(since: &Since) -> String {
        write(Extent { epoch: Some(&since.epoch), floor: Some(since.seq), head: Some(since.seq) }, [])
    }

    /// What a reader is told whose version the API server has not reached: that this is another sequence.
    pub(crate) fn reset(&self) -> String {
        self.recent(&reset_epoch(&self.base, self.ring.head()))
    }

    /// Events at the head for a reader who has everything up to `floor`.
    fn body(&self, epoch: &str, floor: u64, events: &[String]) -> String {
        let extent = Extent { epoch: Some(epoch), floor: Some(floor), head: Some(self.ring.head()) };
        self.fitting(epoch, floor, write(extent, events.iter().map(String::as_str)))
    }

    /// The body, or a gap in its place if no client would take it.
    fn fitting(&self, epoch: &str, floor: u64, body: String) -> String {
        if body.len() <= MAX_BODY {
            return body;
        }
        let gap = too_large(self.ring.head());
        write(Extent { epoch: Some(epoch), floor: Some(floor), head: Some(self.ring.head()) }, [gap.as_str()])
    }
}

/// The events that tell changes in one unit, or a gap in their place if no client would take them: what is too large
/// is not even unpacked.
fn unit(changes: impl Iterator<Item = Change>, seq: u64) -> Vec<String> {
    let (mut events, mut bytes) = (Vec::new(), 0);
    for change in changes {
        let event = change.event(seq);
        bytes += event.len();
        if bytes > MAX_BODY {
            return vec![too_large(seq)];
        }
        events.push(event);
    }
    events
}

fn too_large(seq: u64) -> String {
    gap(seq, "too large", "more has changed than one read may carry: narrow the URI by namespace or selector")
}

fn gap(seq: u64, reason: &str, message: &str) -> String {
    json!({"seq": seq, "type": "GAP", "reason": reason, "message": message}).to_string()
}

fn reset_epoch(base: &str, version: u64) -> String {
    format!("{base}~{version}")
}
