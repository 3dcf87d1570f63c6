//! What a session file holds: one record a line, from which a thread is built again after a restart.
//!
//! A turn is the records from its `turn_begin` to its `turn_end`, all with the same run. A notice is a *monitor event*:
//! it is enqueued when it comes, and dequeued and attached when a run claims it. It is never a user record.

use serde::{Deserialize, Serialize};

use crate::budget::Tokens;
use crate::message::ToolCall;

/// A line of a session file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Record {
    /// A run begins.
    TurnBegin {
        /// The run.
        run: u64,
        /// Where its reply goes.
        channel: Option<String>,
        /// The public channel in which somebody addressed the agent last.
        addressed: Option<String>,
    },
    /// The `onStart` of the settings, claimed by a run.
    Start {
        /// The run.
        run: u64,
        /// What it says.
        text: String,
    },
    /// Somebody's input, claimed by a run.
    User {
        /// The run.
        run: u64,
        /// Where it came from.
        channel: String,
        /// What was said.
        text: String,
    },
    /// Something waits for a run, or no longer does.
    #[serde(rename = "queue-operation")]
    QueueOperation {
        /// Which of the two.
        operation: Operation,
        /// What.
        #[serde(flatten)]
        queued: Queued,
    },
    /// A notice, claimed by a run.
    #[serde(rename = "attachment")]
    Attachment {
        /// The run.
        run: u64,
        /// The notice.
        #[serde(flatten)]
        monitor: Monitor,
    },
    /// What the model said.
    Assistant {
        /// The run.
        run: u64,
        /// Its words.
        text: String,
        /// What it called.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
    },
    /// What a call gave.
    ToolResult {
        /// The run.
        run: u64,
        /// The call.
        call: String,
        /// What the model is told of it.
        text: String,
    },
    /// A run ends.
    TurnEnd {
        /// The run.
        run: u64,
        /// How.
        outcome: Outcome,
        /// What it cost.
        usage: Tokens,
    },
}

/// What happens in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// It waits.
    Enqueue,
    /// A run claims it.
    Dequeue,
}

/// What waits for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Queued {
    /// A notice.
    Monitor(Monitor),
    /// Input that came while no run could claim it.
    Input {
        /// Where it came from.
        channel: String,
        /// What was said.
        text: String,
    },
}

/// A notice, as a session tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Monitor {
    /// `watch-<name>`
    pub task_id: String,
    /// `watch <name> <uri>`
    pub description: String,
    /// What the model is to do about it.
    pub note: String,
    /// Names the news over restarts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice_id: Option<String>,
    /// The whole message; left out where it is dequeued, since the attachment has it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Its reply was published.
    Completed,
    /// The model had nothing to say.
    Suppressed,
    /// The model failed, or a limit was reached: another run goes on with it.
    Retried,
    /// The model failed for good, and people were told so.
    Abandoned,
    /// There is no model: it was published as it is.
    Relayed,
    /// The agent ended.
    Interrupted,
}
