//! One process: both engines, joined as the agent joins them, and what it has under way.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant, SystemTime};

use asyncai_orchestrator::{self as turns, Orchestrator, Record};
use asyncai_watch::{self as watch, Id, Set};

use crate::world::{Answer, Happening, World};

/// As in the agent.
const LAST_READS: Duration = Duration::from_secs(5);
const LAST_TURN: Duration = Duration::from_secs(12);

/// What a process has under way for a watch.
#[derive(Debug, Default)]
pub(crate) struct Link {
    pub(crate) subscription: Option<u64>,
    pub(crate) acknowledged: bool,
    pub(crate) reading: Option<u64>,
    pub(crate) check: Option<u64>,
    pub(crate) invalid: bool,
    /// When its filter has answered all that it was given.
    pub(crate) busy_until: u64,
}

/// A process.
#[derive(Debug)]
pub(crate) struct Life {
    pub(crate) number: u32,
    pub(crate) watches: Set,
    pub(crate) turns: Orchestrator,
    pub(crate) links: HashMap<Id, Link>,
    /// Records that are not on disk.
    lines: Vec<Record>,
    pub(crate) usage: turns::Usage,
    throttled: bool,
    pub(crate) stopping: bool,
    pub(crate) stopped: bool,
    /// It dies after so many outputs.
    pub(crate) fuse: Option<u32>,
    /// Wakes in a row at one time.
    pub(crate) at_once: u32,
    /// Watches of the model whose code waits for them.
    pub(crate) starting: BTreeSet<Id>,
}

impl World {
    pub(crate) fn begin_life(&mut self) {
        self.lives += 1;
        self.tally.lives += 1;
        let (now, wall) = (self.instant(), SystemTime::UNIX_EPOCH + Duration::from_millis(self.now));
        let used = self.store.usage;
        let clean = self.lives == 1 || !self.unclean.contains(&(self.lives - 1));
        let last_run = self.store.records.iter().rev().find_map(run).unwrap_or(0);
        self.desk.begin(used, self.store.persistent, clean, last_run);
        self.model.forget();
        self.life = Some(Life {
            number: self.lives,
            watches: Set::new(now, wall, self.chance.next()),
            turns: Orchestrator::new(now, wall, turns::Config::default(), used),
            links: HashMap::new(),
            lines: Vec::new(),
            usage: used,
            throttled: false,
            stopping: false,
            stopped: false,
            fuse: None,
            at_once: 0,
            starting: BTreeSet::new(),
        });
        self.configure(true);
        if self.store.persistent {
            let records = self.store.open_session();
            self.feed_turns(turns::Input::Restore(records));
        }
        self.drain();
        let ids: Vec<Id> = self.store.objects.keys().cloned().collect();
        for id in ids {
            self.apply(&id);
        }
        self.feed_watches(watch::Input::Loaded);
        if self.life.as_ref().is_some_and(|life| !life.watches.is_restoring()) {
            self.feed_turns(turns::Input::Start);
        }
        self.drain();
    }

    /// The process is told of the settings.
    pub(crate) fn configure(&mut self, another_model: bool) {
        let config = turns::Config { persistent: self.store.persistent, ..self.settings.clone() };
        self.desk.shortened(if another_model {
            None
        } else {
            self.desk.limit().filter(|_| config.max_thread_bytes == self.bytes_before)
        });
        self.bytes_before = config.max_thread_bytes;
        self.feed_watches(watch::Input::Limit(self.most_watches));
        self.feed_turns(turns::Input::Config(config));
        if another_model {
            self.feed_turns(turns::Input::ModelChanged);
        }
        self.hold();
    }

    fn hold(&mut self) {
        let Some(life) = &self.life else { return };
        let held = life.throttled || self.settings.suspend;
        self.ledgers.values_mut().for_each(crate::ledger::Ledger::held);
        self.feed_watches(watch::Input::Hold(held));
    }

    /// The process is told of a watch, be it new or changed.
    pub(crate) fn apply(&mut self, id: &Id) {
        let Some(object) = self.store.objects.get(id) else { return };
        let (spec, resume) = (object.spec.clone(), object.resume());
        let place = self.resources.iter().position(|resource| resource.uri == spec.uri).expect("a resource");
        let resource = (place, &self.resources[place]);
        let Some(life) = &mut self.life else { return };
        if life.stopping && !life.links.contains_key(id) {
            return;
        }
        if life.links.contains_key(id) {
            let ledger = self.ledgers.get_mut(id).expect("an account");
            if ledger.spec.filter != spec.filter || ledger.spec.uri != spec.uri {
                let link = life.links.entry(id.clone()).or_default();
                (link.check, link.invalid) = (None, false);
            }
            if ledger.spec.uri != spec.uri {
                life.links.entry(id.clone()).or_default().reading = None;
            }
            ledger.respec(spec.clone(), resource);
        } else {
            life.links.insert(id.clone(), Link::default());
            let new = crate::ledger::Ledger::new(spec.clone(), resource, object.saved.as_ref());
            let ledger = match self.ledgers.remove(id) {
                Some(old) => new.goes_on(old),
                None => new,
            };
            self.ledgers.insert(id.clone(), ledger);
        }
        self.feed_watches(watch::Input::Apply { spec, resume: Some(resume) });
    }

    /// The process ends in order.
    pub(crate) fn stop(&mut self) {
        let deadline = self.instant() + LAST_TURN;
        if let Some(life) = &mut self.life {
            life.stopping = true;
            self.feed_turns(turns::Input::Stop { deadline });
            self.drain();
        }
    }

    /// The process dies.
    pub(crate) fn crash(&mut self) {
        let Some(life) = self.life.take() else { return };
        self.tally.crashes += 1;
        self.trail(|| format!("process {} dies", life.number));
        self.unclean.insert(life.number);
        for object in self.store.objects.values_mut() {
            for write in std::mem::take(&mut object.writes) {
                if self.chance.once_in(2) {
                    break;
                }
                object.saved = Some(write);
            }
        }
        if self.chance.once_in(2) {
            self.store.usage = life.usage;
        }
        // People may not have seen what the session says was done last.
        for record in self.store.done_last() {
            match record {
                Record::User { text, .. } => self.desk.cut(text),
                Record::Attachment { monitor, .. } => self.cut.extend(monitor.notice_id.clone()),
                _ => {}
            }
        }
        self.gone();
    }

    /// The process has ended; another follows.
    fn gone(&mut self) {
        for resource in &mut self.resources {
            resource.subscribers.clear();
        }
        let delay = if self.chance.once_in(5) {
            self.chance.between(60_000, 1_800_000)
        } else {
            self.chance.between(500, 20_000)
        };
        if self.on {
            self.after(delay, Happening::Start);
        }
    }

    pub(crate) fn feed_watches(&mut self, input: watch::Input) {
        let now = self.instant();
        if let Some(life) = &mut self.life {
            life.watches.handle(now, input);
        }
    }

    pub(crate) fn feed_turns(&mut self, input: turns::Input) {
        let now = self.instant();
        if let Some(life) = &mut self.life {
            life.turns.handle(now, input);
        }
    }

    /// Performs what the engines put out; what one puts out may be an input of the other.
    pub(crate) fn drain(&mut self) {
        loop {
            while self.perform_next() {}
            let Some(pending) = self.life.as_ref().map(|life| life.watches.is_busy()) else { return };
            self.feed_turns(turns::Input::Pending(pending));
            if !self.perform_next() {
                break;
            }
        }
        if let Some(life) = &self.life {
            let count = life.links.values().filter(|link| link.subscription.is_some()).count();
            let most = usize::try_from(self.most_watches).expect("a count");
            assert!(count <= most, "{count} watches run, of at most {most}");
            if life.stopped {
                self.end_in_order();
            }
        }
    }

    fn end_in_order(&mut self) {
        let Some(life) = self.life.take() else { return };
        self.trail(|| format!("process {} has ended", life.number));
        let lost = self.on && self.chance.once_in(8);
        for object in self.store.objects.values_mut() {
            let last = std::mem::take(&mut object.writes).pop_back();
            object.saved = last.filter(|_| !lost).or(object.saved.take());
        }
        self.store.usage = life.usage;
        if lost {
            self.unclean.insert(life.number);
        }
        self.gone();
    }

    fn perform_next(&mut self) -> bool {
        let Some(life) = &mut self.life else { return false };
        if let Some(left) = &mut life.fuse {
            if *left == 0 {
                self.crash();
                return false;
            }
            *left -= 1;
        }
        self.outputs += 1;
        if let Some(output) = life.watches.poll() {
            self.perform_watch(output);
        } else if let Some(output) = life.turns.poll() {
            self.perform_turn(output);
        } else {
            return false;
        }
        true
    }

    fn perform_turn(&mut self, output: turns::Output) {
        let persistent = self.store.persistent;
        let Some(life) = &mut self.life else { return };
        match output {
            turns::Output::Call { run, messages } => {
                self.trail(|| format!("< call of run {run}, {} messages", messages.len()));
                let config = self.settings.clone();
                self.desk.calls(run, &messages, &config, "");
                let (delay, result) = self.model.call(&mut self.chance, run, &messages);
                self.tally.calls += 1;
                self.later(delay, Answer::Reply { run, result });
            }
            turns::Output::RunCode { run, call, source } => self.run_code(run, call, &source),
            turns::Output::Cancel { run } => {
                self.trail(|| format!("< cancel run {run}"));
            }
            turns::Output::Publish { run, channel, text } => {
                self.desk.publishes(run, channel.as_deref(), &text, persistent);
            }
            turns::Output::Record(record) => life.lines.push(record),
            turns::Output::Commit => {
                self.store.records.append(&mut life.lines);
                self.desk.committed();
            }
            turns::Output::Delta { .. } => {}
            turns::Output::Seen(numbers) => self.seen(numbers),
            turns::Output::Usage(usage) => {
                assert_eq!(usage.tokens, self.desk.today(self.now), "the tokens of the day");
                life.usage = usage;
                if self.chance.once_in(3) {
                    self.store.usage = usage;
                }
            }
            turns::Output::Throttled(throttle) => {
                life.throttled = throttle.is_some();
                self.desk.throttled(throttle.map(|throttle| throttle.limit));
                self.tally.throttled += u64::from(throttle.is_some());
                self.hold();
            }
            turns::Output::Log(event) => self.log_turn(event),
            turns::Output::Finished => {
                let deadline = self.instant() + LAST_READS;
                self.feed_watches(watch::Input::Stop { deadline });
            }
        }
    }

    fn run_code(&mut self, run: u64, call: String, source: &str) {
        self.desk.runs_code(run, &call);
        let (delay, text) = crate::model::Model::run_code(&mut self.chance);
        self.trail(|| format!("< code of run {run}, call {call}"));
        if source.contains("watch_start") {
            self.model_starts();
        }
        self.later(delay, Answer::CodeRan { run, call, text });
    }

    fn seen(&mut self, numbers: Vec<u64>) {
        let life = self.lives;
        for &number in &numbers {
            let of = self.desk.seen(number);
            let unclean = &self.unclean;
            if let Some(ledger) = of.and_then(|id| self.ledgers.get_mut(&id)) {
                ledger.seen(life, number, |from| unclean.range(from..life).next().is_some());
            }
        }
        self.desk.all_seen();
        self.trail(|| format!("< seen {numbers:?}"));
        self.feed_watches(watch::Input::Seen(numbers));
    }

    fn log_turn(&mut self, event: turns::Event) {
        use turns::Event;
        let config = &self.settings;
        match event {
            Event::RunCreated { run, notices, .. } => {
                let trail = format!("< run {run} begins, with {notices:?}");
                self.desk.begins(self.now, run, notices, config);
                self.trail(|| trail);
            }
            Event::RunCompleted { run, .. } => {
                self.tally.turns += 1;
                self.desk.completes(run);
                // What it has done may not be saved yet.
                if self.on && self.chance.once_in(20) {
                    let delay = self.chance.between(0, 8_000);
                    self.later(delay, Answer::Dies);
                }
            }
            Event::RunFailed { run, .. } | Event::RunCancelled { run } => self.desk.ends(run),
            Event::RunAbandoned { run, .. } => {
                self.tally.abandoned += 1;
                self.desk.ends(run);
            }
            Event::ThreadShortened { run, max_bytes } => {
                self.tally.shortened += 1;
                self.desk.ends(run);
                self.desk.shortened(Some(max_bytes));
            }
            Event::RoundCompleted { prompt_tokens, completion_tokens, .. } => {
                self.desk.spends(self.now, prompt_tokens + completion_tokens);
            }
            Event::NoticeRepeated { number: Some(number), id, .. } => {
                self.tally.repeated += 1;
                let of = self.desk.repeated(number);
                if let Some(ledger) = of.and_then(|id| self.ledgers.get_mut(&id))
                    && !self.cut.contains(&id)
                {
                    ledger.repeated(number);
                }
            }
            _ => {}
        }
    }
}

/// The run that a record is of, if it is of one.
fn run(record: &Record) -> Option<u64> {
    if let Record::TurnBegin { run, .. } = record { Some(*run) } else { None }
}

/// The turn engine's word for a notice of a watch, as the agent makes it.
pub(crate) fn told(notice: &watch::Notice) -> turns::Notice {
    let text = notice.text();
    turns::Notice {
        number: Some(notice.number),
        id: Some(notice.id.clone()),
        task: format!("watch-{}", notice.watch),
        description: format!("watch {} {}", notice.watch, notice.uri),
        note: text.lines().last().unwrap_or_default().to_owned(),
        source: notice.watch.clone(),
        text,
        lines: notice.lines.clone(),
        more: notice.more,
    }
}

/// The same for what became of the watches of before.
pub(crate) fn restored(notice: watch::RestoreNotice) -> turns::Notice {
    let plain = turns::Notice::new(watch::RestoreNotice::SOURCE, notice.text());
    turns::Notice { number: Some(notice.number), lines: notice.lines, more: notice.more, ..plain }
}

/// Milliseconds from the start of the day.
pub(crate) fn millis(from: Instant, to: Instant) -> u64 {
    // Rounded up, so that what is due then is due.
    u64::try_from(to.saturating_duration_since(from).as_nanos().div_ceil(1_000_000)).expect("a time")
}
