//! Which changes wake which Agent.

use std::sync::Arc;

use asyncai_crds::{
    Agent, Condition, Watch,
    condition::{self, RESOLVED_REFS},
    contract,
};
use k8s_openapi::{
    api::{apps::v1::StatefulSet, core::v1::Pod},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use kube::{Resource, ResourceExt, runtime::reflector::ObjectRef};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{pod, reconcile::reconcile};
use crate::{context::Context, drive::drive, feed::Change};

/// Reconciles Agents until `stop`.
pub(crate) async fn run(ctx: Arc<Context>, queue: mpsc::UnboundedReceiver<ObjectRef<Agent>>, stop: CancellationToken) {
    drive(ctx.caches.agents.clone(), queue, ctx, stop, reconcile).await;
}

/// The Agent itself: by its spec and by what the agent says of it. Our own status writes and the agent's counts wake
/// nobody, and what is gone needs nothing.
pub(crate) fn on_agent((before, after): Change<'_, Agent>) -> Option<ObjectRef<Agent>> {
    let after = after?;
    (before.map(basis) != Some(basis(after))).then(|| ObjectRef::from_obj(after))
}

fn basis(agent: &Agent) -> (Option<&str>, Option<i64>, bool, Option<&Condition>) {
    let refs = agent.status.as_ref().and_then(|status| condition::find(&status.conditions, RESOLVED_REFS));
    let meta = &agent.metadata;
    (meta.uid.as_deref(), meta.generation, meta.deletion_timestamp.is_some(), refs)
}

/// An object that the Agent became: any change, because somebody else may have made it.
pub(crate) fn on_child<K: Resource<DynamicType = ()>>((before, after): Change<'_, K>) -> Option<ObjectRef<Agent>> {
    let version = |child: Option<&K>| child.and_then(ResourceExt::resource_version);
    (version(before) != version(after)).then(|| owner(after.or(before)?)).flatten()
}

/// The StatefulSet: as above, less its status, which the pod tells better.
pub(crate) fn on_set((before, after): Change<'_, StatefulSet>) -> Option<ObjectRef<Agent>> {
    let basis = |set: Option<&StatefulSet>| {
        set.map(|set| (ObjectMeta { resource_version: None, ..set.metadata.clone() }, set.spec.clone()))
    };
    (basis(before) != basis(after)).then(|| owner(after.or(before)?)).flatten()
}

/// The pod, when what it says or from which template it was made changes.
pub(crate) fn on_pod((before, after): Change<'_, Pod>) -> Option<ObjectRef<Agent>> {
    let basis = |pod: Option<&Pod>| (pod::observe(pod), pod.and_then(pod::rollout).map(str::to_owned));
    (basis(before) != basis(after)).then(|| labelled(after.or(before)?)).flatten()
}

/// A Watch that came or went: its Agent counts it.
pub(crate) fn on_watch((before, after): Change<'_, Watch>) -> Option<ObjectRef<Agent>> {
    (before.is_some() != after.is_some()).then(|| after.or(before)).flatten().map(watcher)
}

/// The Agent to which a Watch refers.
pub(crate) fn watcher(watch: &Watch) -> ObjectRef<Agent> {
    ObjectRef::new(&watch.spec.agent_ref.name).within(&watch.namespace().unwrap_or_default())
}

fn owner(child: &impl Resource) -> Option<ObjectRef<Agent>> {
    let namespace = child.meta().namespace.as_deref()?;
    let owners = child.meta().owner_references.iter().flatten();
    owners.into_iter().find_map(|owner| ObjectRef::from_owner_ref(Some(namespace), owner, ()))
}

fn labelled(pod: &Pod) -> Option<ObjectRef<Agent>> {
    let name = pod.labels().get(contract::AGENT_LABEL)?;
    Some(ObjectRef::new(name).within(&pod.namespace()?))
}

#[cfg(test)]
mod tests;
