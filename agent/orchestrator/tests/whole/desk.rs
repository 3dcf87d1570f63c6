//! What must hold of turns: one run at a time, calls that a model can take, limits that hold, people who are answered, and
//! notices that count as seen only if a finished turn had them, or people were told.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use asyncai_orchestrator::{Config, Limit, Message, Notice, Usage};
use asyncai_watch::Id;

use crate::model::bytes;

const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;

/// What the active run waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Awaits {
    Nothing,
    Reply,
    Code(String),
}

/// The active run.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) run: u64,
    began: u64,
    pub(crate) awaits: Awaits,
    /// The notices that it claims.
    claims: Vec<u64>,
    /// The ids of notices, and the questions, that its last call holds.
    holds: HashSet<String>,
}

/// A notice that nobody has seen.
#[derive(Debug)]
struct Outstanding {
    pub(crate) watch: Option<Id>,
    id: Option<String>,
    /// Its lines as people read them.
    relayed: Vec<String>,
    /// A finished turn had it.
    evidence: bool,
}

/// Somebody waits for an answer.
#[derive(Debug)]
struct Question {
    mark: String,
    channel: String,
    /// The session has it.
    durable: bool,
}

/// The account of the turns of one process, and of the people of all.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    pub(crate) active: Option<Active>,
    outstanding: BTreeMap<u64, Outstanding>,
    /// What was posted since the last notices were seen.
    published: BTreeSet<String>,
    questions: Vec<Question>,
    asked: u64,
    /// When the runs that were answered began.
    answered: VecDeque<u64>,
    day: u64,
    tokens: u64,
    /// What was learned of the model's limit.
    limit: Option<usize>,
    last_run: u64,
    /// What the run held that was given up last.
    given_up: HashSet<String>,
    /// What people were told of the limit that holds turns back.
    limits_told: HashSet<(String, String)>,
    limit_told: Option<Limit>,
}

impl Desk {
    /// A process begins that knows what was used today.
    pub(crate) fn begin(&mut self, used: Usage, persistent: bool, clean: bool, last_run: u64) {
        // Who asked a process that died has no sign of it, and asks again sooner or later.
        self.questions.retain(|question| persistent && (clean || question.durable));
        let questions = std::mem::take(&mut self.questions);
        *self = Self { questions, asked: self.asked, day: used.day, tokens: used.tokens, last_run, ..Self::default() };
    }

    /// Somebody says something; the text of it.
    pub(crate) fn ask(&mut self, channel: &str, length: usize) -> String {
        self.asked += 1;
        let mark = format!("[q{}]", self.asked);
        let text = format!("{mark} {}", "why ".repeat(length));
        self.questions.push(Question { mark, channel: channel.to_owned(), durable: false });
        text
    }

    /// The session is on disk.
    pub(crate) fn committed(&mut self) {
        self.questions.iter_mut().for_each(|question| question.durable = true);
    }

    pub(crate) fn told(&mut self, watch: Option<Id>, notice: &Notice) {
        let more = (notice.more > 0).then(|| format!("+{} more", notice.more));
        let lines = notice.lines.iter().cloned().chain(more);
        let relayed = lines.map(|line| format!("{}: {line}", notice.source)).collect();
        let number = notice.number.expect("a number");
        let new = Outstanding { watch, id: notice.id.clone(), relayed, evidence: false };
        assert!(self.outstanding.insert(number, new).is_none(), "the number {number} was given twice");
    }

    pub(crate) fn begins(&mut self, now: u64, run: u64, notices: Vec<u64>, config: &Config) {
        assert!(self.active.is_none(), "run {run} begins beside {:?}", self.active);
        assert!(run > self.last_run, "run {run} comes after {}", self.last_run);
        assert!(!config.suspend && !config.relay, "no run begins while suspended or without a model");
        let recent = self.answered.iter().filter(|began| **began + HOUR > now).count();
        let most = usize::try_from(config.max_turns_per_hour).expect("a count");
        assert!(recent < most, "{recent} runs in an hour, of at most {most}");
        let tokens = self.today(now);
        assert!(tokens < config.max_tokens_per_day, "{tokens} tokens a day, of at most {}", config.max_tokens_per_day);
        assert!(notices.iter().all(|number| self.outstanding.contains_key(number)), "a run claims what is not told");
        self.last_run = run;
        self.active = Some(Active { run, began: now, awaits: Awaits::Nothing, claims: notices, holds: HashSet::new() });
    }

    pub(crate) fn calls(&mut self, run: u64, messages: &[Message], config: &Config, rounds: &str) {
        check_pairs(messages);
        let (system, rest) = messages.split_first().expect("a message");
        assert_eq!(*system, Message::System(config.system_prompt.clone()), "the system prompt comes first");
        let limit = self.limit.unwrap_or(config.max_thread_bytes);
        // Of each message a stub stays.
        let stubs = rest.len() * 300;
        let size: usize = rest.iter().map(bytes).sum();
        assert!(size <= limit + stubs + 2_048, "a call of {size} bytes, of at most {limit}, {}", rest.len());
        let holds: HashSet<String> = rest.iter().filter_map(mark).map(str::to_owned).collect();
        let active = self.active.as_mut().filter(|active| active.run == run).expect("a run");
        assert_eq!(active.awaits, Awaits::Nothing, "run {run} asks twice: {rounds}");
        active.awaits = Awaits::Reply;
        if size < limit / 2 {
            for number in &active.claims {
                let id = self.outstanding.get(number).and_then(|notice| notice.id.as_ref());
                assert!(id.is_none_or(|id| holds.contains(id)), "notice {number} is not in the call of its run");
            }
        }
        active.holds = holds;
    }

    /// A reply comes, be it too late.
    pub(crate) fn replied(&mut self, run: u64) {
        if let Some(active) = self.active.as_mut().filter(|active| active.run == run && active.awaits == Awaits::Reply)
        {
            active.awaits = Awaits::Nothing;
        }
    }

    /// Code has run, be it too late.
    pub(crate) fn code_ran(&mut self, run: u64, call: &str) {
        let awaited = |active: &&mut Active| active.run == run && active.awaits == Awaits::Code(call.to_owned());
        if let Some(active) = self.active.as_mut().filter(awaited) {
            active.awaits = Awaits::Nothing;
        }
    }

    /// A run goes on at once, unless the tokens of the day are spent.
    pub(crate) fn goes_on(&mut self, is_over: bool) {
        if self.active.as_ref().is_some_and(|active| active.awaits == Awaits::Nothing) {
            assert!(is_over, "{:?} does not go on", self.active);
            self.active = None;
        }
    }

    pub(crate) fn limit(&self) -> Option<usize> {
        self.limit
    }

    pub(crate) fn runs_code(&mut self, run: u64, call: &str) {
        let active = self.active.as_mut().filter(|active| active.run == run).expect("a run");
        assert_eq!(active.awaits, Awaits::Nothing, "run {run} runs code while it waits");
        active.awaits = Awaits::Code(call.to_owned());
    }

    /// The model has replied.
    pub(crate) fn spends(&mut self, now: u64, tokens: u64) {
        self.tokens = self.today(now) + tokens;
    }

    /// The day's tokens until now.
    pub(crate) fn today(&mut self, now: u64) -> u64 {
        if now / DAY != self.day {
            (self.day, self.tokens) = (now / DAY, 0);
        }
        self.tokens
    }

    /// The run is answered: its notices are seen, its questions answered.
    pub(crate) fn completes(&mut self, run: u64) {
        let active = self.active.take().filter(|active| active.run == run).expect("a run");
        self.answered.push_back(active.began);
        for (number, notice) in &mut self.outstanding {
            notice.evidence |= active.claims.contains(number);
            notice.evidence |= notice.id.as_ref().is_some_and(|id| active.holds.contains(id));
        }
        self.questions.retain(|question| !active.holds.contains(&question.mark));
    }

    /// The run is given up.
    pub(crate) fn ends(&mut self, run: u64) {
        self.given_up = self.active.take().filter(|active| active.run == run).expect("a run").holds;
    }

    pub(crate) fn shortened(&mut self, limit: Option<usize>) {
        self.limit = limit;
    }

    /// A limit holds turns back, or does so no longer.
    pub(crate) fn throttled(&mut self, limit: Option<Limit>) {
        if limit != self.limit_told {
            self.limits_told.clear();
        }
        self.limit_told = limit;
    }

    /// Something is posted.
    pub(crate) fn publishes(&mut self, run: Option<u64>, channel: Option<&str>, text: &str, persistent: bool) {
        self.published.insert(text.to_owned());
        if let (Some((limit, _)), None) = (text.split_once(" is reached; "), run) {
            let new = self.limits_told.insert((channel.unwrap_or_default().to_owned(), limit.to_owned()));
            assert!(new, "{channel:?} is told again: {text}");
        }
        let refuses = text.starts_with("I cannot answer, the model failed");
        if refuses || text.starts_with("I relay notices") || (text.starts_with("I have to stop") && !persistent) {
            let before = self.questions.len();
            let given_up = &self.given_up;
            let is_told = |question: &Question| !refuses || given_up.contains(&question.mark);
            self.questions.retain(|question| Some(&*question.channel) != channel || !is_told(question));
            assert!(before > self.questions.len(), "nobody waits in {channel:?} for {run:?}: {text}");
        }
    }

    /// The session says that this was dealt with, and people may never have seen how.
    pub(crate) fn cut(&mut self, text: &str) {
        self.questions.retain(|question| !text.starts_with(&question.mark));
    }

    /// The turn engine says that a notice is one of before.
    pub(crate) fn repeated(&mut self, number: u64) -> Option<Id> {
        let notice = self.outstanding.get_mut(&number).expect("a notice");
        notice.evidence = true;
        notice.watch.clone()
    }

    /// A notice is seen: of which watch.
    pub(crate) fn seen(&mut self, number: u64) -> Option<Id> {
        let notice = self.outstanding.remove(&number).expect("what is seen was told, and is seen once");
        let told = notice.relayed.iter().all(|line| self.published.contains(line));
        assert!(notice.evidence || told, "{notice:?} was in no finished turn, and nobody was told");
        notice.watch
    }

    pub(crate) fn all_seen(&mut self) {
        self.published.clear();
    }

    pub(crate) fn check_settled(&self) {
        assert!(self.active.is_none(), "{:?} never ends", self.active);
        assert!(self.outstanding.is_empty(), "{:?} were never seen", self.outstanding);
        assert!(self.questions.is_empty(), "{:?} were never answered", self.questions);
    }
}

/// Each call is followed by its results, in order, and there are no others.
fn check_pairs(messages: &[Message]) {
    let mut open: VecDeque<&str> = VecDeque::new();
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::Tool { call, .. } => assert_eq!(open.pop_front(), Some(&**call), "a result without a call"),
            Message::System(_) | Message::User(_) | Message::Assistant { .. } => {
                assert!(open.is_empty(), "calls without a result: {open:?}");
                assert!(at == 0 || !matches!(message, Message::System(_)), "one system prompt");
            }
        }
        if let Message::Assistant { calls, text } = message {
            assert!(!calls.is_empty() || !text.trim().is_empty(), "an empty message");
            open.extend(calls.iter().map(|call| &*call.id));
        }
    }
    assert!(open.is_empty(), "calls without a result: {open:?}");
}

/// The id of the notice, or the mark of the question, that a message holds.
fn mark(message: &Message) -> Option<&str> {
    let Message::User(text) = message else { return None };
    if text.starts_with("[q") {
        return text.split_inclusive(']').next();
    }
    let (_, rest) = text.split_once("<watch-event ")?;
    let (_, rest) = rest.split_once(" id=\"")?;
    rest.split_once('"').map(|(id, _)| id)
}
