//! Agents: from an Agent to its objects, and from what became of them to its status.

mod container;
pub(crate) mod controller;
mod desired;
mod names;
pub(crate) mod pod;
mod rbac;
mod reconcile;
mod statefulset;
mod status;
mod volumes;
