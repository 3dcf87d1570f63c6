//! The turn engine: notices and input in, runs and replies out. Sans-IO.
//!
//! One [`Orchestrator`] holds one conversation (a *thread*) and lets at most one *run* (a call of the
//! model) be active. Feed it with [`Orchestrator::handle`], drain [`Orchestrator::poll`], and come
//! back at [`Orchestrator::next_wake`]. It never waits, reads no clock and cannot fail: what goes
//! wrong comes in as an [`Input`] and goes out as an [`Output`].
//!
//! | File | Decides |
//! |---|---|
//! | `rules` | what an arrival does: add a message, ask for a run |
//! | `thread` | which messages a run claims, what is forgotten when there are too many |
//! | `orchestrator` | when the next run begins, and when all is done |
//! | `orchestrator/outcome` | what follows from a reply, a failure, and from giving up |
//! | `budget` | turns an hour, tokens a day |
//! | `retry` | how long after a failed run the next one begins, and when to give up |
//! | `route` | the channel a reply goes to |
//! | `reply` | whether a reply is published, and how |
//! | `io`, `message`, `notice`, `config`, `event`, `run`, `prompt` | the words all of these are said in |
#![warn(clippy::wildcard_enum_match_arm)]

mod budget;
mod config;
pub mod event;
mod io;
mod message;
mod notice;
mod orchestrator;
mod prompt;
mod record;
mod reply;
mod retry;
mod route;
mod rules;
mod run;
mod thread;

pub use budget::{Limit, Throttle, Tokens, Usage};
pub use config::Config;
pub use event::Event;
pub use io::{Failure, FailureKind, Finish, Input, Output, Reply};
pub use message::{Message, ToolCall};
pub use notice::Notice;
pub use orchestrator::Orchestrator;
pub use prompt::Prompt;
pub use record::{Monitor, Operation, Outcome, Queued, Record};
