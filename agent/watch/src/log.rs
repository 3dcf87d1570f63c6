//! The log events of watches: their names and what each carries.

use serde::Serialize;

/// Something worth a line in the log. Each is given out once for its case. Serialises to its fields alone, for the
/// driver to put beside [`Event::name`], the time and the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum Event {
    /// A watch was created, or starts anew because it watches something else.
    Started {
        /// The watch's name.
        watch: String,
        /// What it watches.
        uri: String,
    },
    /// A subscription was established.
    Subscribed {
        /// The watch's name.
        watch: String,
        /// The server that acknowledged.
        server: String,
    },
    /// An event was processed.
    Event {
        /// The watch's name.
        watch: String,
        /// The event's place in its sequence.
        seq: u64,
        /// The event's `type`.
        #[serde(rename = "type")]
        kind: String,
        /// Whether it is told.
        kept: bool,
    },
    /// A notice was sent to the agent.
    Notice {
        /// The watch's name.
        watch: String,
        /// The notice's id.
        id: String,
        /// Its lines.
        lines: Vec<String>,
        /// How many more lines there were.
        more: usize,
    },
    /// A subscription ended or could not be made, and the watch will try again.
    Resubscribing {
        /// The watch's name.
        watch: String,
        /// The attempt, from 1.
        attempt: u32,
        /// When it will be made, from now, in seconds.
        delay_seconds: u64,
        /// Why.
        message: String,
    },
    /// A watch could not start, or gave up its five attempts; it keeps trying at long intervals.
    Failed {
        /// The watch's name.
        watch: String,
        /// Why.
        message: String,
    },
    /// A watch was removed, or starts anew because it watches something else.
    Stopped {
        /// The watch's name.
        watch: String,
    },
    /// The watches that an earlier process left have started or failed to.
    Restored {
        /// How many run.
        restored: u32,
        /// How many could not start.
        failed: u32,
        /// How many can never start and were deleted, of those that the model made.
        dropped: u32,
    },
}

impl Event {
    /// Name of [`Event::Started`].
    pub const STARTED: &str = "watch.started";
    /// Name of [`Event::Subscribed`].
    pub const SUBSCRIBED: &str = "watch.subscribed";
    /// Name of [`Event::Event`].
    pub const EVENT: &str = "watch.event";
    /// Name of [`Event::Notice`].
    pub const NOTICE: &str = "watch.notice";
    /// Name of [`Event::Resubscribing`].
    pub const RESUBSCRIBING: &str = "watch.resubscribing";
    /// Name of [`Event::Failed`].
    pub const FAILED: &str = "watch.failed";
    /// Name of [`Event::Stopped`].
    pub const STOPPED: &str = "watch.stopped";
    /// Name of [`Event::Restored`].
    pub const RESTORED: &str = "watch.restored";

    /// The name under which it is logged.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Started { .. } => Self::STARTED,
            Self::Subscribed { .. } => Self::SUBSCRIBED,
            Self::Event { .. } => Self::EVENT,
            Self::Notice { .. } => Self::NOTICE,
            Self::Resubscribing { .. } => Self::RESUBSCRIBING,
            Self::Failed { .. } => Self::FAILED,
            Self::Stopped { .. } => Self::STOPPED,
            Self::Restored { .. } => Self::RESTORED,
        }
    }

    /// Whether the line is for those who asked for more than notices and trouble.
    pub fn verbose(&self) -> bool {
        match self {
            Self::Notice { .. } | Self::Failed { .. } => false,
            Self::Started { .. }
            | Self::Subscribed { .. }
            | Self::Event { .. }
            | Self::Resubscribing { .. }
            | Self::Stopped { .. }
            | Self::Restored { .. } => true,
        }
    }
}
