//! One Agent: make its objects, look at its pod, write its status.

use std::sync::Arc;

use asyncai_crds::{Agent, Time, contract};
use jiff::Timestamp;
use kube::{Resource, ResourceExt, core::Status};

use super::{
    desired::{Desired, desired},
    pod, statefulset,
    status::{self, Applied, Observed},
};
use crate::{
    apply,
    context::{Context, get},
    error::Error,
};

/// Brings the API server to what `agent` asks for. Everything is compared first, so that nothing is written if nothing
/// is to be changed.
pub(super) async fn reconcile(agent: Arc<Agent>, ctx: Arc<Context>) -> Result<(), Error> {
    if agent.meta().deletion_timestamp.is_some() {
        // Its objects go with it, by their owner references.
        return Ok(());
    }
    let desired = match desired(&agent, &ctx.settings, ctx.caches.confined()) {
        Ok(desired) => desired,
        // It stays so until the spec changes, so there is nothing to try again.
        Err(refusal) => return report(&agent, &ctx, Applied::Refused(&refusal), None).await,
    };
    let outcome = make(&agent, &ctx, &desired).await;
    let applied = match &outcome {
        Ok(()) => Applied::Done,
        Err(Error::Refused(refusal)) => Applied::Refused(refusal),
        Err(Error::Api { source: kube::Error::Api(answer), .. }) if namespace_ends(answer) => return Ok(()),
        Err(Error::Api { source: kube::Error::Api(answer), .. }) if is_refusal(answer.code) => {
            Applied::Failed(&answer.message)
        }
        // It may be over before anybody could read of it.
        Err(_) => return outcome,
    };
    report(&agent, &ctx, applied, Some(&desired)).await?;
    outcome
}

async fn make(agent: &Agent, ctx: &Context, desired: &Desired) -> Result<(), Error> {
    let (namespace, name) = (agent.namespace().unwrap_or_default(), contract::child_name(&agent.name_any()));
    let Context { client, caches, metrics, .. } = ctx;
    let mut written = false;
    let account = get(&caches.accounts, &namespace, &name);
    written |= apply::object(client, metrics, account.as_deref(), &desired.account).await?;
    let role = get(&caches.roles, &namespace, &name);
    written |= apply::object(client, metrics, role.as_deref(), &desired.role).await?;
    let binding = get(&caches.bindings, &namespace, &name);
    written |= apply::object(client, metrics, binding.as_deref(), &desired.binding).await?;
    let set = get(&caches.sets, &namespace, &name);
    written |= apply::object(client, metrics, set.as_deref(), &desired.set).await?;
    if written {
        tracing::info!(event = "agent.applied", namespace, agent = agent.name_any());
    }
    Ok(())
}

async fn report(agent: &Agent, ctx: &Context, applied: Applied<'_>, desired: Option<&Desired>) -> Result<(), Error> {
    let (namespace, name) = (agent.namespace().unwrap_or_default(), agent.name_any());
    let pod = ctx.caches.pod_of(&namespace, &name);
    let wanted = desired.and_then(|desired| statefulset::rollout(&desired.set.spec.as_ref()?.template));
    let seen = Observed {
        agent,
        applied,
        pod: pod::observe(pod.as_deref()),
        rolled_out: pod.as_deref().and_then(pod::rollout) == wanted,
        confined: ctx.caches.confined(),
        watch_count: u32::try_from(ctx.caches.watches_of(&namespace, &name).len()).unwrap_or(u32::MAX),
    };
    let status = status::status(&seen, &Time(Timestamp::now()));
    if status::unchanged(agent, &status) {
        return Ok(());
    }
    apply::status(&ctx.client, &ctx.metrics, agent, &status).await
}

/// The Agent is about to be deleted with its namespace, where nothing new can be made.
fn namespace_ends(answer: &Status) -> bool {
    answer.details.iter().flat_map(|details| &details.causes).any(|cause| cause.reason == "NamespaceTerminating")
}

/// The API server understood and said no; a conflict or too many requests will pass.
fn is_refusal(code: u16) -> bool {
    (400..500).contains(&code) && ![404, 409, 429].contains(&code)
}

#[cfg(test)]
mod tests;
