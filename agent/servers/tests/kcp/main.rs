//! The kcp server on a real API server, read by our own client. Runs where `KUBECONFIG` is set.
#![expect(clippy::expect_used, reason = "helpers of tests")]

mod harness;
mod proxy;
mod stories;
mod tools;
