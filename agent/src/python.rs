//! Python at work in the agent: the functions it may call and who answers them.

pub(crate) mod builtins;
pub(crate) mod catalogue;
pub(crate) mod host;
