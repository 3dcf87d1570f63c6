//! One Watch: look at its Agent and at what the agent says, write its status.

use std::sync::Arc;

use asyncai_crds::{Time, Watch};
use jiff::Timestamp;
use kube::{Resource, ResourceExt};

use super::status::{self, Observed};
use crate::{
    agent::pod,
    apply,
    context::{Context, get},
    error::Error,
};

/// Writes the operator's part of the status of `watch` if it has changed.
pub(super) async fn reconcile(watch: Arc<Watch>, ctx: Arc<Context>) -> Result<(), Error> {
    if watch.meta().deletion_timestamp.is_some() {
        return Ok(());
    }
    let (namespace, agent) = (watch.namespace().unwrap_or_default(), &watch.spec.agent_ref.name);
    let pod = ctx.caches.pod_of(&namespace, agent);
    let agent = get(&ctx.caches.agents, &namespace, agent);
    let seen = Observed { watch: &watch, agent: agent.as_deref(), pod: pod::observe(pod.as_deref()) };
    let status = status::status(&seen, &Time(Timestamp::now()));
    if status::unchanged(&watch, &status) {
        return Ok(());
    }
    apply::status(&ctx.client, &ctx.metrics, &*watch, &status).await
}

#[cfg(test)]
mod tests;
