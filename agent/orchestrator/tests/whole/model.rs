//! A model with moods: quick or slow, silent or chatty, limited, cut, confused or gone.

use std::collections::HashMap;
use std::time::Duration;

use asyncai_orchestrator::{Failure, FailureKind, Finish, Message, Reply, Tokens, ToolCall};

use crate::chance::Chance;

/// How its endpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Well,
    Slow,
    /// It answers 429.
    Limited,
    /// It fails now and then.
    Shaky,
    /// The key is wrong.
    Refusing,
    Gone,
}

/// The model.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) mood: Mood,
    /// Bytes that it can read.
    pub(crate) context: usize,
    /// Rounds of code that each run is still to have.
    rounds: HashMap<u64, u64>,
}

impl Model {
    pub(crate) fn new() -> Self {
        Self { mood: Mood::Well, context: 200_000, rounds: HashMap::new() }
    }

    /// Another model, or another process.
    pub(crate) fn forget(&mut self) {
        self.rounds.clear();
    }

    /// What comes of a call, and after how many milliseconds.
    pub(crate) fn call(
        &mut self,
        chance: &mut Chance,
        run: u64,
        messages: &[Message],
    ) -> (u64, Result<Reply, Failure>) {
        let bytes: usize = messages.iter().map(bytes).sum();
        if bytes > self.context {
            return (chance.between(200, 2_000), Err(failure(FailureKind::ContextTooLong, None)));
        }
        let delay = match self.mood {
            Mood::Slow => chance.between(30_000, 300_000),
            Mood::Well | Mood::Limited | Mood::Shaky | Mood::Refusing | Mood::Gone => chance.between(800, 25_000),
        };
        match self.mood {
            Mood::Limited if !chance.once_in(3) => {
                let wait = if chance.once_in(10) { 9_000 } else { chance.between(1, 120) };
                (300, Err(failure(FailureKind::Transient, Some(Duration::from_secs(wait)))))
            }
            Mood::Shaky if chance.once_in(2) => (delay, Err(failure(FailureKind::Transient, None))),
            Mood::Refusing => (200, Err(failure(FailureKind::Refused, None))),
            Mood::Gone => (chance.pick(&[50, 600_000]), Err(failure(FailureKind::Transient, None))),
            Mood::Well | Mood::Slow | Mood::Limited | Mood::Shaky => (delay, Ok(self.reply(chance, run, bytes))),
        }
    }

    fn reply(&mut self, chance: &mut Chance, run: u64, bytes: usize) -> Reply {
        let rounds = self.rounds.entry(run).or_insert_with(|| if chance.once_in(3) { chance.between(1, 5) } else { 0 });
        let calls = if *rounds > 0 { calls(chance) } else { Vec::new() };
        // Now and then one does not stop by itself.
        *rounds = rounds.saturating_sub(u64::from(!chance.once_in(40)));
        let text = match chance.below(5) {
            0..=2 if calls.is_empty() => "NO_REPLY".to_owned(),
            3 if calls.is_empty() => String::new(),
            _ => format!("reply to {run}: {}", "word ".repeat(usize::try_from(chance.about(60)).expect("a length"))),
        };
        let finish = match chance.below(20) {
            0 => Finish::Length,
            1 => Finish::Filtered,
            2 => Finish::Other("tool_calls".to_owned()),
            _ => Finish::Stop,
        };
        let completion = (text.len() / 4) as u64 + 5;
        let tokens = (!chance.once_in(10)).then_some(Tokens { prompt: (bytes / 4) as u64, completion });
        Reply { text, calls, finish, tokens }
    }

    /// What code gives, and after how many milliseconds.
    pub(crate) fn run_code(chance: &mut Chance) -> (u64, String) {
        let length = if chance.once_in(15) { chance.between(20_000, 70_000) } else { chance.about(800) };
        let delay = if chance.once_in(10) { 120_000 } else { chance.about(2_000) };
        (delay, "x".repeat(usize::try_from(length).expect("a length")))
    }
}

fn calls(chance: &mut Chance) -> Vec<ToolCall> {
    let call = |nth: u64, chance: &mut Chance| {
        let (name, arguments) = match chance.below(12) {
            0 => ("run_code", "{\"code\":".to_owned()),
            1 => ("kcp_get", "{}".to_owned()),
            2 => ("run_code", r#"{"code":"NO_REPLY"}"#.to_owned()),
            3 => ("run_code", r#"{"code":"watch_start()"}"#.to_owned()),
            _ => ("run_code", format!(r#"{{"code":"print({})"}}"#, chance.below(9))),
        };
        ToolCall { id: format!("c{nth}"), name: name.to_owned(), arguments }
    };
    (0..chance.between(1, 4)).map(|nth| call(nth, chance)).collect()
}

fn failure(kind: FailureKind, retry_after: Option<Duration>) -> Failure {
    Failure { kind, message: "the endpoint says no".to_owned(), retry_after }
}

/// What the model reads of a message.
pub(crate) fn bytes(message: &Message) -> usize {
    match message {
        Message::System(text) | Message::User(text) | Message::Tool { text, .. } => text.len(),
        Message::Assistant { text, calls } => {
            text.len() + calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>()
        }
    }
}
