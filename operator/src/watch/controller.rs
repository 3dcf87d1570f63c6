//! Which changes wake which Watch.

use std::sync::Arc;

use asyncai_crds::{
    Agent, Condition, Watch,
    condition::{self, ACCEPTED, FILTER_FAILING, SUBSCRIBED, find},
};
use kube::runtime::reflector::ObjectRef;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::reconcile::reconcile;
use crate::{context::Context, drive::drive, feed::Change};

/// Reconciles Watches until `stop`.
pub(crate) async fn run(ctx: Arc<Context>, queue: mpsc::UnboundedReceiver<ObjectRef<Watch>>, stop: CancellationToken) {
    drive(ctx.caches.watches.clone(), queue, ctx, stop, reconcile).await;
}

/// The Watch itself: by its spec and by the agent's conditions; not by counts and cursors, which change all the time.
pub(crate) fn on_watch((before, after): Change<'_, Watch>) -> Option<ObjectRef<Watch>> {
    let after = after?;
    (before.map(basis) != Some(basis(after))).then(|| ObjectRef::from_obj(after))
}

type Basis<'a> = (Option<&'a str>, Option<i64>, bool, [Option<&'a Condition>; 3]);

fn basis(watch: &Watch) -> Basis<'_> {
    let conditions = watch.status.as_ref().map_or(&[][..], |status| &status.conditions);
    let meta = &watch.metadata;
    let said = [ACCEPTED, SUBSCRIBED, FILTER_FAILING].map(|type_| find(conditions, type_));
    (meta.uid.as_deref(), meta.generation, meta.deletion_timestamp.is_some(), said)
}

/// Whether a change of an Agent is one for all its Watches.
pub(crate) fn concerns_watches((before, after): Change<'_, Agent>) -> bool {
    fn basis(agent: &Agent) -> (Option<&str>, bool, Option<&Condition>) {
        let accepted = agent.status.as_ref().and_then(|status| condition::find(&status.conditions, ACCEPTED));
        (agent.metadata.uid.as_deref(), agent.spec.suspend, accepted)
    }
    before.map(basis) != after.map(basis)
}

#[cfg(test)]
mod tests;
