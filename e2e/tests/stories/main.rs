//! Stories on a real cluster, one a file; they run where `KUBECONFIG` names one, and say so where it does not.
//!
//! They share one process, so that the chart is installed once: `cargo test -p asyncai-e2e --test stories burst` tells
//! one of them, and `ASYNCAI_KEEP=1` keeps its namespace.

mod access;
mod admission;
mod away;
mod burst;
mod changes;
mod chat;
mod codemode;
mod compaction;
mod conflict;
mod endpoint;
mod feedback;
mod filters;
mod flood;
mod idle;
mod injection;
mod lifecycle;
mod manifests;
mod midturn;
mod people;
mod plain_log;
mod restart;
mod restored;
mod secrets;
mod storm;
mod turns;
mod typo;
mod uninstall;
