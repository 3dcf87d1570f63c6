//! The watch engine: pushed changes in, notices out. Sans-IO.
//!
//! A [`Set`] holds the watches of an agent. It is told what happens as [`Input`] and answers with [`Output`]; it never
//! waits, reads no clock and does nothing by itself. What a change passes on its way to the agent, and where:
//!
//! ```text
//! Input -> set -> watch (gate: is the filter valid; subscription, reads; health: when to try again; restore)
//!                 -> reader -> sequence (event logs) | state (states; baseline: what is saved of one)
//!                 -> pipeline -> event (identity, paths: lockstep, line) -> filter -> dedupe -> batch (hour) -> Output::Notice
//!                 -> report -> Output::Status
//! ```
//!
//! [`Input::Seen`] closes the circle: a [`Status`] shows only what a finished turn has seen, so that a process that
//! goes on from it ([`Resume`]) tells the rest again.

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod baseline;
mod batch;
mod change;
mod dedupe;
mod digest;
mod event;
mod failure;
mod filter;
mod gate;
mod health;
mod hour;
mod identity;
mod input;
mod json;
mod line;
mod lockstep;
mod log;
mod notice;
mod output;
mod paths;
mod pipeline;
mod reader;
mod report;
mod restore;
mod sequence;
mod set;
mod spec;
mod state;
mod status;
mod watch;
mod what;
mod world;

pub use crate::failure::{Failure, FailureKind};
pub use crate::input::{Contents, FilterError, Input};
pub use crate::log::Event;
pub use crate::notice::{NOTE, Notice};
pub use crate::output::Output;
pub use crate::restore::RestoreNotice;
pub use crate::set::Set;
pub use crate::spec::{Id, Initial, Origin, Spec};
pub use crate::status::{Baseline, Counts, Cursor, Listed, Phase, Resume, Shape, Status};
