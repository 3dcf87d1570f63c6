//! The engine beside a naive model of it, under random sequences of events.
//!
//! The model is a set of notices that wait, a set in the active run, and the ones that were told. It knows nothing of
//! threads, budgets, delays or records: what it says must hold whatever those decide, over crashes too. A crash leaves
//! the records that are durable and some of those that are not; what is unseen then is told again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime};

use proptest::prelude::*;
use proptest::test_runner::Config as Settings;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};

use super::super::Orchestrator;
use crate::budget::{Tokens, Usage};
use crate::config::Config;
use crate::event::Event;
use crate::io::{Failure, FailureKind, Finish, Input, Output, Reply};
use crate::message::{Message, ToolCall};
use crate::notice::Notice;
use crate::record::Record;
use crate::tool::RUN_CODE;
use crate::turn::REPEATED;

#[derive(Debug, Clone, Copy)]
enum Step {
    Start,
    Notice { long: bool },
    User,
    Answer { text: &'static str },
    Calls { number: u64, cut: bool },
    Ran { long: bool },
    Crash { keeps: usize, tells_all: bool },
    Fail { kind: FailureKind, retry_after: Option<u64> },
    Stale,
    Pass { seconds: u64 },
    Suspend(bool),
    Relay(bool),
    ModelChanged,
}

/// What is true of the notices, by number.
#[derive(Debug, Clone, Default)]
struct Reference {
    given: u64,
}

impl ReferenceStateMachine for Reference {
    type State = Self;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Self> {
        Just(Self::default()).boxed()
    }

    fn transitions(_: &Self) -> BoxedStrategy<Step> {
        let kind = prop_oneof![
            3 => Just(FailureKind::Transient),
            2 => Just(FailureKind::Refused),
            2 => Just(FailureKind::ContextTooLong),
        ];
        prop_oneof![
            2 => Just(Step::Start),
            8 => any::<bool>().prop_map(|long| Step::Notice { long }),
            3 => Just(Step::User),
            8 => prop_oneof![Just("said"), Just("NO_REPLY"), Just("")].prop_map(|text| Step::Answer { text }),
            5 => (1_u64..4, prop::bool::weighted(0.1)).prop_map(|(number, cut)| Step::Calls { number, cut }),
            8 => any::<bool>().prop_map(|long| Step::Ran { long }),
            2 => (0_usize..6, any::<bool>()).prop_map(|(keeps, tells_all)| Step::Crash { keeps, tells_all }),
            6 => (kind, prop::option::of(0_u64..5000))
                .prop_map(|(kind, retry_after)| Step::Fail { kind, retry_after }),
            1 => Just(Step::Stale),
            4 => (0_u64..4000).prop_map(|seconds| Step::Pass { seconds }),
            1 => any::<bool>().prop_map(Step::Suspend),
            1 => any::<bool>().prop_map(Step::Relay),
            1 => Just(Step::ModelChanged),
        ]
        .boxed()
    }

    fn apply(mut state: Self, step: &Step) -> Self {
        state.given += u64::from(matches!(step, Step::Notice { .. }));
        state
    }
}

/// The engine, driven as the agent would drive it, and what was seen of it.
struct Driven {
    engine: Orchestrator,
    config: Config,
    now: Instant,
    active: Option<u64>,
    /// The code that is running.
    code: Option<String>,
    /// All code that ever ran.
    ran: BTreeSet<String>,
    last: u64,
    /// Notices given, and inputs.
    given: u64,
    asked: u64,
    /// Inputs that were answered, or whose sender was told that they will not be.
    heard: BTreeSet<u64>,
    /// Inputs of the latest call.
    reading: BTreeSet<u64>,
    /// The notices by their numbers in this process.
    numbers: BTreeMap<u64, u64>,
    seen: BTreeSet<u64>,
    /// Notices that may be too long to go with others.
    long: BTreeSet<u64>,
    /// Notices of the latest call.
    called: BTreeSet<u64>,
    /// Notices that came in while the active run was on its way.
    queued: BTreeSet<u64>,
    durable: Vec<Record>,
    buffered: Vec<Record>,
    crashed: bool,
}

impl Driven {
    fn new() -> Self {
        #[expect(clippy::disallowed_methods, reason = "an Instant cannot be made otherwise")]
        let now = Instant::now();
        // Small enough that all limits are met in a short sequence.
        let config = Config {
            max_turns_per_hour: 4,
            max_tokens_per_day: 60,
            max_thread_bytes: 8000,
            max_rounds: 3,
            persistent: true,
            ..Config::default()
        };
        Self {
            engine: Orchestrator::new(now, SystemTime::UNIX_EPOCH, config.clone(), Usage::default()),
            config,
            now,
            active: None,
            code: None,
            ran: BTreeSet::new(),
            last: 0,
            given: 0,
            asked: 0,
            heard: BTreeSet::new(),
            reading: BTreeSet::new(),
            numbers: BTreeMap::new(),
            seen: BTreeSet::new(),
            long: BTreeSet::new(),
            called: BTreeSet::new(),
            queued: BTreeSet::new(),
            durable: Vec::new(),
            buffered: Vec::new(),
            crashed: false,
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Start => self.feed(Input::Start),
            Step::Notice { long } => self.notice(long),
            Step::User => {
                self.asked += 1;
                self.feed(Input::User { channel: "#ops".into(), text: format!("hello {}", self.asked) });
            }
            Step::Answer { text } => self.settle(Ok(reply(text, Vec::new(), Finish::Stop))),
            Step::Calls { number, cut } => self.calls(number, cut),
            Step::Ran { long } => self.ran(long),
            Step::Crash { keeps, tells_all } => self.crash(keeps, tells_all),
            Step::Fail { kind, retry_after } => self.settle(Err(Failure {
                kind,
                message: "no".into(),
                retry_after: retry_after.map(Duration::from_secs),
            })),
            Step::Stale => {
                let result = Ok(reply("stale", Vec::new(), Finish::Stop));
                self.feed(Input::Reply { run: self.last + 1, result });
            }
            Step::Pass { seconds } => self.pass(Duration::from_secs(seconds)),
            Step::Suspend(suspend) => {
                self.config.suspend = suspend;
                self.feed(Input::Config(self.config.clone()));
            }
            Step::Relay(relay) => {
                self.config.relay = relay;
                self.feed(Input::Config(self.config.clone()));
            }
            Step::ModelChanged => self.feed(Input::ModelChanged),
        }
    }

    fn notice(&mut self, long: bool) {
        self.given += 1;
        if long {
            self.long.insert(self.given);
        }
        if self.active.is_some() {
            self.queued.insert(self.given);
        }
        self.tell(self.given);
    }

    /// As a watch does, for the first time or again.
    fn tell(&mut self, name: u64) {
        let text = format!("<{name}> {}", "x".repeat(if self.long.contains(&name) { 3000 } else { 1 }));
        let number = self.numbers.keys().next_back().map_or(1, |last| last + 1);
        self.numbers.insert(number, name);
        let lines = vec![name.to_string()];
        let notice = Notice { number: Some(number), id: Some(name.to_string()), lines, ..Notice::new("cm", text) };
        self.feed(Input::Notice(notice));
    }

    fn settle(&mut self, result: Result<Reply, Failure>) {
        if self.code.is_none()
            && let Some(run) = self.active.take()
        {
            self.feed(Input::Reply { run, result });
        }
    }

    fn calls(&mut self, number: u64, cut: bool) {
        let ids = self.ran.len()..;
        let call = |id: usize| {
            let arguments = serde_json::json!({ "code": format!("do({id})") }).to_string();
            ToolCall { id: format!("call-{id}"), name: RUN_CODE.into(), arguments }
        };
        let calls = ids.zip(0..number).map(|(id, _)| call(id)).collect();
        self.settle(Ok(reply("hm", calls, if cut { Finish::Length } else { Finish::Stop })));
    }

    fn ran(&mut self, long: bool) {
        let (Some(run), Some(call)) = (self.active, self.code.take()) else { return };
        let text = "y".repeat(if long { 3000 } else { 4 });
        self.active = None;
        self.feed(Input::CodeRan { run, call, text });
    }

    /// The process ends, with what was not durable, and another begins.
    fn crash(&mut self, keeps: usize, tells_all: bool) {
        let keeps = keeps.min(self.buffered.len());
        self.durable.extend(self.buffered.drain(..).take(keeps));
        (self.active, self.code, self.crashed) = (None, None, true);
        self.numbers.clear();
        self.engine = Orchestrator::new(self.now, SystemTime::UNIX_EPOCH, self.config.clone(), Usage::default());
        self.feed(Input::Restore(self.durable.clone()));
        assert_eq!(self.active, None, "a run begins before the start");
        for name in 1..=self.given {
            let before = self.seen.clone();
            if before.contains(&name) && !tells_all {
                continue;
            }
            self.seen.remove(&name);
            self.tell(name);
            assert!(!before.contains(&name) || self.seen.contains(&name), "notice {name} was dealt with");
        }
    }

    /// Lets time pass as a driver does: it wakes the engine when that asks for it.
    fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(wake) = self.engine.next_wake().filter(|wake| *wake <= end) {
            assert!(wake > self.now, "the engine asks to be woken in the past");
            self.now = wake;
            self.feed(Input::Wake);
        }
        self.now = end;
        self.feed(Input::Wake);
    }

    fn feed(&mut self, input: Input) {
        self.engine.handle(self.now, input);
        while let Some(output) = self.engine.poll() {
            match output {
                Output::Call { run, messages } => {
                    self.committed();
                    self.called(run, &messages);
                    self.active = Some(run);
                    self.last = run;
                    self.queued.clear();
                }
                Output::RunCode { run, call, source } => {
                    self.committed();
                    assert!(self.ran.insert(source), "code runs twice");
                    (self.active, self.code) = (Some(run), Some(call));
                }
                Output::Seen(numbers) => {
                    self.committed();
                    for number in numbers {
                        let name = self.numbers.get(&number).expect("a notice that was given");
                        assert!(self.seen.insert(*name), "notice {name} is told twice");
                    }
                }
                Output::Record(record) => self.buffered.push(record),
                Output::Commit => self.durable.append(&mut self.buffered),
                Output::Publish { text, .. } if text.starts_with("I relay") || text.starts_with("I cannot answer") => {
                    self.heard.extend(1..=self.asked);
                }
                Output::Log(Event::RunCompleted { .. }) => self.heard.append(&mut self.reading),
                Output::Finished | Output::Cancel { .. } => panic!("nobody asked for {output:?}"),
                Output::Delta { .. }
                | Output::Publish { .. }
                | Output::Usage(_)
                | Output::Throttled(_)
                | Output::Log(_) => {}
            }
        }
    }

    fn committed(&self) {
        let queued = |record: &Record| matches!(record, Record::QueueOperation { .. });
        assert!(self.buffered.iter().all(queued), "not durable: {:?}", self.buffered);
    }

    /// A call holds what waits: all of it, unless that is long; then the oldest of it.
    fn called(&mut self, run: u64, messages: &[Message]) {
        assert_eq!(self.active, None, "two runs at once");
        assert!(run >= self.last, "run {run} after {}", self.last);
        let round = run == self.last;
        check_pairs(messages);
        let bytes: usize = messages.iter().map(Message::bytes).sum();
        assert!(bytes < self.config.max_thread_bytes + 1000, "the call has {bytes} bytes");
        let asked = messages.iter().filter_map(|message| match message {
            Message::User(text) => Some(text.as_str()),
            Message::System(_) | Message::Assistant { .. } | Message::Tool { .. } => None,
        });
        self.reading.clear();
        for input in asked.clone().filter_map(|text| text.strip_prefix("hello ")?.parse::<u64>().ok()) {
            assert!(self.reading.insert(input), "input {input} is asked twice in {messages:?}");
        }
        if round {
            return;
        }
        self.called = asked.filter_map(number).filter(|number| !self.seen.contains(number)).collect();
        let waiting: Vec<u64> = (1..=self.given).filter(|number| !self.seen.contains(number)).collect();
        let oldest = waiting.iter().copied().take(self.called.len()).collect();
        assert_eq!(self.called, oldest, "a later notice overtakes an older one");
        let short = waiting.iter().all(|number| !self.long.contains(number)) && !self.crashed && self.ran.is_empty();
        assert!(!short || self.called.len() == waiting.len(), "of {waiting:?} only {:?} are told", self.called);
    }

    /// Once nothing stands in the way any more, everything is told.
    fn drain(&mut self) {
        self.step(Step::Start);
        self.step(Step::Suspend(false));
        for _ in 0..200 {
            self.ran(false);
            self.settle(Ok(reply("said", Vec::new(), Finish::Stop)));
            self.pass(Duration::from_hours(1));
        }
        let all: BTreeSet<u64> = (1..=self.given).collect();
        assert_eq!(self.seen, all, "notices are lost");
        assert_eq!(self.heard, (1..=self.asked).collect(), "inputs are lost");
        assert_eq!(self.active, None);
    }
}

/// Each call is followed by its result, and no result stands alone.
fn check_pairs(messages: &[Message]) {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        match message {
            Message::Tool { call, .. } => {
                assert!(!open.is_empty() && open.remove(0) == call, "a result without a call in {messages:?}");
            }
            Message::Assistant { calls, .. } => {
                assert!(open.is_empty(), "a call without a result in {messages:?}");
                open = calls.iter().map(|call| call.id.as_str()).collect();
            }
            Message::System(_) | Message::User(_) => {
                assert!(open.is_empty(), "a call without a result in {messages:?}");
            }
        }
    }
    assert!(open.is_empty(), "a call without a result in {messages:?}");
}

fn reply(text: &str, calls: Vec<ToolCall>, finish: Finish) -> Reply {
    Reply { text: text.into(), calls, finish, tokens: Some(Tokens { prompt: 4, completion: 1 }) }
}

fn number(text: &str) -> Option<u64> {
    text.strip_prefix(REPEATED).unwrap_or(text).strip_prefix('<')?.split_once('>')?.0.parse().ok()
}

struct Test;

impl StateMachineTest for Test {
    type SystemUnderTest = Driven;
    type Reference = Reference;

    fn init_test(_: &Reference) -> Driven {
        Driven::new()
    }

    fn apply(mut driven: Driven, _: &Reference, step: Step) -> Driven {
        driven.step(step);
        driven
    }

    fn check_invariants(driven: &Driven, reference: &Reference) {
        assert_eq!(driven.given, reference.given);
    }

    fn teardown(mut driven: Driven, _: Reference) {
        driven.drain();
    }
}

prop_state_machine! {
    #![proptest_config(Settings { cases: 512, ..Settings::default() })]

    #[test]
    fn no_notice_is_lost_or_told_twice(sequential 1..60 => Test);
}

proptest! {
    #[test]
    fn what_comes_in_during_a_run_is_told_in_exactly_one_more(arrivals in prop::collection::vec(any::<bool>(), 1..30)) {
        let mut driven = Driven::new();
        driven.config.max_thread_bytes = 1 << 20;
        driven.step(Step::Suspend(false));
        driven.step(Step::Start);
        driven.step(Step::User);
        assert_eq!(driven.active, Some(1));
        for long in arrivals {
            driven.step(Step::Notice { long });
        }
        let queued = driven.queued.clone();
        driven.step(Step::Answer { text: "said" });
        assert_eq!((driven.active, &driven.called), (Some(2), &queued));
        driven.step(Step::Answer { text: "said" });
        assert_eq!((driven.active, &driven.seen), (None, &queued));
    }
}
