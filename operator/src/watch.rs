//! Watches: whether what they need is there, and how they are.

pub(crate) mod controller;
mod reconcile;
mod status;
