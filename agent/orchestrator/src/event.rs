//! What the engine tells the log: names, and the fields of each.

use serde::Serialize;

/// `main.system.notice_stream`: a notice came in.
pub const NOTICE_STREAM: &str = "main.system.notice_stream";
/// `main.system.input_stream`: input came in.
pub const INPUT_STREAM: &str = "main.system.input_stream";
/// `main.system.waiting_rule_stream`: a rule says what an arrival does.
pub const WAITING_RULE_STREAM: &str = "main.system.waiting_rule_stream";
/// `main.system.agent_event_stream`: something about the agent itself, such as its start.
pub const AGENT_EVENT_STREAM: &str = "main.system.agent_event_stream";
/// `main.system.runtime_stream`: what the active run asked for has come.
pub const RUNTIME_STREAM: &str = "main.system.runtime_stream";
/// `main.system.throttled`: work waits for a limit.
pub const THROTTLED: &str = "main.system.throttled";
/// `main.system.unthrottled`: it does so no longer.
pub const UNTHROTTLED: &str = "main.system.unthrottled";
/// `thread.restored`: the conversation of an earlier process goes on.
pub const THREAD_RESTORED: &str = "thread.restored";
/// `notice.repeated`: a notice came again that was dealt with before a restart.
pub const NOTICE_REPEATED: &str = "notice.repeated";
/// `new_thread_run_created`: a run begins.
pub const RUN_CREATED: &str = "new_thread_run_created";
/// `run.queued`: something came in during a run; one more follows.
pub const RUN_QUEUED: &str = "run.queued";
/// `run.delta`: a piece of the reply.
pub const RUN_DELTA: &str = "run.delta";
/// `round.completed`: the model replied, be it with an answer or with calls.
pub const ROUND_COMPLETED: &str = "round.completed";
/// `code.started`: code of the model begins.
pub const CODE_STARTED: &str = "code.started";
/// `code.completed`: it has ended.
pub const CODE_COMPLETED: &str = "code.completed";
/// `run.completed`: a run was answered.
pub const RUN_COMPLETED: &str = "run.completed";
/// `run.failed`: a run was not answered and is tried again.
pub const RUN_FAILED: &str = "run.failed";
/// `run.abandoned`: a run was not answered and people were told so.
pub const RUN_ABANDONED: &str = "run.abandoned";
/// `run.cancelled`: a run was aborted because the agent stops.
pub const RUN_CANCELLED: &str = "run.cancelled";
/// `thread.shortened`: the conversation was too long for the model.
pub const THREAD_SHORTENED: &str = "thread.shortened";
/// `reply.published`: a text goes to a channel, if there is one.
pub const REPLY_PUBLISHED: &str = "reply.published";
/// `reply.suppressed`: the model had nothing to say.
pub const REPLY_SUPPRESSED: &str = "reply.suppressed";

/// A line of the log. Serialises to its fields alone, for the driver to put beside
/// [`Event::name`], the time and the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the fields are the log's, explained by the variant")]
pub enum Event {
    /// [`NOTICE_STREAM`]
    NoticeStream { source: String, number: Option<u64> },
    /// [`INPUT_STREAM`]
    InputStream { channel: String },
    /// [`WAITING_RULE_STREAM`]; `rule` is `AddMessage` or `RunThread`
    WaitingRuleStream { rule: &'static str },
    /// [`AGENT_EVENT_STREAM`]; `what` is the event
    AgentEventStream { what: &'static str },
    /// [`RUNTIME_STREAM`]; `what` is `reply`, `failure` or `code`
    RuntimeStream { run: u64, what: &'static str },
    /// [`THROTTLED`]
    Throttled { limit: &'static str, most: u64 },
    /// [`UNTHROTTLED`]
    Unthrottled {},
    /// [`THREAD_RESTORED`]; `goes_on` if a turn is taken up again that was interrupted
    ThreadRestored { turns: usize, goes_on: bool },
    /// [`NOTICE_REPEATED`]
    NoticeRepeated { source: String, number: Option<u64>, id: String },
    /// [`RUN_CREATED`]; `inputs` and `notices` are what it claims
    RunCreated { run: u64, channel: Option<String>, inputs: usize, notices: Vec<u64> },
    /// [`RUN_QUEUED`]; `run` is the active one
    RunQueued { run: u64 },
    /// [`RUN_DELTA`]
    RunDelta { run: u64, text: String },
    /// [`ROUND_COMPLETED`]; `round` counts from 1, `calls` is how many the model makes
    RoundCompleted { run: u64, round: u32, calls: usize, prompt_tokens: u64, completion_tokens: u64 },
    /// [`CODE_STARTED`]
    CodeStarted { run: u64, call: String, source: String },
    /// [`CODE_COMPLETED`]; `bytes` of what the model is told of it
    CodeCompleted { run: u64, call: String, bytes: usize },
    /// [`RUN_COMPLETED`]; the tokens of all its rounds
    RunCompleted { run: u64, rounds: u32, prompt_tokens: u64, completion_tokens: u64 },
    /// [`RUN_FAILED`]; `attempt` counts the failures in a row
    RunFailed { run: u64, message: String, attempt: u32, delay_seconds: u64 },
    /// [`RUN_ABANDONED`]
    RunAbandoned { run: u64, message: String },
    /// [`RUN_CANCELLED`]
    RunCancelled { run: u64 },
    /// [`THREAD_SHORTENED`]
    ThreadShortened { run: u64, max_bytes: usize },
    /// [`REPLY_PUBLISHED`]; `run` is the one it answers, if any does
    ReplyPublished { run: Option<u64>, channel: Option<String>, text: String },
    /// [`REPLY_SUPPRESSED`]
    ReplySuppressed { run: u64 },
}

impl Event {
    /// The event's name in the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoticeStream { .. } => NOTICE_STREAM,
            Self::InputStream { .. } => INPUT_STREAM,
            Self::WaitingRuleStream { .. } => WAITING_RULE_STREAM,
            Self::AgentEventStream { .. } => AGENT_EVENT_STREAM,
            Self::RuntimeStream { .. } => RUNTIME_STREAM,
            Self::Throttled { .. } => THROTTLED,
            Self::Unthrottled {} => UNTHROTTLED,
            Self::ThreadRestored { .. } => THREAD_RESTORED,
            Self::NoticeRepeated { .. } => NOTICE_REPEATED,
            Self::RunCreated { .. } => RUN_CREATED,
            Self::RunQueued { .. } => RUN_QUEUED,
            Self::RunDelta { .. } => RUN_DELTA,
            Self::RoundCompleted { .. } => ROUND_COMPLETED,
            Self::CodeStarted { .. } => CODE_STARTED,
            Self::CodeCompleted { .. } => CODE_COMPLETED,
            Self::RunCompleted { .. } => RUN_COMPLETED,
            Self::RunFailed { .. } => RUN_FAILED,
            Self::RunAbandoned { .. } => RUN_ABANDONED,
            Self::RunCancelled { .. } => RUN_CANCELLED,
            Self::ThreadShortened { .. } => THREAD_SHORTENED,
            Self::ReplyPublished { .. } => REPLY_PUBLISHED,
            Self::ReplySuppressed { .. } => REPLY_SUPPRESSED,
        }
    }

    /// Whether the line is for those who asked for more than replies and trouble.
    pub fn verbose(&self) -> bool {
        match self {
            Self::Throttled { .. }
            | Self::Unthrottled {}
            | Self::RunFailed { .. }
            | Self::RunAbandoned { .. }
            | Self::RunCancelled { .. }
            | Self::ReplyPublished { .. } => false,
            Self::NoticeStream { .. }
            | Self::InputStream { .. }
            | Self::WaitingRuleStream { .. }
            | Self::AgentEventStream { .. }
            | Self::RuntimeStream { .. }
            | Self::ThreadRestored { .. }
            | Self::NoticeRepeated { .. }
            | Self::RunCreated { .. }
            | Self::RunQueued { .. }
            | Self::RunDelta { .. }
            | Self::RoundCompleted { .. }
            | Self::CodeStarted { .. }
            | Self::CodeCompleted { .. }
            | Self::RunCompleted { .. }
            | Self::ThreadShortened { .. }
            | Self::ReplySuppressed { .. } => true,
        }
    }
}
