//! Plays a transcript: the lines with `>` are inputs, the lines with `<` are the outputs that must follow.
//!
//! `t=12.5` before a line is the time in seconds; without it, the time of the line before holds. When a time is given, the
//! engine is woken until then as it asks for. Which outputs are looked at is said with each transcript.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use asyncai_eventlog::MIME;
use asyncai_watch::{
    Baseline, Contents, Counts, Cursor, Event, Failure, FailureKind, FilterError, Id, Initial, Input, Notice, Origin,
    Output, Phase, Resume, Set, Shape, Spec, Status,
};

/// The filter of a watch that is `filtered`, which is accepted without a line in the transcript.
const VALID: &str = "valid";

/// Plays a transcript and compares the outputs of the kinds in `show`, such as `notice`, `status` and `watch.event`.
#[track_caller]
pub(crate) fn check(show: &[&str], transcript: &str) {
    let expected: Vec<&str> = transcript.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut player = Player::new(show);
    for line in &expected {
        player.play(line);
    }
    let actual: Vec<&str> = player.transcript.lines().collect();
    assert!(actual == expected, "expected:\n{}\n\nactual:\n{}\n", expected.join("\n"), actual.join("\n"));
}

struct Player<'a> {
    show: &'a [&'a str],
    set: Set,
    start: Instant,
    now: Duration,
    shown: Duration,
    quiet: bool,
    busy: bool,
    subscriptions: HashMap<String, u64>,
    reads: HashMap<String, Vec<u64>>,
    filters: HashMap<String, VecDeque<u64>>,
    checks: HashMap<String, Vec<u64>>,
    transcript: String,
}

impl<'a> Player<'a> {
    fn new(show: &'a [&'a str]) -> Self {
        let start = Instant::now();
        Self {
            show,
            set: Set::new(start, UNIX_EPOCH, 7),
            start,
            now: Duration::ZERO,
            shown: Duration::ZERO,
            quiet: false,
            busy: false,
            subscriptions: HashMap::new(),
            reads: HashMap::new(),
            filters: HashMap::new(),
            checks: HashMap::new(),
            transcript: String::new(),
        }
    }

    fn play(&mut self, line: &str) {
        let (time, rest) = match line.strip_prefix("t=").and_then(|line| line.split_once(' ')) {
            Some((time, rest)) => (Some(Duration::from_secs_f64(time.parse().expect("a time"))), rest),
            None => (None, line),
        };
        if let Some(time) = time {
            self.pass_until(time);
        }
        let Some(input) = rest.strip_prefix("> ") else { return };
        self.print('>', input);
        let (command, rest) = input.split_once(' ').unwrap_or((input, ""));
        if command == "live" {
            self.quiet = true;
            let (apply, contents) = rest.split_once(" := ").expect("live WATCH := CONTENTS");
            let name = apply.split(' ').next().expect("a name");
            self.handle(spec(apply));
            for (command, rest) in [("ack", name), ("read", &format!("{name} {contents}"))] {
                let input = self.input(command, rest);
                self.handle(input);
            }
            self.quiet = false;
        } else {
            let input = self.input(command, rest);
            self.handle(input);
        }
    }

    fn pass_until(&mut self, time: Duration) {
        let mut at_once = 0;
        while let Some(wake) = self.set.next_wake().filter(|wake| *wake <= self.start + time) {
            at_once = if wake > self.start + self.now { 0 } else { at_once + 1 };
            assert!(at_once < 1_000, "it is woken again and again for nothing");
            self.now = self.now.max(wake.saturating_duration_since(self.start));
            self.handle(Input::Wake);
        }
        self.now = time;
    }

    fn handle(&mut self, input: Input) {
        self.set.handle(self.start + self.now, input);
        while let Some(output) = self.set.poll() {
            if let Output::Check { id, ticket, source } = &output
                && &**source == VALID
            {
                let (id, ticket) = (id.clone(), *ticket);
                self.set.handle(self.start + self.now, Input::Checked { id, ticket, result: Ok(()) });
                continue;
            }
            self.note_tickets(&output);
            let (kind, text) = render(&output);
            if !self.quiet && self.show.contains(&kind) {
                self.print('<', &text);
            }
        }
        if self.busy != self.set.is_busy() && !self.quiet && self.show.contains(&"busy") {
            self.print('<', if self.set.is_busy() { "busy" } else { "idle" });
        }
        self.busy = self.set.is_busy();
    }

    fn note_tickets(&mut self, output: &Output) {
        match output {
            Output::Subscribe { id, ticket, .. } => _ = self.subscriptions.insert(id.to_string(), *ticket),
            Output::Read { id, ticket, .. } => self.reads.entry(id.to_string()).or_default().push(*ticket),
            Output::Check { id, ticket, .. } => self.checks.entry(id.to_string()).or_default().push(*ticket),
            Output::Filter { id, ticket, .. } => self.filters.entry(id.to_string()).or_default().push_back(*ticket),
            _ => {}
        }
    }

    fn input(&mut self, command: &str, rest: &str) -> Input {
        let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let id = Id::from(name);
        let subscription = self.subscriptions.get(name).copied().unwrap_or_default();
        match command {
            "apply" => spec(&format!("{name} {rest}")),
            "limit" => Input::Limit(name.parse().expect("a limit")),
            "loaded" => Input::Loaded,
            "remove" => Input::Remove(id),
            "ack" => Input::Acknowledged { id, ticket: subscription, server: "server".into() },
            "checked" | "checked-old" => {
                let back = usize::from(command == "checked-old");
                let ticket = self.checks.get(name).and_then(|asked| asked.iter().rev().nth(back)).copied();
                let result = if rest.is_empty() { Ok(()) } else { Err(rest.to_owned()) };
                Input::Checked { id, ticket: ticket.expect("a check at work"), result }
            }
            "recheck" => Input::Recheck,
            "updated" => Input::Updated { id, ticket: subscription },
            "ended" => Input::Ended { id, ticket: subscription, message: rest.into() },
            "refused" => Input::SubscribeFailed { id, ticket: subscription, failure: failure(rest) },
            "read" | "read-old" => {
                let back = usize::from(command == "read-old");
                let ticket = self.reads.get(name).and_then(|asked| asked.iter().rev().nth(back)).copied();
                Input::Read { id, ticket: ticket.unwrap_or_default(), result: contents(rest) }
            }
            "filtered" | "filtered-last" => {
                let asked = self.filters.get_mut(name);
                let ticket = if command == "filtered" { VecDeque::pop_front } else { VecDeque::pop_back };
                let ticket = asked.and_then(ticket).expect("a filter at work");
                Input::Filtered { id, ticket, result: filtered(rest) }
            }
            "seen" => Input::Seen([name].into_iter().chain(rest.split(' ')).filter_map(|n| n.parse().ok()).collect()),
            "refresh" => Input::Refresh,
            "hold" => Input::Hold(name == "on"),
            "stop" => Input::Stop { deadline: self.start + self.now + Duration::from_secs(5) },
            "wait" => Input::Wake,
            other => panic!("unknown input {other}"),
        }
    }

    fn print(&mut self, arrow: char, text: &str) {
        if self.now != self.shown {
            let _ = write!(self.transcript, "t={} ", self.now.as_secs_f64());
            self.shown = self.now;
        }
        let _ = writeln!(self.transcript, "{arrow} {text}");
    }
}

/// `NAME [key[=value]]...`; the name is the id as well.
fn spec(text: &str) -> Input {
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    let name = words.next().expect("a name").to_owned();
    let mut spec = Spec {
        id: Id::from(name.as_str()),
        uri: format!("memo://{name}"),
        name,
        server: None,
        filter: None,
        origin: Origin::Declared,
        instructions: None,
        initial: Initial::Skip,
        debounce: Duration::from_secs(3),
        max_wait: Duration::from_secs(15),
        max_notices_per_hour: 60,
        suspend: false,
        generation: 1,
        created: 0,
    };
    let mut resume: Option<Resume> = None;
    for word in words {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let number = || value.parse::<u32>().expect("a number");
        match key {
            "uri" => spec.uri = value.into(),
            "server" => spec.server = Some(value.into()),
            "filtered" => spec.filter = Some(VALID.into()),
            "filter" => spec.filter = Some(value.into()),
            "model" => spec.origin = Origin::Model,
            "was" => resume.get_or_insert_default().uri = Some(value.into()),
            "was-at" => resume.get_or_insert_default().server = Some(value.into()),
            "instructions" => spec.instructions = Some(value.replace('_', " ")),
            "deliver" => spec.initial = Initial::Deliver,
            "debounce" => spec.debounce = Duration::from_secs(number().into()),
            "max_wait" => spec.max_wait = Duration::from_secs(number().into()),
            "per_hour" => spec.max_notices_per_hour = number(),
            "suspend" => spec.suspend = true,
            "generation" => spec.generation = number().into(),
            "created" => spec.created = number().into(),
            "cursor" => {
                let (epoch, seq) = value.rsplit_once(':').expect("EPOCH:SEQ");
                let cursor = Cursor { epoch: epoch.into(), seq: seq.parse().expect("a seq") };
                resume.get_or_insert_default().cursor = Some(cursor);
            }
            "truncated" => {
                let baseline = Baseline { hash: "0".into(), items: 1, digests: None, truncated: true };
                resume.get_or_insert_default().baseline = Some(baseline);
            }
            "baseline" => {
                let (hash, digests) = value.split_once(':').expect("HASH:DIGESTS");
                let digests = Some(digests.to_owned()).filter(|digests| !digests.is_empty());
                let baseline = Baseline { hash: hash.into(), items: 1, digests, truncated: false };
                resume.get_or_insert_default().baseline = Some(baseline);
            }
            other => panic!("unknown field {other}"),
        }
    }
    Input::Apply { spec, resume }
}

/// `log BODY`, `state TEXT` or `failed KIND MESSAGE`.
fn contents(text: &str) -> Result<Contents, Failure> {
    let (kind, text) = text.split_once(' ').unwrap_or((text, ""));
    match kind {
        "log" => Ok(Contents { mime: Some(MIME.into()), text: text.into() }),
        "state" => Ok(Contents { mime: Some("application/json".into()), text: text.into() }),
        "failed" => Err(failure(text)),
        other => panic!("unknown contents {other}"),
    }
}

fn failure(text: &str) -> Failure {
    let (kind, message) = text.split_once(' ').expect("KIND MESSAGE");
    let kind = match kind {
        "UnknownServer" => FailureKind::UnknownServer,
        "NotWatchable" => FailureKind::NotWatchable,
        "ServerDown" => FailureKind::ServerDown,
        "SourceError" => FailureKind::SourceError,
        other => panic!("unknown kind {other}"),
    };
    Failure { kind, message: message.into() }
}

/// `none`, `text TEXT` or `error MESSAGE`, of which the traceback is the message after `Traceback: `.
fn filtered(text: &str) -> Result<Option<String>, FilterError> {
    match text.split_once(' ') {
        Some(("text", text)) => Ok(Some(text.replace("\\n", "\n"))),
        Some(("error", message)) => {
            Err(FilterError { message: message.into(), traceback: format!("Traceback: {message}") })
        }
        _ => Ok(None),
    }
}

/// The kind of an output and how it reads in a transcript.
fn render(output: &Output) -> (&'static str, String) {
    match output {
        Output::Subscribe { id, uri, server, .. } => {
            let server = server.as_ref().map(|server| format!(" at {server}")).unwrap_or_default();
            ("subscribe", format!("subscribe {id} {uri}{server}"))
        }
        Output::Unsubscribe(id) => ("unsubscribe", format!("unsubscribe {id}")),
        Output::Read { id, since, .. } => {
            let since = since.as_ref().map(|since| format!(" since {}", place(since))).unwrap_or_default();
            ("read", format!("read {id}{since}"))
        }
        Output::Check { id, source, .. } => ("check", format!("check {id} {source}")),
        Output::EndFilter(id) => ("end filter", format!("end filter {id}")),
        Output::Delete(id) => ("delete", format!("delete {id}")),
        Output::Restore(notice) => {
            let lines: Vec<String> = notice.lines.iter().map(|line| format!("\n| {line}")).collect();
            ("restore", format!("restore {}{}", notice.number, lines.concat()))
        }
        Output::Filter { id, event, .. } => ("filter", format!("filter {id} {event}")),
        Output::Notice(notice) => ("notice", render_notice(notice)),
        Output::Status(status) => ("status", render_status(status)),
        Output::Log(event) => (event.name(), render_log(event)),
        Output::Stopped => ("stopped", "stopped".into()),
    }
}

fn place(cursor: &Cursor) -> String {
    format!("{}:{}", cursor.epoch, cursor.seq)
}

fn render_notice(notice: &Notice) -> String {
    let mut text = format!("notice {} {}", notice.number, notice.id);
    for line in &notice.lines {
        let _ = write!(text, "\n| {line}");
    }
    if notice.more > 0 {
        let _ = write!(text, "\n| +{} more", notice.more);
    }
    text
}

fn render_status(status: &Status) -> String {
    let mut text = format!("status {} ", status.id);
    let _ = match &status.phase {
        Phase::Refused { maximum } => write!(text, "refused over {maximum}"),
        Phase::InvalidFilter { message } => write!(text, "invalid filter: {message}"),
        Phase::Suspended => write!(text, "suspended"),
        Phase::Connecting => write!(text, "connecting"),
        Phase::Subscribed => write!(text, "subscribed"),
        Phase::Resubscribing { attempt, message } => write!(text, "resubscribing attempt {attempt}: {message}"),
        Phase::Failed { failure, attempts } => {
            write!(text, "failed after {attempts} attempts, {:?}: {}", failure.kind, failure.message)
        }
    };
    if status.generation != 1 {
        let _ = write!(text, ", generation {}", status.generation);
    }
    if let Some(shape) = status.shape {
        text.push_str(if shape == Shape::State { ", state" } else { ", log" });
    }
    if let Some(cursor) = &status.cursor {
        let _ = write!(text, ", at {}", place(cursor));
    }
    if let Some(baseline) = &status.baseline {
        let truncated = if baseline.truncated { " truncated" } else { "" };
        let _ = write!(text, ", {} items{truncated}", baseline.items);
    }
    if status.counts != Counts::default() {
        let Counts { events, dropped, notices, gaps, resubscribes, filter_errors } = status.counts;
        let _ = write!(
            text,
            ", {events} events {dropped} dropped {notices} notices {gaps} gaps {resubscribes} resubscribes"
        );
        if filter_errors > 0 {
            let _ = write!(text, " {filter_errors} filter errors");
        }
    }
    for (what, time) in [("event", status.last_event), ("notice", status.last_notice)] {
        if let Some(time) = time {
            let _ = write!(
                text,
                ", {what} t={}",
                time.duration_since(SystemTime::UNIX_EPOCH).expect("a time").as_secs_f64()
            );
        }
    }
    if let Some(message) = &status.broken_filter {
        let _ = write!(text, ", broken filter: {message}");
    }
    if status.restore_failed {
        text.push_str(", restore failed");
    }
    if status.throttled {
        text.push_str(", throttled");
    }
    text
}

fn render_log(event: &Event) -> String {
    let name = event.name();
    match event {
        Event::Started { watch, uri } => format!("{name} {watch} {uri}"),
        Event::Subscribed { watch, server } => format!("{name} {watch} {server}"),
        Event::Event { watch, seq, kind, kept } => format!("{name} {watch} {seq} {kind} kept={kept}"),
        Event::Notice { watch, id, lines, more } => {
            format!("{name} {watch} {id} lines={}", lines.len() + more)
        }
        Event::Resubscribing { watch, attempt, delay_seconds, message } => {
            format!("{name} {watch} attempt={attempt} delay={delay_seconds} {message}")
        }
        Event::Failed { watch, message } => format!("{name} {watch} {message}"),
        Event::Stopped { watch } => format!("{name} {watch}"),
        Event::Restored { restored, failed, dropped: 0 } => format!("{name} restored={restored} failed={failed}"),
        Event::Restored { restored, failed, dropped } => {
            format!("{name} restored={restored} failed={failed} dropped={dropped}")
        }
    }
}
