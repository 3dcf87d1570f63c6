//! From changes to notices: filter, dedupe, debounce, and how far the agent has seen.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use crate::batch::{Batch, Events};
use crate::change::{Change, Entry, Mark};
use crate::dedupe::Dedupe;
use crate::event::{Event, Ignored, Lens};
use crate::filter::FilterHealth;
use crate::hour::Hour;
use crate::input::FilterError;
use crate::line::single;
use crate::log;
use crate::notice::Notice;
use crate::output::Output;
use crate::spec::Spec;
use crate::status::{Counts, Resume};
use crate::world::World;

/// So many events are looked at, or are with the filter, at a time.
const SLICE: usize = 100;
/// With so many changes waiting for the filter the resource is not read: a state merges what comes meanwhile, and the
/// log of the server holds it.
const BACKLOG: usize = 10_000;
/// The same in bytes.
const BACKLOG_BYTES: usize = 16 << 20;

/// The way of the changes of one watch.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    /// Read, not looked at yet.
    queue: VecDeque<Entry>,
    /// The bytes in the queue.
    queued: usize,
    /// Looked at, in order; the first one may wait for the filter.
    looked_at: VecDeque<Slot>,
    batch: Option<Batch>,
    /// Notices of events that no finished turn has seen yet.
    unseen: VecDeque<Unseen>,
    /// Everything up to here was seen or dropped.
    settled: Option<Mark>,
    /// How far it has come, but for our own status writes.
    noted: u64,
    /// An event was settled since the last mark.
    progress: bool,
    /// The last event of our own kinds that is none.
    own: u64,
    dedupe: Dedupe,
    filter: FilterHealth,
    tally: Tally,
}

/// What goes on counting when everything else starts afresh.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) counts: Counts,
    pub(crate) last_event: Option<SystemTime>,
    pub(crate) last_notice: Option<SystemTime>,
    hour: Hour,
}

#[derive(Debug)]
enum Slot {
    Event { epoch: Arc<str>, seq: u64, event: Event, verdict: Verdict },
    WithoutEffect { seq: u64, kind: String },
    Mark(Mark),
}

#[derive(Debug)]
enum Verdict {
    Unfiltered,
    Awaited(u64),
    Filtered(Result<Option<String>, FilterError>),
}

#[derive(Debug)]
struct Unseen {
    number: u64,
    seen: bool,
    mark: Option<Mark>,
}

impl Pipeline {
    pub(crate) fn resume(resume: &Resume) -> Self {
        let Resume { counts, last_event, last_notice, .. } = *resume;
        let settled = resume.cursor.as_ref().map(|cursor| Mark::saved(cursor, resume.baseline.as_ref()));
        Self { tally: Tally { counts, last_event, last_notice, hour: Hour::default() }, settled, ..Self::default() }
    }

    /// An empty pipeline that goes on counting.
    pub(crate) fn afresh(&mut self) {
        *self = Self { tally: std::mem::take(&mut self.tally), ..Self::default() };
    }

    /// There is another filter, which has not failed yet.
    pub(crate) fn refilter(&mut self) {
        self.filter = FilterHealth::default();
    }

    pub(crate) fn push(&mut self, entries: Vec<Entry>) {
        self.queued += entries.iter().map(Entry::size).sum::<usize>();
        self.queue.extend(entries);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.queue.len() >= BACKLOG || self.queued >= BACKLOG_BYTES
    }

    /// The mark to go on from, and how far it has come, but for our own status writes. To save what is beyond would be
    /// another such write; it is saved along with the next change, or at the end.
    pub(crate) fn settled(&self) -> (Option<&Mark>, u64) {
        (self.settled.as_ref(), self.noted)
    }

    /// Whether changes wait to be looked at.
    pub(crate) fn is_busy(&self) -> bool {
        !self.queue.is_empty() || !self.looked_at.is_empty()
    }

    /// Whether lines wait to be told.
    pub(crate) fn has_lines(&self) -> bool {
        self.batch.is_some()
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// A subscription was made anew.
    pub(crate) fn count_resubscribe(&mut self) {
        self.tally.counts.resubscribes += 1;
    }

    pub(crate) fn broken_filter(&self) -> Option<&str> {
        self.filter.broken()
    }

    /// Looks at the next slice of changes, and tells what can be told. `may_filter`: the filter may be asked.
    pub(crate) fn advance(&mut self, world: &mut World, spec: &Spec, may_filter: bool) {
        self.settle(world, spec);
        let mut room = SLICE.saturating_sub(self.looked_at.len());
        while (may_filter || !spec.is_filtered()) && room > 0 {
            let Some(entry) = self.queue.pop_front() else { break };
            self.queued -= entry.size();
            match entry {
                Entry::Change { epoch, change } => {
                    room -= 1;
                    self.look(world, spec, epoch, &change);
                }
                Entry::Mark(mark) => self.looked_at.push_back(Slot::Mark(mark)),
            }
        }
        self.settle(world, spec);
        if let Some(line) = self.filter.report(world.now) {
            self.tell(world, single(&line));
        }
    }

    /// The filter answered.
    pub(crate) fn filtered(&mut self, answered: u64, result: Result<Option<String>, FilterError>) {
        for slot in &mut self.looked_at {
            if let Slot::Event { verdict, .. } = slot
                && matches!(verdict, Verdict::Awaited(ticket) if *ticket == answered)
            {
                *verdict = Verdict::Filtered(result);
                return;
            }
        }
    }

    /// Adds a line that is about the watch, not about an event.
    pub(crate) fn tell(&mut self, world: &World, line: String) {
        self.add(world, line, true);
    }

    fn add(&mut self, world: &World, line: String, alarm: bool) {
        self.batch.get_or_insert_with(|| Batch::new(world.now)).add(world.now, line, alarm);
    }

    /// The agent has seen notices.
    pub(crate) fn seen(&mut self, numbers: &[u64]) {
        for notice in &mut self.unseen {
            notice.seen |= numbers.contains(&notice.number);
        }
        while let Some(notice) = self.unseen.pop_front_if(|notice| notice.seen) {
            if let Some(mark) = notice.mark {
                self.progress = true;
                self.arrive(mark);
            }
        }
    }

    /// Sends the notice that is due. Returns whether one is held back by the hourly maximum; `held`: whether one was.
    pub(crate) fn flush(&mut self, world: &mut World, spec: &Spec, held: bool) -> bool {
        let Some(due) = self.due(spec) else { return false };
        let is_due = due <= world.now;
        if self.tally.hour.free_at(world.now, spec.max_notices_per_hour) > world.now {
            return held || is_due;
        }
        if is_due {
            self.send(world, spec);
        }
        false
    }

    /// Sends what waits at once, as one notice.
    pub(crate) fn send(&mut self, world: &mut World, spec: &Spec) {
        let Some(mut batch) = self.batch.take() else { return };
        let number = world.notice();
        if batch.events.is_some() {
            self.unseen.push_back(Unseen { number, seen: false, mark: batch.mark.take() });
        }
        self.tally.hour.sent(world.now);
        self.tally.counts.notices += 1;
        self.tally.last_notice = Some(world.wall());
        let events = batch.events.as_ref().map_or_else(|| format!("watch/{0}-{0}", world.moment()), Events::id);
        let id = format!("{}/{events}", spec.id);
        let (lines, more) = batch.into_lines();
        world.log(log::Event::Notice { watch: spec.name.clone(), id: id.clone(), lines: lines.clone(), more });
        let (watch, uri, instructions) = (spec.name.clone(), spec.uri.clone(), spec.instructions.clone());
        world.output(Output::Notice(Notice { number, watch, uri, id, lines, more, instructions }));
    }

    /// When changes can be looked at without any input. `may_filter` as in [`Pipeline::advance`].
    pub(crate) fn work_due(&self, now: Instant, spec: &Spec, may_filter: bool) -> Option<Instant> {
        if !self.queue.is_empty() && (may_filter || !spec.is_filtered()) && self.looked_at.len() < SLICE {
            return Some(now);
        }
        self.filter.next_wake(now)
    }

    /// When there is a notice to send. `held`: what [`Pipeline::flush`] returned last.
    pub(crate) fn notice_due(&self, now: Instant, spec: &Spec, held: bool) -> Option<Instant> {
        let free = |due: Instant| due.max(self.tally.hour.free_at(now, spec.max_notices_per_hour));
        self.due(spec).map(|due| if held { free(due) } else { due })
    }

    fn due(&self, spec: &Spec) -> Option<Instant> {
        self.batch.as_ref().map(|batch| batch.due(spec.debounce, spec.max_wait))
    }

    fn look(&mut self, world: &mut World, spec: &Spec, epoch: Arc<str>, change: &Change) {
        let lens = Lens { watch: &spec.name, uri: &spec.uri, filtered: spec.is_filtered() };
        let seq = change.seq;
        let slot = match lens.look(change) {
            Ok(mut event) => {
                let verdict = if spec.is_filtered() {
                    let ticket = world.ticket();
                    let event = std::mem::take(&mut event.dict);
                    world.output(Output::Filter { id: spec.id.clone(), ticket, event });
                    Verdict::Awaited(ticket)
                } else {
                    Verdict::Unfiltered
                };
                Slot::Event { epoch, seq, event, verdict }
            }
            Err(Ignored { own: true, .. }) => {
                self.own = seq;
                return;
            }
            Err(Ignored { kind, .. }) => Slot::WithoutEffect { seq, kind },
        };
        self.looked_at.push_back(slot);
    }

    /// Takes what no longer waits for the filter, in order.
    fn settle(&mut self, world: &mut World, spec: &Spec) {
        let decided = |slot: &mut Slot| !matches!(slot, Slot::Event { verdict: Verdict::Awaited(_), .. });
        while let Some(slot) = self.looked_at.pop_front_if(decided) {
            self.progress |= !matches!(slot, Slot::Mark(_));
            match slot {
                Slot::Event { epoch, seq, event, verdict } => {
                    let line = self.line(&event, verdict).filter(|line| self.dedupe.admit(&event, line));
                    let kept = line.is_some();
                    if let Some(line) = line {
                        self.add(world, line, event.is_alarm());
                        if let Some(batch) = &mut self.batch {
                            batch.cover(&epoch, seq);
                        }
                    }
                    self.tally.counts.gaps += u64::from(event.is_gap());
                    self.count(world, spec, seq, event.kind, kept);
                }
                Slot::WithoutEffect { seq, kind } => self.count(world, spec, seq, kind, false),
                Slot::Mark(mark) => self.pass(mark),
            }
        }
    }

    /// The line to tell of an event, if any.
    fn line(&mut self, event: &Event, verdict: Verdict) -> Option<String> {
        let line = match verdict {
            Verdict::Unfiltered | Verdict::Awaited(_) => return Some(event.line.clone()),
            Verdict::Filtered(Ok(text)) => {
                self.filter.worked();
                text.map(|text| single(text.trim())).filter(|line| !line.is_empty())
            }
            Verdict::Filtered(Err(error)) => {
                self.filter.failed(error);
                self.tally.counts.filter_errors += 1;
                self.filter.broken().map(|_| event.line.clone())
            }
        };
        line.or_else(|| event.is_alarm().then(|| event.line.clone()))
    }

    fn count(&mut self, world: &mut World, spec: &Spec, seq: u64, kind: String, kept: bool) {
        self.tally.counts.events += 1;
        self.tally.counts.dropped += u64::from(!kept);
        self.tally.last_event = Some(world.wall());
        world.log(log::Event::Event { watch: spec.name.clone(), seq, kind, kept });
    }

    fn arrive(&mut self, mark: Mark) {
        if std::mem::take(&mut self.progress) || mark.seq > self.own {
            self.noted = mark.seq;
        }
        self.settled = Some(mark);
    }

    /// Everything before the mark is with the agent as soon as the last event told before it is.
    fn pass(&mut self, mark: Mark) {
        if let Some(batch) = self.batch.as_mut().filter(|batch| batch.events.is_some()) {
            batch.mark = Some(mark);
        } else if let Some(notice) = self.unseen.back_mut() {
            notice.mark = Some(mark);
        } else {
            self.arrive(mark);
        }
    }
}
