//! Stories on a real cluster, benchmarks, and the scripted model they use.
//!
//! - [`cluster`] is the cluster that `KUBECONFIG` names; [`chart`] installs the product there once for all stories.
//! - [`story`] gives each story a namespace and, when it fails, prints what [`report`] collects.
//! - [`apply`] applies manifests, [`fleet`] writes those of agents and watches, [`model`] runs the [`scripted_model`]
//!   in a pod, [`peer`] the [`scripted_server`].
//! - [`puppet`] is an agent whose every turn a story writes.
//! - [`volume`] makes a disk that outlives pods.
//! - [`wait`] and [`log`] wait for what is to come, by watching objects and following logs.

pub mod apply;
pub mod chart;
pub mod cluster;
pub mod fleet;
pub mod log;
pub mod model;
pub mod peer;
pub mod proxy;
pub mod puppet;
pub mod report;
pub mod scripted_model;
pub mod scripted_server;
pub mod story;
pub mod volume;
pub mod wait;
