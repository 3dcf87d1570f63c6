//! The engine: one thread, at most one run, and everything that decides when the next one begins.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Instant, SystemTime};

use crate::budget::{Budget, Limit, Throttle, Usage};
use crate::config::Config;
use crate::event::Event;
use crate::io::{Input, Output};
use crate::notice::{Key, Notice};
use crate::retry::Retry;
use crate::route::Route;
use crate::rules::{self, Step};
use crate::run::Run;
use crate::thread::Thread;
use crate::turn::Entry;

mod outcome;
mod round;
mod session;

/// Precedes a notice whose turn a restart interrupted.
const REPEATED: &str = "[told again: a restart interrupted its turn, above]\n";
const NOT_ANSWERED: &str = "I have to stop before I could answer; please ask again later.";
const ANSWERED_LATER: &str = "I have to stop before I could answer; I answer when I am back.";

/// The turn engine of one agent.
#[derive(Debug)]
pub struct Orchestrator {
    config: Config,
    thread: Thread,
    run: Option<Run>,
    /// Something waits to be answered: by a run that begins now, or by one more after the active one.
    queued_run: bool,
    last_run: u64,
    route: Route,
    budget: Budget,
    retry: Retry,
    throttled: Option<Throttled>,
    /// The notices that were dealt with before a restart.
    told: BTreeSet<Key>,
    /// Those whose turn a restart interrupted.
    interrupted: BTreeSet<Key>,
    /// There are records that are not durable yet.
    uncommitted: bool,
    started: bool,
    pending: bool,
    eof: bool,
    /// The deadline of the active run, once the agent is to stop.
    stop: Option<Instant>,
    finished: bool,
    wake: Option<Instant>,
    outputs: VecDeque<Output>,
}

/// A time in which work waits for a limit.
#[derive(Debug)]
struct Throttled {
    throttle: Throttle,
    /// The channels that know.
    told: BTreeSet<String>,
}

impl Orchestrator {
    /// A new thread. `wall` is `now` by the calendar, `used` what was spent before, if it was today.
    pub fn new(now: Instant, wall: SystemTime, config: Config, used: Usage) -> Self {
        Self {
            thread: Thread::new(config.max_thread_bytes),
            config,
            run: None,
            queued_run: false,
            last_run: 0,
            route: Route::default(),
            budget: Budget::new(now, wall, used),
            retry: Retry::default(),
            throttled: None,
            told: BTreeSet::new(),
            interrupted: BTreeSet::new(),
            uncommitted: false,
            started: false,
            pending: false,
            eof: false,
            stop: None,
            finished: false,
            wake: None,
            outputs: VecDeque::new(),
        }
    }

    /// Takes in what happened at `now`. Drain [`Orchestrator::poll`] afterwards.
    pub fn handle(&mut self, now: Instant, input: Input) {
        if self.finished {
            return;
        }
        if let Some(what) = agent_event(&input) {
            self.log(Event::AgentEventStream { what });
        }
        match input {
            Input::Wake => {}
            Input::Config(config) => self.configure(config),
            Input::ModelChanged => self.forget_model(),
            Input::Restore(records) => self.restore(records),
            Input::Start => self.start(),
            Input::User { channel, text } => self.receive_input(channel, text),
            Input::Notice(notice) => self.receive_notice(notice),
            Input::Delta { run, text } => self.delta(run, text),
            Input::Reply { run, result } => self.settle(now, run, result),
            Input::CodeRan { run, call, text } => self.code_ran(now, run, &call, text),
            Input::Pending(pending) => self.pending = pending,
            Input::Eof => self.eof = true,
            Input::Stop { deadline } => self.stop = Some(self.stop.map_or(deadline, |old| old.min(deadline))),
        }
        self.advance(now);
        self.record_waiting();
    }

    /// The next thing to do, in order.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When to come back with [`Input::Wake`], if nothing happens before.
    pub fn next_wake(&self) -> Option<Instant> {
        self.wake
    }

    fn configure(&mut self, config: Config) {
        if config.max_thread_bytes != self.config.max_thread_bytes {
            self.thread.set_limit(config.max_thread_bytes);
        }
        self.config = config;
    }

    fn forget_model(&mut self) {
        self.thread.set_limit(self.config.max_thread_bytes);
        self.retry.reset();
    }

    fn start(&mut self) {
        let first = !std::mem::replace(&mut self.started, true);
        let Some(text) = self.config.on_start.clone().filter(|_| first && !self.config.relay) else { return };
        // That of an interrupted turn is in the thread already.
        let start = Entry::start(text);
        if !self.thread.unanswered().any(|entry| entry.origin == start.origin && entry.text == start.text) {
            self.thread.add_first(start);
        }
        self.queued_run = true;
    }

    fn receive_input(&mut self, channel: String, text: String) {
        self.log(Event::InputStream { channel: channel.clone() });
        self.route.addressed(&channel);
        self.receive(Entry::user(channel, text));
    }

    fn receive_notice(&mut self, mut notice: Notice) {
        self.log(Event::NoticeStream { source: notice.source.clone(), number: notice.number });
        let key = notice.key();
        if let Some((_, id)) = key.clone().filter(|key| self.told.contains(key)) {
            self.log(Event::NoticeRepeated { source: notice.source, number: notice.number, id });
            self.seen(notice.number.into_iter().collect());
            return;
        }
        if key.is_some_and(|key| self.interrupted.contains(&key)) {
            notice.text.insert_str(0, REPEATED);
        }
        let mut entry = Entry::notice(notice);
        self.record_notice(&mut entry);
        self.receive(entry);
    }

    fn receive(&mut self, entry: Entry) {
        for step in rules::arrival(entry) {
            self.log(Event::WaitingRuleStream { rule: step.name() });
            match step {
                Step::AddMessage(entry) => self.thread.add(*entry),
                Step::RunThread => self.request_run(),
            }
        }
    }

    fn request_run(&mut self) {
        let queued = std::mem::replace(&mut self.queued_run, true);
        if let Some(run) = self.run.as_ref().filter(|_| !queued) {
            self.log(Event::RunQueued { run: run.id });
        }
    }

    fn delta(&mut self, id: u64, text: String) {
        let Some(run) = self.run.as_mut().filter(|run| run.id == id && run.is_asking()) else { return };
        let shown = run.shown.push(&text);
        let channel = run.channel.clone().filter(|_| !shown.is_empty());
        self.log(Event::RunDelta { run: id, text });
        if let Some(channel) = channel {
            self.outputs.push_back(Output::Delta { run: id, channel, text: shown });
        }
    }

    /// Begins whatever may begin now, and notes when to look again.
    fn advance(&mut self, now: Instant) {
        self.wake = None;
        if let Some(deadline) = self.stop {
            self.stopping(now, deadline);
            return;
        }
        if self.run.is_some() {
            return;
        }
        if self.config.relay && !self.config.suspend {
            self.relay(now);
        }
        if self.queued_run && self.started && !self.config.suspend && !self.config.relay {
            self.try_run(now);
        }
        if self.eof && self.started && !self.pending && self.idle() {
            self.finish();
        }
    }

    /// No run is active, and none will begin by itself.
    fn idle(&self) -> bool {
        let stuck = self.throttled.as_ref().is_some_and(|throttled| throttled.throttle.until.is_none());
        self.run.is_none() && (!self.queued_run || self.config.suspend || stuck)
    }

    fn try_run(&mut self, now: Instant) {
        if let Some(until) = self.retry.waiting(now) {
            self.wake = Some(until);
        } else if let Some((throttle, until)) = self.budget.blocked(now, &self.config) {
            self.wake = until;
            self.throttle(now, throttle, until);
        } else {
            self.unthrottle();
            self.begin_run(now);
        }
    }

    fn begin_run(&mut self, now: Instant) {
        let claim = self.thread.claim();
        self.queued_run = !self.thread.waiting().is_empty();
        self.last_run += 1;
        let id = self.last_run;
        let channel = self.route.reply(claim.turn.asked(), self.config.default_channel.as_deref());
        let notices = claim.turn.numbers();
        let inputs = claim.turn.asked().filter(|entry| entry.as_notice().is_none()).count();
        self.record_begin(id, channel.clone(), &claim);
        self.log(Event::RunCreated { run: id, channel: channel.clone(), inputs, notices });
        self.ask(Run::new(id, now, claim.turn, channel));
    }

    fn throttle(&mut self, now: Instant, throttle: Throttle, until: Option<Instant>) {
        let mut told = BTreeSet::new();
        match self.throttled.take() {
            Some(before) if before.throttle == throttle => told = before.told,
            _ => {
                let (limit, most) = limit_fields(throttle.limit);
                self.log(Event::Throttled { limit, most });
                self.outputs.push_back(Output::Throttled(Some(throttle)));
            }
        }
        for channel in self.thread.channels() {
            if told.insert(channel.clone()) {
                let text = throttled_text(throttle.limit, until.map(|until| until.saturating_duration_since(now)));
                self.publish(None, Some(channel), text);
            }
        }
        self.throttled = Some(Throttled { throttle, told });
    }

    fn unthrottle(&mut self) {
        if self.throttled.take().is_some() {
            self.log(Event::Unthrottled {});
            self.outputs.push_back(Output::Throttled(None));
        }
    }

    fn stopping(&mut self, now: Instant, deadline: Instant) {
        if let Some(mut run) = self.run.take_if(|_| now >= deadline) {
            self.outputs.push_back(Output::Cancel { run: run.id });
            self.log(Event::RunCancelled { run: run.id });
            self.record_interrupted(&mut run);
            self.thread.put_back(run.turn);
        }
        if self.run.is_some() {
            self.wake = Some(deadline);
        } else {
            self.finish();
        }
    }

    /// Ends. Notices that still wait stay unseen, so that they are told after the next start; people who still wait
    /// have to ask again, unless that is on record.
    fn finish(&mut self) {
        self.record_waiting();
        self.commit();
        let text = if self.config.persistent { ANSWERED_LATER } else { NOT_ANSWERED };
        for channel in self.thread.channels() {
            self.publish(None, Some(channel), text.to_owned());
        }
        self.outputs.push_back(Output::Finished);
        self.finished = true;
    }

    fn publish(&mut self, run: Option<u64>, channel: Option<String>, text: String) {
        self.log(Event::ReplyPublished { run, channel: channel.clone(), text: text.clone() });
        self.outputs.push_back(Output::Publish { run, channel, text });
    }

    fn seen(&mut self, notices: Vec<u64>) {
        if !notices.is_empty() {
            self.outputs.push_back(Output::Seen(notices));
        }
    }

    fn log(&mut self, event: Event) {
        self.outputs.push_back(Output::Log(event));
    }
}

/// What an input tells about the agent itself, if it does.
fn agent_event(input: &Input) -> Option<&'static str> {
    Some(match input {
        Input::Config(_) => "config",
        Input::ModelChanged => "model-changed",
        Input::Restore(_) => "restore",
        Input::Start => "start",
        Input::Eof => "eof",
        Input::Stop { .. } => "stop",
        Input::Wake
        | Input::User { .. }
        | Input::Notice(_)
        | Input::Delta { .. }
        | Input::Reply { .. }
        | Input::CodeRan { .. }
        | Input::Pending(_) => return None,
    })
}

fn limit_fields(limit: Limit) -> (&'static str, u64) {
    match limit {
        Limit::TurnsPerHour(most) => ("maxTurnsPerHour", u64::from(most)),
        Limit::TokensPerDay(most) => ("maxTokensPerDay", most),
    }
}

fn throttled_text(limit: Limit, wait: Option<std::time::Duration>) -> String {
    let reached = match limit {
        Limit::TurnsPerHour(most) => format!("my limit of {most} turns an hour is reached"),
        Limit::TokensPerDay(most) => format!("my limit of {most} tokens a day is reached"),
    };
    match wait {
        Some(wait) => format!("{reached}; I answer in {} min.", wait.as_secs().div_ceil(60)),
        None => format!("{reached}; I cannot answer before it is raised."),
    }
}

#[cfg(test)]
mod tests;
