//! The client against the simple server over each transport, and against other implementations.
#![expect(clippy::expect_used, reason = "helpers of tests")]

mod conformance;
mod files;
mod http;
mod in_process;
mod interop;
mod stdio;
mod subscriptions;
mod support;
