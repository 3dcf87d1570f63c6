//! The engine with all that surrounds it in a process, and the bookkeeping of what it did.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant, UNIX_EPOCH};

use asyncai_eventlog::MIME;
use asyncai_watch::{
    Contents, Cursor, Event, Failure, FailureKind, FilterError, Id, Initial, Input, Notice, Origin, Output, Resume,
    Set, Spec, Status,
};

use crate::reader::{Reader, Step};
use crate::server::{Server, kind};
use crate::{Answer, Transition};

/// What has become of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Dropped,
    Kept,
    Told(u64),
    Seen,
}

/// The engine, its process and what is known of its work.
pub(crate) struct Subject {
    set: Set,
    now: Instant,
    suspended: bool,
    filtered: bool,
    origin: Origin,
    /// How often the filter was edited.
    edits: u32,
    /// The ticket of the check that is under way.
    check: Option<u64>,
    /// The filter was refused.
    invalid: bool,
    /// The process goes on from an earlier one, and has not said what came of that.
    restoring: bool,
    deleted: bool,
    subscription: Option<u64>,
    acknowledged: bool,
    read: Option<(u64, Option<Cursor>)>,
    filters: VecDeque<u64>,
    answers: VecDeque<Answer>,
    stopped: bool,
    /// The process has given out no status yet.
    fresh: bool,
    /// The last status: what a new process starts with.
    status: Option<Status>,
    reader: Reader,
    /// What must be processed, in order.
    expected: VecDeque<Step>,
    /// What the next notice must tell.
    batch: Vec<Step>,
    fates: BTreeMap<usize, Fate>,
    /// Events before this one were there before the watch.
    first: usize,
    failures: usize,
}

const FAILURE: FailureKind = FailureKind::ServerDown;

impl Subject {
    pub(crate) fn new(server: &Server) -> Self {
        let now = Instant::now();
        let mut subject = Self {
            set: Set::new(now, UNIX_EPOCH, 1),
            now,
            suspended: false,
            filtered: server.filtered,
            origin: if server.model { Origin::Model } else { Origin::Declared },
            edits: 0,
            check: None,
            invalid: false,
            restoring: false,
            deleted: false,
            subscription: None,
            acknowledged: false,
            read: None,
            filters: VecDeque::new(),
            answers: VecDeque::new(),
            stopped: false,
            fresh: true,
            status: None,
            reader: Reader::New,
            expected: VecDeque::new(),
            batch: Vec::new(),
            fates: BTreeMap::new(),
            first: 0,
            failures: 0,
        };
        subject.start_process(server);
        subject
    }

    pub(crate) fn apply(&mut self, server: &Server, transition: &Transition) {
        let id = id();
        match *transition {
            Transition::Append(..)
            | Transition::Grow
            | Transition::Bookmark
            | Transition::Evict
            | Transition::Restart => {}
            Transition::Updated => {
                if let Some(ticket) = self.subscription.filter(|_| self.acknowledged) {
                    self.handle(server, Input::Updated { id, ticket });
                }
            }
            Transition::Acknowledge => self.acknowledge(server),
            Transition::Refuse => {
                if let Some(ticket) = self.subscription.take_if(|_| !self.acknowledged) {
                    let failure = Failure { kind: FAILURE, message: "down".into() };
                    self.handle(server, Input::SubscribeFailed { id, ticket, failure });
                }
            }
            Transition::End => {
                if let Some(ticket) = self.subscription.take_if(|_| self.acknowledged) {
                    self.handle(server, Input::Ended { id, ticket, message: "bye".into() });
                }
            }
            Transition::AnswerRead => self.answer_read(server),
            Transition::FailRead => {
                if let Some((ticket, _)) = self.read.take() {
                    let failure = Failure { kind: FAILURE, message: "down".into() };
                    self.handle(server, Input::Read { id, ticket, result: Err(failure) });
                }
            }
            Transition::Edit => self.edit(server),
            Transition::Check(valid) => self.answer_check(server, valid),
            Transition::AnswerFilter(answer) => self.answer_filter(server, answer),
            Transition::Seen(all) => self.see(server, all),
            Transition::Pass(millis) => self.pass(server, Duration::from_millis(millis)),
            Transition::Suspend(suspended) => {
                self.suspended = suspended;
                self.now += Duration::from_secs(1);
                self.handle(server, Input::Apply { spec: self.spec(), resume: None });
            }
            Transition::Crash => self.start_process(server),
            Transition::Stop => {
                self.handle(server, Input::Stop { deadline: self.now + Duration::from_hours(1) });
                while !self.stopped {
                    self.answer_read(server);
                }
                self.start_process(server);
            }
        }
    }

    /// Lets everything come to rest, and checks that nothing is left.
    pub(crate) fn finish(&mut self, server: &Server) {
        self.apply(server, &Transition::Suspend(false));
        for _ in 0..4 {
            if self.invalid {
                self.edit(server);
            }
            self.answer_check(server, true);
            self.pass(server, Duration::from_secs(61));
            self.acknowledge(server);
            if let Some(ticket) = self.subscription {
                self.handle(server, Input::Updated { id: id(), ticket });
            }
            for _ in 0..2 {
                self.answer_read(server);
            }
            for _ in 0..self.expected.len() + self.filters.len() {
                self.answer_filter(server, Answer::Tell);
                self.handle(server, Input::Wake);
            }
            assert_eq!(self.expected, [], "these were never processed");
            self.pass(server, Duration::from_hours(2));
            self.see(server, true);
            self.pass(server, Duration::from_secs(30));
        }
        assert_eq!(self.batch, [], "these were never told");
        let cursor = self.status.as_ref().and_then(|status| status.cursor.as_ref()).expect("a cursor");
        assert_eq!(cursor.seq, server.head, "the cursor stands at the head once everything was seen");
    }

    fn start_process(&mut self, server: &Server) {
        let status = self.status.as_ref();
        let resume = status.map(|status| Resume {
            uri: Some(self.spec().uri),
            server: status.server.clone(),
            cursor: status.cursor.clone(),
            baseline: status.baseline.clone(),
            counts: status.counts,
            last_event: status.last_event,
            last_notice: status.last_notice,
        });
        self.reader = Reader::resume(server, resume.as_ref().and_then(|resume| resume.cursor.as_ref()));
        self.set = Set::new(self.now, UNIX_EPOCH + Duration::from_secs(1), 1);
        (self.subscription, self.acknowledged, self.read, self.stopped) = (None, false, None, false);
        (self.failures, self.suspended, self.fresh) = (0, false, true);
        (self.check, self.invalid, self.restoring) = (None, false, true);
        self.filters.clear();
        self.answers.clear();
        self.expected.clear();
        self.batch.clear();
        self.fates.retain(|_, fate| matches!(fate, Fate::Seen | Fate::Dropped));
        let spec = self.spec();
        self.handle(server, Input::Apply { spec, resume });
        self.handle(server, Input::Loaded);
    }

    fn edit(&mut self, server: &Server) {
        if self.filtered {
            (self.edits, self.invalid, self.failures) = (self.edits + 1, false, 0);
            self.handle(server, Input::Apply { spec: self.spec(), resume: None });
        }
    }

    fn answer_check(&mut self, server: &Server, valid: bool) {
        let Some(ticket) = self.check.take() else { return };
        self.invalid = !valid;
        let must_go = self.invalid && self.restoring && self.origin == Origin::Model;
        let result = if valid { Ok(()) } else { Err("SyntaxError".into()) };
        self.handle(server, Input::Checked { id: id(), ticket, result });
        assert_eq!(self.deleted, must_go, "only what can never start goes, and only at the start");
        if std::mem::take(&mut self.deleted) {
            self.handle(server, Input::Remove(id()));
            (self.status, self.fates, self.edits) = (None, BTreeMap::new(), self.edits + 1);
            self.start_process(server);
        }
    }

    fn acknowledge(&mut self, server: &Server) {
        if let Some(ticket) = self.subscription.filter(|_| !self.acknowledged) {
            self.acknowledged = true;
            self.handle(server, Input::Acknowledged { id: id(), ticket, server: "server".into() });
        }
    }

    fn answer_read(&mut self, server: &Server) {
        let Some((ticket, since)) = self.read.take() else { return };
        if matches!(self.reader, Reader::New) {
            self.first = server.history.len();
        }
        self.expected.extend(self.reader.read(server));
        let contents = Contents { mime: Some(MIME.into()), text: server.body(since.as_ref()) };
        self.handle(server, Input::Read { id: id(), ticket, result: Ok(contents) });
    }

    fn answer_filter(&mut self, server: &Server, answer: Answer) {
        let Some(ticket) = self.filters.pop_front() else { return };
        self.answers.push_back(answer);
        let result = match answer {
            Answer::Drop => Ok(None),
            Answer::Tell => Ok(Some(format!("told {ticket}"))),
            Answer::Fail => Err(FilterError { message: "boom".into(), traceback: "boom".into() }),
        };
        self.handle(server, Input::Filtered { id: id(), ticket, result });
    }

    fn see(&mut self, server: &Server, all: bool) {
        let told = |fate: &Fate| if let Fate::Told(number) = fate { Some(*number) } else { None };
        let mut numbers: Vec<u64> = self.fates.values().filter_map(told).collect();
        numbers.retain(|number| all || number % 2 == 0);
        for fate in self.fates.values_mut() {
            if matches!(fate, Fate::Told(number) if numbers.contains(number)) {
                *fate = Fate::Seen;
            }
        }
        if all {
            // Also notices without events, and those that tell gaps only.
            numbers = (0..1_000).collect();
        }
        self.handle(server, Input::Seen(numbers));
    }

    fn pass(&mut self, server: &Server, time: Duration) {
        let until = self.now + time;
        let mut at_once = 0;
        while let Some(wake) = self.set.next_wake().filter(|wake| *wake <= until) {
            at_once = if wake > self.now { 0 } else { at_once + 1 };
            assert!(at_once < 1_000, "it is woken again and again for nothing");
            self.now = self.now.max(wake);
            self.handle(server, Input::Wake);
        }
        self.now = until;
    }

    fn handle(&mut self, server: &Server, input: Input) {
        self.set.handle(self.now, input);
        while let Some(output) = self.set.poll() {
            match output {
                Output::Subscribe { ticket, .. } => {
                    assert_eq!(self.subscription, None, "one subscription at most");
                    assert!(!self.suspended && !self.stopped, "nothing is subscribed while suspended or stopped");
                    assert!(!self.invalid, "nothing is subscribed with an invalid filter");
                    (self.subscription, self.acknowledged) = (Some(ticket), false);
                }
                Output::Unsubscribe(_) => self.subscription = None,
                Output::Read { ticket, since, .. } => self.read = Some((ticket, since)),
                Output::Check { ticket, source, .. } => {
                    assert_eq!(*source, *self.source(), "what is checked is the filter of now");
                    (self.check, self.invalid) = (Some(ticket), false);
                }
                Output::Filter { ticket, .. } => {
                    assert!(self.check.is_none() && !self.invalid, "no filter sees an event before it is accepted");
                    self.filters.push_back(ticket);
                }
                Output::Delete(_) => self.deleted = true,
                Output::Notice(notice) => self.check_notice(&notice),
                Output::Status(status) => self.check_status(server, status),
                Output::Log(Event::Event { kind, kept, .. }) => self.check_event(&kind, kept),
                Output::Log(Event::Restored { .. }) => self.restoring = false,
                Output::EndFilter(_) | Output::Restore(_) | Output::Log(_) => {}
                Output::Stopped => self.stopped = true,
            }
        }
        if self.subscription.is_none() {
            self.read = None;
        }
    }

    fn check_event(&mut self, seen: &str, kept: bool) {
        let step = self.expected.pop_front().expect("nothing is processed that is not new");
        let must = match step {
            Step::Gap => "GAP".to_owned(),
            Step::Event(index) => kind(index),
        };
        assert_eq!(seen, must, "events are processed in order, each once, each hole as one gap");
        let answer = if self.filtered { self.answers.pop_front().expect("an answer") } else { Answer::Tell };
        self.failures = if let Answer::Fail = answer { self.failures + 1 } else { 0 };
        let must_keep = step == Step::Gap || matches!(answer, Answer::Tell) || self.failures >= 10;
        assert_eq!(kept, must_keep, "the filter decides, but not over gaps");
        if kept {
            self.batch.push(step);
        }
        if let Step::Event(index) = step {
            let fate = if kept { Fate::Kept } else { Fate::Dropped };
            self.fates.insert(index, fate);
        }
    }

    fn check_notice(&mut self, notice: &Notice) {
        assert!(!self.suspended && !self.stopped, "nothing is told while suspended or stopped");
        let about_the_watch = |line: &&String| line.starts_with("ERROR the ") || line.starts_with("RECOVERED");
        let times = |line: &String| line.rsplit_once(" ×").map_or(1, |(_, times)| times.parse().expect("a number"));
        let told: usize = notice.lines.iter().filter(|line| !about_the_watch(line)).map(times).sum();
        assert!(notice.lines.len() <= 20);
        if notice.more == 0 || !notice.lines.iter().any(|line| about_the_watch(&line)) {
            assert_eq!(told + notice.more, self.batch.len(), "a notice tells all that was kept: {notice:?}");
        }
        if !self.filtered {
            let must = self.batch.iter().filter_map(|step| match step {
                Step::Event(index) => Some(kind(*index)),
                Step::Gap => None,
            });
            let lines = notice.lines.iter().filter(|line| line.starts_with('{'));
            for (line, kind) in lines.zip(must) {
                assert!(line.contains(&format!("\"{kind}\"")), "{line} tells {kind}");
            }
        }
        for step in self.batch.drain(..) {
            if let Step::Event(index) = step {
                self.fates.insert(index, Fate::Told(notice.number));
            }
        }
    }

    fn check_status(&mut self, server: &Server, status: Status) {
        assert!(self.fresh || self.status.as_ref() != Some(&status), "no status is given out twice: {status:?}");
        self.fresh = false;
        let last = self.status.as_ref().and_then(|status| status.cursor.as_ref());
        assert!(status.cursor.is_some() || last.is_none(), "the place of the watch was forgotten");
        if let Some(cursor) = &status.cursor {
            if let Some(last) = last {
                assert!(last.epoch != cursor.epoch || last.seq <= cursor.seq, "the cursor went back to {cursor:?}");
            }
            let epoch = cursor.epoch.strip_prefix("epoch-").map_or(1, |epoch| epoch.parse().expect("an epoch"));
            for (index, event) in server.history.iter().enumerate().skip(self.first) {
                if (event.epoch, event.seq) <= (epoch, cursor.seq) {
                    let fate = self.fates.get(&index);
                    let settled = matches!(fate, None | Some(Fate::Dropped | Fate::Seen));
                    assert!(settled, "the cursor {cursor:?} passed {event:?}, which is {fate:?}");
                    let read = matches!(self.reader, Reader::At { next, .. } if index < next);
                    assert!(read, "the cursor {cursor:?} passed {event:?}, which was never read");
                    assert!(!self.expected.contains(&Step::Event(index)), "the cursor {cursor:?} passed {event:?}");
                }
            }
        }
        self.status = Some(status);
    }

    fn source(&self) -> String {
        format!("filter {}", self.edits)
    }

    fn spec(&self) -> Spec {
        Spec {
            id: id(),
            name: "w".into(),
            uri: "sim://log".into(),
            server: None,
            filter: self.filtered.then(|| self.source().into()),
            origin: self.origin,
            instructions: None,
            initial: Initial::Skip,
            debounce: Duration::from_secs(3),
            max_wait: Duration::from_secs(15),
            max_notices_per_hour: 5,
            suspend: self.suspended,
            generation: 1,
            created: 0,
        }
    }
}

fn id() -> Id {
    Id::from("w")
}
