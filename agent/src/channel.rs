//! Channels: where input comes from and replies go.

pub(crate) mod console;
pub(crate) mod line;
