//! What goes into the engine and what comes out.

use std::time::{Duration, Instant};

use crate::budget::{Throttle, Tokens, Usage};
use crate::config::Config;
use crate::event::Event;
use crate::message::{Message, ToolCall};
use crate::notice::Notice;
use crate::record::Record;

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Input {
    /// The time that [`crate::Orchestrator::next_wake`] named has come.
    Wake,
    /// The settings changed.
    Config(Config),
    /// Another model, or another key for it: what was learned of the model is forgotten, and a run that
    /// waits to be tried again is tried now.
    ModelChanged,
    /// What an earlier process recorded, in order. Comes before [`Input::Start`].
    Restore(Vec<Record>),
    /// Saved watches are restored, or have failed to be: turns may begin, `on_start` first, and what
    /// came in until now is told in that same turn.
    Start,
    /// Somebody addressed the agent.
    User {
        /// The channel it came from, where the reply goes.
        channel: String,
        /// What was said.
        text: String,
    },
    /// News for the model.
    Notice(Notice),
    /// A piece of the reply to a call.
    Delta {
        /// The run it belongs to; another than the active one is ignored.
        run: u64,
        /// The piece.
        text: String,
    },
    /// A call has ended.
    Reply {
        /// The run it belongs to; another than the active one is ignored.
        run: u64,
        /// How it ended.
        result: Result<Reply, Failure>,
    },
    /// Code has run to its end, or was stopped.
    CodeRan {
        /// The run it belongs to; another than the active one is ignored.
        run: u64,
        /// The call it was run for; another than the pending one is ignored.
        call: String,
        /// What the model is told of it.
        text: String,
    },
    /// Whether notices are on their way, so that the engine does not finish before them.
    Pending(bool),
    /// There will be no more input: finish when idle.
    Eof,
    /// Finish now. The active run may end until the deadline, none begins. Told again, the earlier deadline counts.
    Stop {
        /// When the active run is cancelled.
        deadline: Instant,
    },
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Call the model, and give back [`Input::Reply`].
    Call {
        /// The run, named in what comes back.
        run: u64,
        /// The conversation, the system prompt first.
        messages: Vec<Message>,
    },
    /// Run Python of the model, and give back [`Input::CodeRan`].
    RunCode {
        /// The run, named in what comes back.
        run: u64,
        /// The call, named in what comes back.
        call: String,
        /// The Python.
        source: String,
    },
    /// Abort the call of the model, or the code; nothing is expected back.
    Cancel {
        /// The run it was made for.
        run: u64,
    },
    /// A piece of what the model says, for a channel that shows it as it comes. Whether it is the reply shows only
    /// with the [`Output::Publish`] of the run, which holds the whole: the model may call code instead, or turn out
    /// to have nothing to say.
    Delta {
        /// The run it belongs to.
        run: u64,
        /// Where the reply will go.
        channel: String,
        /// The piece.
        text: String,
    },
    /// Write a line of the session file.
    Record(Record),
    /// Make the records until now durable, before anything that follows is done.
    Commit,
    /// Post a text. The log has it already, as [`Event::ReplyPublished`].
    Publish {
        /// The run that it answers, or tells of, if it is any.
        run: Option<u64>,
        /// Where; None: there is no channel.
        channel: Option<String>,
        /// What.
        text: String,
    },
    /// The turn that held these notices has ended, or people were told them.
    Seen(Vec<u64>),
    /// What has been used today.
    Usage(Usage),
    /// Work waits for a limit, or (None) does so no longer.
    Throttled(Option<Throttle>),
    /// Something worth a line of the log.
    Log(Event),
    /// All is done; nothing follows.
    Finished,
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The whole text.
    pub text: String,
    /// What the model calls; none: this is its answer.
    pub calls: Vec<ToolCall>,
    /// Why it ended.
    pub finish: Finish,
    /// What it cost; None if the endpoint does not say, then it is estimated from the length.
    pub tokens: Option<Tokens>,
}

/// Why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// It is complete.
    Stop,
    /// It was cut at the token limit.
    Length,
    /// The endpoint withheld the rest.
    Filtered,
    /// Some other reason, in the endpoint's word.
    Other(String),
}

/// A call that gave no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What can be done about it.
    pub kind: FailureKind,
    /// The reason, for people.
    pub message: String,
    /// How long the endpoint asks to be left alone.
    pub retry_after: Option<Duration>,
}

/// What can be done about a failed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// It may well work later.
    Transient,
    /// The endpoint does not want this request: a wrong key, an unknown model.
    Refused,
    /// The conversation is too long for the model.
    ContextTooLong,
}
