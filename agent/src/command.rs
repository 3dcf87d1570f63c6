//! The subcommands. Each returns the exit status, or an error for status 1.

pub(crate) mod agent;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod mcp;
pub(crate) mod run;
mod setup;
