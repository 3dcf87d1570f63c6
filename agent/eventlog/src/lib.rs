//! Event logs: the ring a server keeps and the body a client reads.
//!
//! An event log is a resource of the MIME type [`MIME`]. Its body carries events with a rising `seq`, and may say how
//! far it reaches: `epoch` names the sequence, everything after `floor` is held, and it is complete up to `head`.
//!
//! - [`Ring`]: a server's bounded log of pre-serialised events.
//! - [`write`]: a body by concatenation; nothing is serialised twice.
//! - [`Body`]: a client's view of a body, which borrows the events and reads no more of them than their `seq`.
//! - [`Since`]: where a reader stands, sent in a read's `_meta` under [`SINCE`]; the answer may then hold newer events only.

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod ring;
mod wire;

pub use crate::ring::Ring;
pub use crate::wire::{Body, Error, Event, Extent, MIME, SINCE, Since, write};
