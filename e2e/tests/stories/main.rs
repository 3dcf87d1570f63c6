//! Stories on a real cluster, one a file; they run where `KUBECONFIG` names one, and say so where it does not.
//!
//! They share one process, so that the chart is installed once: `cargo test -p asyncai-e2e --test stories burst` tells
//! one of them, and `ASYNCAI_KEEP=1` keeps its namespace.

mod access;
mod admission;
mod burst;
mod changes;
mod idle;
mod manifests;
mod restart;
mod secrets;
mod typo;
mod uninstall;
