//! The world of one day: its clock, what is about to happen, and the order in which it does.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::time::{Duration, Instant};

use asyncai_orchestrator as turns;
use asyncai_watch::{self as watch, Contents, Cursor, FailureKind, Id};

use crate::chance::Chance;
use crate::desk::Desk;
use crate::ledger::{Ledger, Verdict};
use crate::life::{Life, millis};
use crate::model::{Model, Mood};
use crate::resource::{Resource, View};
use crate::store::Store;

/// A day, in milliseconds.
pub(crate) const DAY: u64 = 24 * 3_600_000;
/// What is known by then is settled.
const EVENING: u64 = 6 * 3_600_000;
/// Steps that are shown when something is wrong.
const TRAIL: usize = 60;

/// Something that is about to happen.
#[derive(Debug)]
pub(crate) enum Happening {
    /// A resource changes.
    Change(usize),
    /// A server falls ill, or is well again.
    Trouble(usize),
    Heal(usize),
    /// The model's mood changes.
    Mood,
    /// Somebody says something.
    Person,
    /// Somebody changes the Agent, or a Watch.
    Setting,
    Edit,
    /// The process is to end, or dies.
    End,
    /// A process starts.
    Start,
    /// A status that this process wrote is saved.
    Save(u32, Id),
    /// Something comes to a process.
    Comes(u32, Answer),
}

/// What comes to a process.
#[derive(Debug)]
pub(crate) enum Answer {
    SubscribeAt { id: Id, ticket: u64 },
    SubscribeFailed { id: Id, ticket: u64, kind: FailureKind },
    Acknowledged { id: Id, ticket: u64 },
    Updated { id: Id, ticket: u64 },
    Ended { id: Id, ticket: u64 },
    ReadAt { id: Id, ticket: u64, since: Option<Cursor> },
    Read { id: Id, ticket: u64, found: Result<(Option<View>, Contents), watch::Failure> },
    Checked { id: Id, ticket: u64, valid: bool },
    Filtered { id: Id, ticket: u64, verdict: Verdict },
    Reply { run: u64, result: Result<turns::Reply, turns::Failure> },
    CodeRan { run: u64, call: String, text: String },
    Apply(Id),
    Gone(Id),
    Recheck,
    Dies,
}

/// What happened, counted over all days, so that no day is empty.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) events: u64,
    pub(crate) gaps: u64,
    pub(crate) notices: u64,
    pub(crate) calls: u64,
    pub(crate) turns: u64,
    pub(crate) abandoned: u64,
    pub(crate) shortened: u64,
    pub(crate) throttled: u64,
    pub(crate) repeated: u64,
    pub(crate) lives: u64,
    pub(crate) crashes: u64,
}

impl Tally {
    /// What happened in all of these days.
    pub(crate) fn sum(days: &[Self]) -> Self {
        let sum = |of: fn(&Self) -> u64| days.iter().map(of).sum();
        Self {
            events: sum(|day| day.events),
            gaps: sum(|day| day.gaps),
            notices: sum(|day| day.notices),
            calls: sum(|day| day.calls),
            turns: sum(|day| day.turns),
            abandoned: sum(|day| day.abandoned),
            shortened: sum(|day| day.shortened),
            throttled: sum(|day| day.throttled),
            repeated: sum(|day| day.repeated),
            lives: sum(|day| day.lives),
            crashes: sum(|day| day.crashes),
        }
    }

    /// Everything happened at least once.
    pub(crate) fn check(&self) {
        let Self { events, gaps, notices, calls, turns, abandoned, shortened, throttled, repeated, lives, crashes } =
            *self;
        let all = [events, gaps, notices, calls, turns, abandoned, shortened, throttled, repeated, lives, crashes];
        assert!(all.iter().all(|count| *count > 0), "something never happened: {self:?}");
    }
}

/// Everything there is.
pub(crate) struct World {
    seed: u64,
    pub(crate) chance: Chance,
    pub(crate) now: u64,
    zero: Instant,
    queue: BTreeMap<(u64, u64), Happening>,
    queued: u64,
    pub(crate) resources: Vec<Resource>,
    pub(crate) store: Store,
    pub(crate) ledgers: BTreeMap<Id, Ledger>,
    pub(crate) life: Option<Life>,
    pub(crate) lives: u32,
    /// Processes that ended without saving all.
    pub(crate) unclean: BTreeSet<u32>,
    /// Notices that the session says were dealt with when the process died, maybe before anybody saw it.
    pub(crate) cut: HashSet<String>,
    pub(crate) desk: Desk,
    pub(crate) model: Model,
    pub(crate) settings: turns::Config,
    pub(crate) bytes_before: usize,
    pub(crate) most_watches: u32,
    /// The day is not over.
    pub(crate) on: bool,
    /// Watches, and filters, that were ever made.
    pub(crate) made: u64,
    pub(crate) outputs: u64,
    pub(crate) tally: Tally,
    trail: VecDeque<String>,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let settings = turns::Config { system_prompt: "You watch.".to_owned(), ..turns::Config::default() };
        let mut world = Self {
            seed,
            chance: Chance::new(seed),
            now: 0,
            zero: Instant::now(),
            queue: BTreeMap::new(),
            queued: 0,
            resources: Vec::new(),
            store: Store::default(),
            ledgers: BTreeMap::new(),
            life: None,
            lives: 0,
            unclean: BTreeSet::new(),
            cut: HashSet::new(),
            desk: Desk::default(),
            model: Model::new(),
            bytes_before: settings.max_thread_bytes,
            settings,
            most_watches: 5,
            on: true,
            made: 0,
            outputs: 0,
            tally: Tally::default(),
            trail: VecDeque::new(),
        };
        world.dawn();
        world
    }

    pub(crate) fn instant(&self) -> Instant {
        self.zero + Duration::from_millis(self.now)
    }

    pub(crate) fn after(&mut self, delay: u64, what: Happening) {
        self.queued += 1;
        self.queue.insert((self.now + delay, self.queued), what);
    }

    /// Something comes to the process of now, if it lives then.
    pub(crate) fn later(&mut self, delay: u64, answer: Answer) {
        self.after(delay, Happening::Comes(self.lives, answer));
    }

    pub(crate) fn trail(&mut self, what: impl FnOnce() -> String) {
        if self.trail.len() == TRAIL {
            self.trail.pop_front();
        }
        let line = format!("{:>9.3} {}", Duration::from_millis(self.now).as_secs_f64(), what());
        self.trail.push_back(line);
    }

    /// The whole day, and the evening in which all is well and settled.
    pub(crate) fn run(mut self) -> Tally {
        while self.now < DAY {
            self.step(DAY);
        }
        self.dusk();
        while self.now < DAY + EVENING && !self.is_quiet() {
            self.step(DAY + EVENING);
        }
        self.check_settled();
        self.stop();
        while self.life.is_some() {
            assert!(self.now < DAY + EVENING + 60_000, "the process does not end");
            self.step(DAY + EVENING + 60_001);
        }
        self.tally
    }

    fn is_quiet(&self) -> bool {
        let sleeps = |life: &Life| life.watches.next_wake().is_none() && life.turns.next_wake().is_none();
        self.queue.is_empty() && self.life.as_ref().is_some_and(sleeps)
    }

    /// The next thing that happens, but not beyond `end`.
    fn step(&mut self, end: u64) {
        let happening = self.queue.first_key_value().map_or(u64::MAX, |((at, _), _)| *at);
        let wakes = self.life.as_ref().map(|life| [life.watches.next_wake(), life.turns.next_wake()]);
        let wake =
            wakes.and_then(|wakes| wakes.into_iter().flatten().min()).map_or(u64::MAX, |at| millis(self.zero, at));
        if happening.min(wake) >= end {
            self.now = end;
        } else if wake < happening {
            self.wake(wake);
        } else if let Some(((at, _), what)) = self.queue.pop_first() {
            if at > self.now {
                (self.now, self.outputs) = (at, 0);
            }
            self.happen(what);
            assert!(self.outputs < 200_000, "{} outputs at once", self.outputs);
        }
    }

    fn wake(&mut self, at: u64) {
        let is_later = at > self.now;
        if is_later {
            (self.now, self.outputs) = (at, 0);
        }
        if let Some(life) = &mut self.life {
            life.at_once = if is_later { 0 } else { life.at_once + 1 };
        }
        self.feed_watches(watch::Input::Wake);
        self.feed_turns(turns::Input::Wake);
        let before = self.outputs;
        self.drain();
        // Whoever is woken has something to do, mostly.
        let idle = self.outputs - before <= 2;
        if let Some(life) = &mut self.life {
            life.at_once = if idle { life.at_once } else { 0 };
            let late = |wake: Option<Instant>| wake.map(|wake| millis(self.zero, wake));
            let wakes = (late(life.watches.next_wake()), late(life.turns.next_wake()));
            assert!(life.at_once < 100, "it is woken again and again for nothing: {wakes:?}");
        }
    }

    fn happen(&mut self, what: Happening) {
        match what {
            Happening::Change(place) => self.change(place),
            Happening::Trouble(place) => self.trouble(place),
            Happening::Heal(place) => self.heal(place),
            Happening::Mood => self.mood(),
            Happening::Person => self.person(),
            Happening::Setting => self.setting(),
            Happening::Edit => self.edit(),
            Happening::End => self.end(),
            Happening::Start => {
                self.trail(|| "> a process starts".to_owned());
                if self.life.is_none() {
                    let objects = &self.store.objects;
                    self.ledgers.retain(|id, _| objects.contains_key(id));
                    self.begin_life();
                }
            }
            Happening::Save(life, id) => {
                let is_of_now = self.life.as_ref().is_some_and(|now| now.number == life);
                if let Some(object) = self.store.objects.get_mut(&id).filter(|_| is_of_now)
                    && let Some(saved) = object.writes.pop_front()
                {
                    object.saved = Some(saved);
                }
            }
            Happening::Comes(life, answer) => {
                if self.life.as_ref().is_some_and(|now| now.number == life) {
                    self.come(answer);
                }
            }
        }
    }

    fn come(&mut self, answer: Answer) {
        match answer {
            Answer::SubscribeAt { id, ticket } => return self.subscribe_at(id, ticket),
            Answer::ReadAt { id, ticket, since } => return self.read_at(id, ticket, since.as_ref()),
            Answer::Reply { run, result } => {
                self.trail(|| format!("> reply to run {run}: {}", result.as_ref().map_or("failure", |_| "ok")));
                self.desk.replied(run);
                self.feed_turns(turns::Input::Reply { run, result });
                self.check_goes_on();
            }
            Answer::CodeRan { run, call, text } => {
                self.trail(|| format!("> code of run {run} ran"));
                self.desk.code_ran(run, &call);
                self.feed_turns(turns::Input::CodeRan { run, call, text });
                self.check_goes_on();
            }
            Answer::Apply(id) => {
                self.trail(|| format!("> apply {id}"));
                self.drain();
                self.apply(&id);
            }
            Answer::Gone(id) => {
                self.trail(|| format!("> {id} is gone"));
                self.drain();
                if let Some(life) = &mut self.life {
                    life.links.remove(&id);
                    self.feed_watches(watch::Input::Remove(id.clone()));
                    self.drain();
                    self.ledgers.remove(&id);
                }
            }
            Answer::Recheck => self.feed_watches(watch::Input::Recheck),
            Answer::Dies if self.on => return self.crash(),
            Answer::Dies => {}
            Answer::Updated { id, ticket } => {
                self.trail(|| format!("> updated {id}"));
                self.answer_watch(Answer::Updated { id: id.clone(), ticket });
                self.drain();
                self.check_read(&id, ticket);
            }
            answer => {
                self.trail(|| format!("> {}", short(&answer)));
                self.answer_watch(answer);
            }
        }
        // A burst is taken in as a whole before anything is put out.
        let more = self
            .queue
            .first_key_value()
            .is_some_and(|((at, _), what)| *at == self.now && matches!(what, Happening::Comes(..)));
        if !more {
            self.drain();
        }
    }

    /// A run goes on at once, unless the tokens of the day are spent.
    fn check_goes_on(&mut self) {
        self.drain();
        let is_over = self.desk.today(self.now) >= self.settings.max_tokens_per_day;
        if self.life.is_some() {
            self.desk.goes_on(is_over);
        }
    }

    /// Whatever else goes on, a watch that is told of a change reads at once.
    fn check_read(&self, id: &Id, ticket: u64) {
        let Some(life) = self.life.as_ref().filter(|life| !life.stopping) else { return };
        let Some(link) = life.links.get(id).filter(|link| link.subscription == Some(ticket)) else { return };
        assert!(!link.acknowledged || link.reading.is_some() || self.ledgers[id].is_full(), "{id} does not read");
    }

    fn dusk(&mut self) {
        self.on = false;
        self.queue.retain(|_, what| matches!(what, Happening::Comes(..) | Happening::Save(..)));
        self.drain();
        self.trail(|| "the day is over".to_owned());
        for place in 0..self.resources.len() {
            self.heal(place);
        }
        self.model.mood = Mood::Well;
        self.model.context = 400_000;
        self.settings.suspend = false;
        self.settings.relay = false;
        self.settings.max_turns_per_hour = 1_000;
        self.settings.max_tokens_per_day = u64::MAX;
        for object in self.store.objects.values_mut() {
            object.spec.suspend = false;
            object.spec.filter = object.spec.filter.take().map(|_| "filter 0".into());
        }
        self.most_watches = 100;
        let is_ending = self.life.as_ref().is_some_and(|life| life.stopping);
        if is_ending {
            self.crash();
        }
        if let Some(life) = &mut self.life {
            life.fuse = None;
            self.configure(true);
            let ids: Vec<Id> = self.store.objects.keys().cloned().collect();
            for id in ids {
                self.drain();
                self.apply(&id);
            }
            self.drain();
        } else {
            self.after(1_000, Happening::Start);
        }
    }

    fn check_settled(&mut self) {
        self.trail(|| "all must be settled".to_owned());
        self.desk.check_settled();
        let Some(life) = &self.life else { panic!("no process lives") };
        assert!(!life.watches.is_busy(), "the watches are busy");
        for (id, object) in &self.store.objects {
            let ledger = &self.ledgers[id];
            ledger.check_settled(id, &self.resources[ledger.resource]);
            let status = &object.saved.as_ref().expect("a status").status;
            assert_eq!(status.phase, watch::Phase::Subscribed, "{id} is live");
        }
    }
}

fn short(answer: &Answer) -> String {
    match answer {
        Answer::Read { id, found, .. } => format!("read {id}: {}", if found.is_ok() { "ok" } else { "failed" }),
        answer => format!("{answer:?}"),
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let trail: Vec<String> = self.trail.iter().cloned().collect();
            eprintln!("seed {} at {} ms, after:\n{}", self.seed, self.now, trail.join("\n"));
        }
    }
}
