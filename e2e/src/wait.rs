//! Waiting for objects by watching them, never by asking again.

use std::fmt::Debug;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use futures::{StreamExt, TryStreamExt};
use kube::runtime::watcher::watch_object;
use kube::{Api, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

/// How long a story waits for anything. Long enough for a loaded machine: only failures take so long.
pub const LIMIT: Duration = Duration::from_mins(2);

/// Waits until the object exists and `holds` says yes of it. `what` completes "waited for …".
pub async fn until<K>(api: &Api<K>, name: &str, what: &str, holds: impl Fn(&K) -> bool) -> Result<K>
where
    K: Resource + Clone + DeserializeOwned + Serialize + Debug + Send + 'static,
{
    let mut last = None;
    let found = within(what, async {
        let mut versions = watch_object(api.clone(), name).boxed();
        while let Some(version) = versions.try_next().await? {
            match version {
                Some(object) if holds(&object) => return Ok(object),
                other => last = other,
            }
        }
        bail!("the watch ended")
    })
    .await;
    found.with_context(|| match last {
        Some(object) => format!("{name} was last {}", yaml(&object)),
        None => format!("{name} was not there"),
    })
}

/// Waits until no object of this name has this uid.
pub async fn gone<K>(api: &Api<K>, name: &str, uid: &str) -> Result<()>
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    within(&format!("{name} to be gone"), async {
        let mut versions = watch_object(api.clone(), name).boxed();
        while let Some(version) = versions.try_next().await? {
            if version.is_none_or(|object| object.uid().as_deref() != Some(uid)) {
                return Ok(());
            }
        }
        bail!("the watch ended")
    })
    .await
}

/// Gives `work` at most [`LIMIT`]. `what` completes "waited for …".
pub async fn within<T>(what: &str, work: impl Future<Output = Result<T>>) -> Result<T> {
    timeout(LIMIT, work)
        .await
        .unwrap_or_else(|_| Err(anyhow!("in {} s it did not come", LIMIT.as_secs())))
        .with_context(|| format!("waited for {what}"))
}

fn yaml(object: &impl Serialize) -> String {
    serde_saphyr::to_string(object).unwrap_or_else(|error| error.to_string())
}
