//! Performs what the engines put out. Decides nothing.

pub(crate) mod turn;
pub(crate) mod watch;
