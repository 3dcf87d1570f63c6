//! What must become of every change that a watch sees: processed in order, told and seen or dropped on purpose, and only
//! then behind the cursor.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use asyncai_watch::{Cursor, Id, Initial, Notice, Spec, Status};

use crate::reader::{Reader, Step, What};
use crate::resource::{Entry, Resource, Values, View, event};
use crate::store::Saved;

const HOUR: u64 = 3_600_000;

/// What a filter says to an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Tell(u64),
    Drop,
    Fail,
}

/// What was kept for the next notice, and the line that must tell it, or the start of it.
#[derive(Clone, Debug)]
struct Kept {
    step: Step,
    number: u64,
    line: String,
}

/// The account of one watch.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) spec: Spec,
    pub(crate) resource: usize,
    reader: Reader,
    /// Read, not processed yet.
    expected: VecDeque<(u64, Step)>,
    batch: Vec<Kept>,
    /// What was kept of that which it no longer watches.
    leaving: Vec<Kept>,
    /// When the first line of the batch came; None: something held it back since.
    batch_since: Option<u64>,
    /// Notices that no finished turn has seen, with what they tell.
    unseen: BTreeMap<u64, Vec<Kept>>,
    /// What is not settled yet, by its place.
    open: BTreeSet<((u32, u64), u64)>,
    /// What the filter says to the events that it was given, in order.
    pub(crate) verdicts: VecDeque<Verdict>,
    /// Failures of the filter in a row.
    failures: u32,
    /// The last line told of each object.
    lines: HashMap<String, String>,
    /// When notices went out in the last hour.
    hour: VecDeque<u64>,
    /// The state at each mark.
    shots: BTreeMap<u64, Values>,
    cursor: Option<Cursor>,
    /// What was seen or dropped, with the last process that did so.
    ever: HashMap<What, (u32, bool)>,
    steps: u64,
}

impl Ledger {
    /// The account of a watch that starts in this process, with what an earlier one saved.
    pub(crate) fn new(spec: Spec, resource: (usize, &Resource), saved: Option<&Saved>) -> Self {
        let (place, resource) = resource;
        let deliver = spec.initial == Initial::Deliver;
        let saved = saved.filter(|saved| saved.uri == spec.uri);
        let cursor = saved.and_then(|saved| saved.status.cursor.clone());
        let mut shots = BTreeMap::new();
        let reader = match (&cursor, saved.and_then(|saved| saved.values.clone())) {
            (None, _) => Reader::New { deliver },
            (Some(cursor), None) => {
                let at = (epoch(cursor), cursor.seq);
                let next = resource.history.partition_point(|entry| (entry.epoch, entry.seq) <= at);
                Reader::Log { epoch: at.0, next, complete: cursor.seq }
            }
            (Some(cursor), Some(values)) => {
                let baseline = saved.and_then(|saved| saved.status.baseline.as_ref()).expect("a baseline");
                assert!(!baseline.truncated || values.len() > 100, "{} digests are too many", values.len());
                shots.insert(cursor.seq, values.clone());
                Reader::State { seq: cursor.seq, values, saved: Some(baseline.truncated) }
            }
        };
        Self {
            spec,
            resource: place,
            reader,
            expected: VecDeque::new(),
            batch: Vec::new(),
            leaving: Vec::new(),
            batch_since: None,
            unseen: BTreeMap::new(),
            open: BTreeSet::new(),
            verdicts: VecDeque::new(),
            failures: 0,
            lines: HashMap::new(),
            hour: VecDeque::new(),
            shots,
            cursor,
            ever: HashMap::new(),
            steps: 0,
        }
    }

    /// The same watch in the next process: what was told once is remembered.
    pub(crate) fn goes_on(mut self, old: Ledger) -> Self {
        if self.spec.uri == old.spec.uri {
            (self.ever, self.steps) = (old.ever, old.steps);
        }
        self
    }

    /// Another spec for the watch; on what it watches it starts anew.
    pub(crate) fn respec(&mut self, spec: Spec, resource: (usize, &Resource)) {
        if self.spec.uri == spec.uri {
            if self.spec.filter != spec.filter {
                self.failures = 0;
            }
            (self.spec, self.batch_since) = (spec, None);
        } else {
            let (leaving, hour) = (std::mem::take(&mut self.batch), std::mem::take(&mut self.hour));
            *self = Self { leaving, hour, ..Self::new(spec, resource, None) };
        }
    }

    /// The engine takes in what was read.
    pub(crate) fn read(&mut self, history: &[Entry], view: &View) {
        for step in self.reader.read(history, view) {
            self.steps += 1;
            self.open.insert((step.place, self.steps));
            self.expected.push_back((self.steps, step));
        }
        if let Reader::State { seq, values, .. } = &self.reader {
            self.shots.insert(*seq, Values::clone(values));
        }
    }

    /// The engine has processed an event.
    pub(crate) fn event(&mut self, now: u64, life: u32, seq: u64, kind: &str, kept: bool) {
        let (number, step) = self.expected.pop_front().expect("nothing is processed that is not new");
        assert_eq!((kind, seq), (&*step.kind, step.place.1), "events are processed in order, each once");
        let verdict = self.spec.filter.is_some().then(|| self.verdicts.pop_front().expect("a verdict"));
        self.failures = if verdict == Some(Verdict::Fail) { self.failures + 1 } else { 0 };
        let line = match verdict {
            None => Some(told(&step)),
            Some(Verdict::Tell(ticket)) => Some(format!("told {ticket}")),
            Some(Verdict::Drop) => None,
            Some(Verdict::Fail) => (self.failures >= 10).then(|| told(&step)),
        };
        let line = line.or_else(|| step.is_gap().then(|| told(&step))).filter(|line| self.is_new(&step, line));
        assert_eq!(kept, line.is_some(), "the filter decides, but not over gaps: {step:?}");
        match line {
            None => self.settle(life, number, &step, false),
            Some(line) => {
                if self.batch.is_empty() {
                    self.batch_since = Some(now);
                }
                self.batch.push(Kept { step, number, line });
            }
        }
    }

    /// A line that an object already has is not told again.
    fn is_new(&mut self, step: &Step, line: &str) -> bool {
        let What::Differs(key, _) = &step.what else { return true };
        let before = self.lines.insert(key.clone(), line.to_owned());
        before.as_deref() != Some(line) || step.kind == "MODIFIED"
    }

    /// A notice goes out.
    pub(crate) fn notice(&mut self, now: u64, notice: &Notice) {
        if self.spec.uri != notice.uri {
            // The last of what it no longer watches.
            check_lines(notice, &self.leaving);
            self.leaving.clear();
            self.hour.push_back(now);
            return;
        }
        assert!(!self.spec.suspend, "nothing is told while suspended: {notice:?}");
        let batch = std::mem::take(&mut self.batch);
        check_lines(notice, &batch);
        self.check_id(notice, &batch);
        self.check_time(now, notice);
        self.unseen.insert(notice.number, batch);
    }

    fn check_time(&mut self, now: u64, notice: &Notice) {
        let most = usize::try_from(self.spec.max_notices_per_hour).expect("a count");
        let sent_after = |time: u64| self.hour.iter().filter(|sent| **sent > time).count();
        assert!(sent_after(now.saturating_sub(HOUR)) < most, "{notice:?} is one too many of {:?}", self.hour);
        if let Some(since) = self.batch_since.take()
            && sent_after(since.saturating_sub(HOUR)) < most
        {
            let latest = since + u64::try_from(self.spec.max_wait.as_millis()).expect("a wait") + 1_000;
            assert!(now <= latest, "a line of {since} waited until {now}: {notice:?}");
        }
        self.hour.push_back(now);
    }

    fn check_id(&self, notice: &Notice, batch: &[Kept]) {
        let Some(last) = batch.last() else { return };
        let (epoch, to) = last.step.place;
        let same = |kept: &&Kept| kept.step.place.0 == epoch;
        let from = batch.iter().rev().take_while(same).last().map_or(to, |kept| kept.step.place.1);
        let (_, range) = notice.id.rsplit_once('/').expect("a range");
        assert_eq!(range, format!("{from}-{to}"), "an id names what is told: {notice:?}, {batch:?}");
        assert!(notice.id.starts_with(&format!("{}/", self.spec.id)), "{notice:?}");
    }

    /// A finished turn has seen a notice, or people were told. `unclean`: a process since that one has ended without
    /// saving all.
    pub(crate) fn seen(&mut self, life: u32, number: u64, unclean: impl Fn(u32) -> bool) {
        let Some(batch) = self.unseen.remove(&number) else { return };
        for Kept { step, number, .. } in batch {
            if self.spec.filter.is_none()
                && !step.is_gap()
                && let Some((before, true)) = self.ever.get(&step.what)
            {
                assert!(*before < life, "{step:?} was told twice in one process");
                assert!(unclean(*before), "{step:?} was told in process {before} and again, without a crash");
            }
            self.settle(life, number, &step, true);
        }
    }

    /// The turn engine knows the notice from before a restart, and does not tell it.
    pub(crate) fn repeated(&mut self, number: u64) {
        for Kept { step, .. } in self.unseen.get(&number).into_iter().flatten() {
            assert!(step.is_gap() || self.ever.contains_key(&step.what), "{step:?} was never told, but passes for it");
        }
    }

    fn settle(&mut self, life: u32, number: u64, step: &Step, told: bool) {
        self.open.remove(&(step.place, number));
        self.ever.insert(step.what.clone(), (life, told));
    }

    /// A status goes out. What it says of the state, for a later process.
    pub(crate) fn status(&mut self, status: &Status) -> Option<Values> {
        assert!(status.cursor.is_some() || self.cursor.is_none(), "the place of the watch was forgotten");
        let cursor = status.cursor.clone()?;
        if let Some(last) = &self.cursor {
            let back = last.epoch == cursor.epoch && last.seq > cursor.seq;
            assert!(!back, "the cursor went back from {last:?} to {cursor:?}");
        }
        if status.baseline.is_none() {
            let place = (epoch(&cursor), cursor.seq);
            if let Some(first) = self.open.first() {
                assert!(first.0 > place, "the cursor {cursor:?} passed {first:?}, which is not settled");
            }
            let Reader::Log { epoch, complete, .. } = self.reader else { panic!("a cursor without a read") };
            assert!(place <= (epoch, complete), "the cursor {cursor:?} passed what was read: {:?}", self.reader);
            self.cursor = Some(cursor);
            return None;
        }
        let first = self.open.first().map_or(u64::MAX, |((_, seq), _)| *seq);
        assert!(first > cursor.seq, "the cursor {cursor:?} passed {first}, which is not settled");
        let values = self.shots.get(&cursor.seq).unwrap_or_else(|| panic!("the cursor {cursor:?} is at no mark"));
        let values = values.clone();
        self.shots = self.shots.split_off(&cursor.seq);
        self.cursor = Some(cursor);
        Some(values)
    }

    /// So much waits for its filter that it need not read more.
    pub(crate) fn is_full(&self) -> bool {
        self.expected.len() > 9_000
    }

    /// Something holds notices back.
    pub(crate) fn held(&mut self) {
        self.batch_since = None;
    }

    /// Nothing waits: all that the resource has was read and is settled.
    pub(crate) fn check_settled(&self, id: &Id, resource: &Resource) {
        assert!(self.expected.is_empty(), "{id}: {:?} were never processed", self.expected);
        assert!(self.batch.is_empty(), "{id}: {:?} were never told", self.batch);
        assert!(self.open.is_empty(), "{id}: {:?} are not settled", self.open);
        match &self.reader {
            Reader::Log { next, complete, .. } => {
                assert_eq!((*next, *complete), (resource.history.len(), resource.head), "{id} has read all");
                let cursor = self.cursor.as_ref().map(|cursor| cursor.seq);
                assert_eq!(cursor, Some(resource.head), "{id}: the cursor is at the head");
            }
            Reader::State { values, .. } => assert_eq!(*values, resource.values, "{id} knows the state"),
            Reader::New { .. } => panic!("{id} was never read"),
        }
    }
}

/// The epoch that a cursor names; the sequences that the engine names itself begin once.
fn epoch(cursor: &Cursor) -> u32 {
    cursor.epoch.strip_prefix("epoch-").map_or(1, |epoch| epoch.parse().expect("an epoch"))
}

/// How an event is told without a filter; of some, how that begins.
fn told(step: &Step) -> String {
    match &step.what {
        What::Gap(_) => "GAP ".to_owned(),
        What::Event(index) => event(*index, step.place.1),
        What::Differs(key, _) if step.kind == "MODIFIED" => format!("MODIFIED {key} ("),
        What::Differs(key, _) => format!("{} {key}", step.kind),
    }
}

fn check_lines(notice: &Notice, batch: &[Kept]) {
    let is_about = |line: &str| line.starts_with("ERROR the ") || line.starts_with("RECOVERED");
    let parts = |line: &String| match line.rsplit_once(" ×") {
        Some((line, times)) => (line.to_owned(), times.parse().expect("a number")),
        None => (line.clone(), 1_usize),
    };
    assert!(notice.lines.len() <= 20, "{notice:?}");
    let lines: Vec<(String, usize)> = notice.lines.iter().map(parts).filter(|(line, _)| !is_about(line)).collect();
    let told: usize = lines.iter().map(|(_, times)| times).sum();
    if notice.more == 0 {
        assert_eq!(told, batch.len(), "a notice tells all that was kept: {notice:?}, {batch:?}");
    }
    assert!(told + notice.more >= batch.len(), "a notice tells all that was kept: {notice:?}, {batch:?}");
    let in_order = lines.iter().all(|(_, times)| *times == 1);
    let mut rest = batch.iter();
    for (line, _) in lines.iter().filter(|(line, _)| !line.starts_with("GAP ")) {
        let is_told = |kept: &Kept| line.starts_with(&*kept.line);
        let found = if in_order { rest.any(is_told) } else { batch.iter().any(is_told) };
        assert!(found, "{line:?} tells nothing that was kept, or not in order: {notice:?}, {batch:?}");
    }
    let mut gaps = batch.iter().filter(|kept| kept.step.is_gap());
    let is_there = |gap: &Kept| lines.iter().any(|(line, _)| line.starts_with(&*gap.line));
    assert!(gaps.all(is_there), "no gap is counted away: {notice:?}");
}
