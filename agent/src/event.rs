//! Everything that the agent's loop can meet.

use asyncai_crds::{Agent, Watch};
use tokio::sync::oneshot;

use crate::channel::Incoming;
use crate::channel::line::Line;
use crate::python::host::{Answer, Request, Start};
use crate::secrets::Secrets;

/// Something that happened.
pub(crate) enum Event {
    /// The Agent as it is now.
    Agent(Box<Agent>),
    /// The Agent was deleted.
    AgentGone,
    /// A Watch of the agent, new or changed.
    Watch(Box<Watch>),
    /// The Watch of this UID is gone.
    WatchGone(String),
    /// Every Watch that existed at the start has been told.
    Listed,
    /// The manifests, as they are now; the Secrets if they changed.
    Manifests(Box<Agent>, Vec<Watch>, Option<Secrets>),
    /// What came of an output of the watch engine.
    Watches(Box<asyncai_watch::Input>),
    /// What came of an output of the turn engine.
    Turns(asyncai_orchestrator::Input),
    /// The status of an MCP server changed.
    Servers,
    /// Each MCP server is connected or known to be down, for the first turn to know what code can call.
    Settled,
    /// A mounted Secret changed.
    Secrets,
    /// Somebody addressed the agent in a channel.
    Incoming(Incoming),
    /// How a channel is has changed.
    Channels,
    /// Code asks for something about the watches.
    Request(Box<Request>),
    /// What a watch of code is to watch from now on can be read.
    Readable(Box<(Watch, Option<asyncai_watch::Id>, Start, oneshot::Sender<Answer>)>),
    /// The object of a watch that code started has this UID, or was not saved.
    Saved(Box<(Start, oneshot::Sender<Answer>, Result<String, String>)>),
    /// A line was typed.
    Console(Line),
    /// A tool call that was typed has returned: a line for the terminal.
    Called(String),
    /// Nothing more will be typed.
    ConsoleClosed,
    /// SIGTERM or SIGINT.
    Stop,
}

impl Event {
    /// An input of the watch engine.
    pub(crate) fn watches(input: asyncai_watch::Input) -> Self {
        Self::Watches(Box::new(input))
    }
}
