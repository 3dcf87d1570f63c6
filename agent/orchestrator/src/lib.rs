//! The turn engine: notices and input in, runs and replies out. Sans-IO.
//!
//! One [`Orchestrator`] holds one conversation (a *thread*) and lets at most one *run* be active: the rounds in which
//! the model calls code and reads what came of it, until it answers. Feed it with [`Orchestrator::handle`], drain
//! [`Orchestrator::poll`], and come back at [`Orchestrator::next_wake`]. It never waits, reads no clock and cannot fail:
//! what goes wrong comes in as an [`Input`] and goes out as an [`Output`].
//!
//! | File | Decides |
//! |---|---|
//! | `rules` | what an arrival does: add a message, ask for a run |
//! | `thread` | which messages a run claims, which turns are forgotten when there are too many |
//! | `turn`, `fit` | what one turn holds, and what of it is cut when that is too much |
//! | `orchestrator` | when the next run begins, and when all is done |
//! | `orchestrator/round` | which code is run, and when there is enough of it |
//! | `orchestrator/outcome` | what follows from a reply, a failure, and from giving up |
//! | `orchestrator/session` | what is put on record |
//! | `replay` | what a restart finds in the records |
//! | `compact` | which records a restart needs |
//! | `tool` | what a call of the model comes to |
//! | `budget` | turns an hour, tokens a day |
//! | `retry` | how long after a failed run the next one begins, and when to give up |
//! | `route` | the channel a reply goes to |
//! | `reply` | whether a reply is published, and how |
//! | `io`, `message`, `notice`, `record`, `config`, `event`, `run`, `prompt` | the words all of these are said in |
#![warn(clippy::wildcard_enum_match_arm)]

mod budget;
mod compact;
mod config;
pub mod event;
mod fit;
mod io;
mod message;
mod notice;
mod orchestrator;
mod prompt;
mod record;
mod replay;
mod reply;
mod retry;
mod route;
mod rules;
mod run;
mod thread;
mod tool;
mod turn;

pub use budget::{Limit, Throttle, Tokens, Usage};
pub use compact::compact;
pub use config::Config;
pub use event::Event;
pub use io::{Failure, FailureKind, Finish, Input, Output, Reply};
pub use message::{Message, ToolCall};
pub use notice::Notice;
pub use orchestrator::Orchestrator;
pub use prompt::Prompt;
pub use record::{Monitor, Operation, Outcome, Queued, Record};
pub use tool::RUN_CODE;
