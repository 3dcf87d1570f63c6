//! The Agent and Watch custom resources, and what the operator and the agent share.
//!
//! - [`agent`] and [`watch`] are the two kinds of `asyncai.dev/v1alpha1`. The custom resource definitions in the
//!   chart are generated from these types by `crdgen` and never edited.
//! - [`condition`] and [`reason`] hold the words in which both programs report.
//! - [`contract`] holds the names, labels, paths and ports that the operator sets and the agent relies on.
//! - [`support`] tells what the API accepts but this version does not do yet.
//! - [`schema`] turns the derived schemas into those that are shipped; [`validate`] checks a manifest against them
//!   without an API server.
//!
//! There is no client and no runtime here: whoever uses these types brings their own.

#[expect(unreachable_pub, reason = "what kube derives for rules has a public type within a function")]
pub mod agent;
pub mod condition;
pub mod contract;
pub mod reason;
pub mod schema;
pub mod secret;
pub mod support;
pub mod validate;
#[expect(unreachable_pub, reason = "what kube derives for rules has a public type within a function")]
pub mod watch;

pub use agent::{Agent, AgentSpec, AgentStatus};
pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
pub use reason::Reason;
pub use secret::SecretKeyRef;
pub use watch::{Watch, WatchSpec, WatchStatus};
