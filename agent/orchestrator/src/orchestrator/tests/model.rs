//! The engine beside a naive model of it, under random sequences of events.
//!
//! The model is a set of notices that wait, a set in the active run, and the ones that were told. It
//! knows nothing of threads, budgets or delays: what it says must hold whatever those decide.

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime};

use proptest::prelude::*;
use proptest::test_runner::Config as Settings;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};

use super::super::Orchestrator;
use crate::budget::Tokens;
use crate::budget::Usage;
use crate::config::Config;
use crate::io::{Failure, FailureKind, Finish, Input, Output, Reply};
use crate::message::Message;
use crate::notice::Notice;

#[derive(Debug, Clone, Copy)]
enum Step {
    Start,
    Notice { long: bool },
    User,
    Answer { text: &'static str },
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
    last: u64,
    given: u64,
    seen: BTreeSet<u64>,
    /// Notices that may be too long to go with others.
    long: BTreeSet<u64>,
    /// Notices of the latest call.
    called: BTreeSet<u64>,
    /// Notices that came in while the active run was on its way.
    queued: BTreeSet<u64>,
}

impl Driven {
    fn new() -> Self {
        #[expect(clippy::disallowed_methods, reason = "an Instant cannot be made otherwise")]
        let now = Instant::now();
        // Small enough that all limits are met in a short sequence.
        let config =
            Config { max_turns_per_hour: 4, max_tokens_per_day: 60, max_thread_bytes: 8000, ..Config::default() };
        let engine = Orchestrator::new(now, SystemTime::UNIX_EPOCH, config.clone(), Usage::default());
        let (seen, long, called, queued) = Default::default();
        Self { engine, config, now, active: None, last: 0, given: 0, seen, long, called, queued }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Start => self.feed(Input::Start),
            Step::Notice { long } => self.notice(long),
            Step::User => self.feed(Input::User { channel: "#ops".into(), text: "hello".into() }),
            Step::Answer { text } => self.settle(Ok(text)),
            Step::Fail { kind, retry_after } => self.settle(Err((kind, retry_after))),
            Step::Stale => self.feed(Input::Reply { run: self.last + 1, result: Ok(reply("stale")) }),
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
        let text = format!("<{}> {}", self.given, "x".repeat(if long { 3000 } else { 1 }));
        if long {
            self.long.insert(self.given);
        }
        if self.active.is_some() {
            self.queued.insert(self.given);
        }
        let lines = vec![self.given.to_string()];
        self.feed(Input::Notice(Notice { number: self.given, source: "cm".into(), text, lines, more: 0 }));
    }

    fn settle(&mut self, result: Result<&str, (FailureKind, Option<u64>)>) {
        let Some(run) = self.active.take() else { return };
        let result = result.map(reply).map_err(|(kind, retry_after)| Failure {
            kind,
            message: "no".into(),
            retry_after: retry_after.map(Duration::from_secs),
        });
        self.feed(Input::Reply { run, result });
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
                    self.called(run, &messages);
                    self.active = Some(run);
                    self.last = run;
                    self.queued.clear();
                }
                Output::Seen(numbers) => {
                    for number in numbers {
                        assert!(number <= self.given, "notice {number} was never given");
                        assert!(self.seen.insert(number), "notice {number} is told twice");
                    }
                }
                Output::Finished | Output::Cancel { .. } => panic!("nobody asked for {output:?}"),
                Output::Publish { .. } | Output::Usage(_) | Output::Throttled(_) | Output::Log(_) => {}
            }
        }
    }

    /// A call holds what waits: all of it, unless that is long; then the oldest of it.
    fn called(&mut self, run: u64, messages: &[Message]) {
        assert_eq!(self.active, None, "two runs at once");
        assert!(run > self.last, "run {run} after {}", self.last);
        let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
        assert!(bytes < self.config.max_thread_bytes + 1000, "the call has {bytes} bytes");
        let texts = messages.iter().map(|message| message.content.as_str());
        self.called = texts.filter_map(number).filter(|number| !self.seen.contains(number)).collect();
        let waiting: Vec<u64> = (1..=self.given).filter(|number| !self.seen.contains(number)).collect();
        let oldest = waiting.iter().copied().take(self.called.len()).collect();
        assert_eq!(self.called, oldest, "a later notice overtakes an older one");
        let short = waiting.iter().all(|number| !self.long.contains(number));
        assert!(!short || self.called.len() == waiting.len(), "of {waiting:?} only {:?} are told", self.called);
    }

    /// Once nothing stands in the way any more, everything is told.
    fn drain(&mut self) {
        self.step(Step::Start);
        self.step(Step::Suspend(false));
        for _ in 0..200 {
            self.settle(Ok("said"));
            self.pass(Duration::from_hours(1));
        }
        let all: BTreeSet<u64> = (1..=self.given).collect();
        assert_eq!(self.seen, all, "notices are lost");
        assert_eq!(self.active, None);
    }
}

fn reply(text: &str) -> Reply {
    Reply { text: text.into(), finish: Finish::Stop, tokens: Some(Tokens { prompt: 4, completion: 1 }) }
}

fn number(text: &str) -> Option<u64> {
    text.strip_prefix('<')?.split_once('>')?.0.parse().ok()
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
