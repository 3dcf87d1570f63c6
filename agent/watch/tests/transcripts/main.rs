//! The rules of the watch engine, each as a transcript of what happens (`>`) and what is done about it (`<`).

#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "a test may fail, and starts at any time")]

mod check;

mod checks;
mod filters;
mod limits;
mod logs;
mod recovery;
mod restart;
mod restore;
mod start;
mod states;
mod statuses;
mod telling;
