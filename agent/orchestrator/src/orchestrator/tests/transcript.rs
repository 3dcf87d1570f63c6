//! The language of the transcripts.
//!
//! `SECONDS > WHAT` is fed to the engine, and the `  < WHAT` after it is all that came out. Log lines are left out by
//! [`check`], those of the five streams by [`check_log`] too, but for input and notices.

use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime};

use super::super::Orchestrator;
use crate::budget::{Limit, Throttle, Tokens, Usage};
use crate::config::Config;
use crate::event::Event;
use crate::io::{Failure, FailureKind, Finish, Input, Output, Reply};
use crate::message::{Message, ToolCall};
use crate::notice::Notice;
use crate::record::Record;

/// Noon of some day.
const NOON: Duration = Duration::from_hours(20_000 * 24 + 12);

/// Which log lines a transcript shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    None,
    Some,
    All,
}

#[track_caller]
pub(super) fn check(setup: &Config, transcript: &str) {
    run(setup, Vec::new(), transcript, Shown::None);
}

#[track_caller]
pub(super) fn check_log(setup: &Config, transcript: &str) {
    run(setup, Vec::new(), transcript, Shown::Some);
}

#[track_caller]
pub(super) fn check_all(setup: &Config, transcript: &str) {
    run(setup, Vec::new(), transcript, Shown::All);
}

/// A transcript that begins with the `records` of an earlier process, a line of JSON each.
#[track_caller]
pub(super) fn check_restored(setup: &Config, records: &str, transcript: &str) {
    let records = records.lines().filter(|line| !line.is_empty());
    let records = records.map(|line| serde_json::from_str(line).expect("a record")).collect();
    run(setup, records, transcript, Shown::None);
}

#[track_caller]
fn run(setup: &Config, records: Vec<Record>, transcript: &str, log: Shown) {
    #[expect(clippy::disallowed_methods, reason = "an Instant cannot be made otherwise")]
    let zero = Instant::now();
    let mut config = setup.clone();
    let mut engine = Orchestrator::new(zero, SystemTime::UNIX_EPOCH + NOON, config.clone(), Usage::default());
    if !records.is_empty() {
        engine.handle(zero, Input::Restore(records));
    }
    let mut actual = String::new();
    let mut wake = None;
    for line in transcript.lines().filter(|line| !line.is_empty() && !line.starts_with("  <")) {
        let (at, what) = line.split_once(" > ").expect("a time and an input");
        let now = zero + Duration::from_secs(at.parse().expect("seconds"));
        writeln!(actual, "{line}").unwrap();
        engine.handle(now, input(zero, what, &mut config));
        while let Some(output) = engine.poll() {
            if let Some(line) = render(zero, now, &output, log) {
                writeln!(actual, "  < {line}").unwrap();
            }
        }
        if engine.next_wake() != wake {
            wake = engine.next_wake();
            let at = wake.map_or("never".into(), |wake| wake.duration_since(zero).as_secs().to_string());
            writeln!(actual, "  < wake {at}").unwrap();
        }
    }
    let expected = transcript.trim_start_matches('\n');
    assert!(actual == expected, "expected:\n{expected}\nactual:\n{actual}");
}

fn input(zero: Instant, what: &str, config: &mut Config) -> Input {
    let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
    match verb {
        "start" => Input::Start,
        "wake" => Input::Wake,
        "model-changed" => Input::ModelChanged,
        "eof" => Input::Eof,
        "pending" => Input::Pending(rest == "true"),
        "stop" => Input::Stop { deadline: zero + Duration::from_secs(rest.parse().expect("seconds")) },
        "config" => {
            set(config, rest);
            Input::Config(config.clone())
        }
        "user" => {
            let (channel, text) = rest.split_once(' ').expect("a channel and a text");
            Input::User { channel: channel.into(), text: text.into() }
        }
        "notice" => Input::Notice(notice(rest)),
        "delta" => {
            let (run, text) = numbered(rest);
            Input::Delta { run, text }
        }
        "reply" => replied(rest, Finish::Stop, Some(Tokens { prompt: 1, completion: 1 })),
        "cut" => replied(rest, Finish::Length, Some(Tokens { prompt: 1, completion: 1 })),
        "uncounted" => replied(rest, Finish::Stop, None),
        "calls" => called(rest, Finish::Other("tool_calls".into())),
        "cut-calls" => called(rest, Finish::Length),
        "ran" => {
            let (run, rest) = numbered(rest);
            let (call, text) = rest.split_once(' ').expect("a call and a text");
            Input::CodeRan { run, call: call.into(), text: text.into() }
        }
        "fail" => failed(rest),
        _ => panic!("unknown input {what:?}"),
    }
}

fn set(config: &mut Config, setting: &str) {
    match setting.split_once('=').expect("a setting") {
        ("suspend", value) => config.suspend = value == "true",
        ("rounds", value) => config.max_rounds = value.parse().expect("a number"),
        ("turns", value) => config.max_turns_per_hour = value.parse().expect("a number"),
        _ => panic!("unknown setting {setting:?}"),
    }
}

/// `NUMBER SOURCE[#ID]: LINE; LINE +MORE`
fn notice(text: &str) -> Notice {
    let (number, text) = numbered(text);
    let (source, text) = text.split_once(": ").expect("a source and lines");
    let (source, id) = source.split_once('#').map_or((source, None), |(source, id)| (source, Some(id.to_owned())));
    let (lines, more) = match text.rsplit_once(" +") {
        Some((lines, more)) => (lines, more.parse().expect("a number")),
        None => (text, 0),
    };
    Notice {
        number: Some(number),
        id,
        task: format!("watch-{source}"),
        description: format!("watch {source} memo://{source}"),
        note: "Do.".into(),
        lines: lines.split("; ").map(str::to_owned).collect(),
        more,
        ..Notice::new(source, format!("<{source} {lines}>"))
    }
}

/// `RUN [TEXT |] ID NAME ARGUMENTS; ID SOURCE`: a source, which is not JSON, is put into a call of `run_code`.
fn called(text: &str, finish: Finish) -> Input {
    let (run, text) = numbered(text);
    let (text, calls) = text.split_once(" | ").unwrap_or(("", &text));
    let calls = calls.split("; ").map(|call| {
        let (id, rest) = call.split_once(' ').expect("an id and a call");
        let named = rest.split_once(' ').filter(|(name, _)| *name == "run_code" || *name == "other");
        let (name, arguments) = match named {
            Some((name, arguments)) => (name, arguments.to_owned()),
            None => ("run_code", serde_json::json!({ "code": rest }).to_string()),
        };
        ToolCall { id: id.into(), name: name.into(), arguments }
    });
    let tokens = Some(Tokens { prompt: 1, completion: 1 });
    Input::Reply { run, result: Ok(Reply { text: text.into(), calls: calls.collect(), finish, tokens }) }
}

fn replied(text: &str, finish: Finish, tokens: Option<Tokens>) -> Input {
    let (run, text) = numbered(text);
    Input::Reply { run, result: Ok(Reply { text: text.replace("\\n", "\n"), calls: Vec::new(), finish, tokens }) }
}

/// `RUN transient|refused|too-long|after=SECONDS MESSAGE`
fn failed(text: &str) -> Input {
    let (run, text) = numbered(text);
    let (kind, message) = text.split_once(' ').expect("a kind and a message");
    let retry_after = kind.strip_prefix("after=").map(|seconds| Duration::from_secs(seconds.parse().expect("seconds")));
    let kind = match kind {
        "refused" => FailureKind::Refused,
        "too-long" => FailureKind::ContextTooLong,
        _ => FailureKind::Transient,
    };
    Input::Reply { run, result: Err(Failure { kind, message: message.into(), retry_after }) }
}

fn numbered(text: &str) -> (u64, String) {
    let (number, rest) = text.split_once(' ').expect("a number and a text");
    (number.parse().expect("a number"), rest.to_owned())
}

fn render(zero: Instant, now: Instant, output: &Output, log: Shown) -> Option<String> {
    Some(match output {
        Output::Call { run, messages } => {
            let messages: Vec<String> = messages.iter().map(message).collect();
            format!("call {run} {}", messages.join(" "))
        }
        Output::Cancel { run } => format!("cancel {run}"),
        Output::RunCode { run, call, source } => format!("code {run} {call} {source}"),
        Output::Delta { run, channel, text } => format!("delta {run} {channel}: {text:?}"),
        Output::Record(record) => format!("record {}", serde_json::to_string(record).expect("a record")),
        Output::Commit => "commit".into(),
        Output::Publish { run: _, channel, text } => {
            format!("publish {}: {}", channel.as_deref().unwrap_or("-"), text.replace('\n', "\\n"))
        }
        Output::Seen(numbers) => {
            format!("seen {}", numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" "))
        }
        Output::Usage(usage) => format!("usage turns={} tokens={}", usage.turns, usage.tokens),
        Output::Throttled(None) => "throttled no more".into(),
        Output::Throttled(Some(throttle)) => throttled(zero, now, *throttle),
        Output::Log(event) if is_shown(event, log) => {
            format!("log {} {}", event.name(), serde_json::to_string(event).expect("fields"))
        }
        Output::Log(_) => return None,
        Output::Finished => "finished".into(),
    })
}

fn is_shown(event: &Event, log: Shown) -> bool {
    let stream = matches!(
        event,
        Event::WaitingRuleStream { .. }
            | Event::AgentEventStream { .. }
            | Event::RuntimeStream { .. }
            | Event::RoundCompleted { .. }
    );
    log == Shown::All || log == Shown::Some && !stream
}

fn message(message: &Message) -> String {
    match message {
        Message::System(text) => format!("[{text}]"),
        Message::User(text) => format!("[u {}]", text.replace('\n', "\\n")),
        Message::Assistant { text, calls } if calls.is_empty() => format!("[a {}]", text.replace('\n', "\\n")),
        Message::Assistant { text, calls } => {
            let calls = calls.iter().map(|ToolCall { id, name, arguments }| format!("{id}={name}({arguments})"));
            format!("[a {text} {}]", calls.collect::<Vec<_>>().join(" ")).replace("[a  ", "[a ")
        }
        Message::Tool { call, text } => format!("[{call}: {text}]"),
    }
}

fn throttled(zero: Instant, now: Instant, throttle: Throttle) -> String {
    let limit = match throttle.limit {
        Limit::TurnsPerHour(most) => format!("turns/h {most}"),
        Limit::TokensPerDay(most) => format!("tokens/day {most}"),
    };
    let today = SystemTime::UNIX_EPOCH + NOON + now.duration_since(zero);
    let left = throttle.until.map(|until| until.duration_since(today).expect("the future").as_secs());
    format!("throttled {limit} for {}", left.map_or("ever".into(), |left| left.to_string()))
}
