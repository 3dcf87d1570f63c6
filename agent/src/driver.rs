//! Performs what the engines put out. Decides nothing.

pub(crate) mod code;
pub(crate) mod filter;
pub(crate) mod turn;
pub(crate) mod watch;
