//! Runs the reconciler of one kind over a queue of names, with backoff for each object that fails.

use std::{convert::Infallible, fmt::Debug, sync::Arc, time::Duration};

use futures::{StreamExt, stream};
use kube::{
    Resource,
    runtime::{
        applier, controller,
        reflector::{ObjectRef, Store},
    },
};
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{backoff::Backoff, context::Context, error::Error};

/// Gathers the changes that come at once, the echo of our own writes among them, into one reconciliation.
const DEBOUNCE: Duration = Duration::from_millis(50);
/// Objects of one kind that are reconciled at the same time.
const CONCURRENCY: u16 = 16;
/// Longest reconciliation.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Names of objects to be reconciled.
pub(crate) type Queue<K> = mpsc::UnboundedSender<ObjectRef<K>>;

/// Reconciles what comes out of `queue`, until `stop`; then what is under way is finished.
pub(crate) async fn drive<K, F, Fut>(
    store: Store<K>,
    queue: mpsc::UnboundedReceiver<ObjectRef<K>>,
    ctx: Arc<Context>,
    stop: CancellationToken,
    reconcile: F,
) where
    K: Resource<DynamicType = ()> + Clone + Debug + Send + Sync + 'static,
    F: Fn(Arc<K>, Arc<Context>) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<(), Error>> + Send + 'static,
{
    let backoff = Arc::new(Backoff::default());
    let queue = stream::unfold(queue, |mut queue| async {
        let name = queue.recv().await?;
        Some((Ok::<_, Infallible>(name), queue))
    });
    let succeeded = backoff.clone();
    let one = move |object: Arc<K>, ctx: Arc<Context>| {
        let (reconcile, backoff) = (reconcile.clone(), succeeded.clone());
        Box::pin(async move {
            let name = ObjectRef::from_obj(&*object);
            timed(&ctx, &K::kind(&()), reconcile(object, ctx.clone())).await?;
            backoff.forget(&name);
            Ok::<_, Error>(controller::Action::await_change())
        })
    };
    let again = move |object: Arc<K>, error: &Error, _: Arc<Context>| {
        let wait = backoff.failed(ObjectRef::from_obj(&*object));
        let name = ObjectRef::from_obj(&*object);
        tracing::warn!(event = "reconcile.failed", object = %name, %error, retry_seconds = wait.as_secs_f32());
        controller::Action::requeue(wait)
    };
    let config = controller::Config::default().debounce(DEBOUNCE).concurrency(CONCURRENCY);
    applier(one, again, ctx, store, queue.take_until(stop.cancelled_owned()), config)
        // A failure is logged above; a name whose object is gone needs nothing.
        .for_each(|_| std::future::ready(()))
        .await;
}

async fn timed(ctx: &Context, kind: &str, work: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    let start = Instant::now();
    let result =
        tokio::time::timeout(TIMEOUT, work).await.unwrap_or(Err(Error::Timeout { seconds: TIMEOUT.as_secs() }));
    let label = result.as_ref().map_or_else(Error::label, |()| "ok");
    ctx.metrics.reconciled(kind, label, start.elapsed());
    result
}
