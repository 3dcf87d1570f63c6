//! The one place that writes: server-side apply, after a comparison, and never onto what is not ours.

mod cover;

use std::fmt::Debug;

use asyncai_crds::{Reason, contract};
use k8s_openapi::NamespaceResourceScope;
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{Patch, PatchParams},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    error::{Error, Refusal},
    metrics::Metrics,
};

/// A resource version that no object bears. An apply that carries it creates the object, or meets a conflict if there
/// is one already: unlike a plain apply it cannot take over what somebody else made, in one request and without a race.
const ABSENT: &str = "1";

/// A kind of namespaced object that the operator makes.
pub(crate) trait Owned:
    Resource<DynamicType = (), Scope = NamespaceResourceScope> + Serialize + DeserializeOwned + Clone + Debug
{
}

impl<K> Owned for K where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Serialize + DeserializeOwned + Clone + Debug
{
}

/// Makes the API server hold `desired`, whose one owner reference names its controller; `cached` is the object as last
/// seen. Writes nothing if the object says all that `desired` says. Returns whether something was written.
pub(crate) async fn object<K: Owned>(
    client: &Client,
    metrics: &Metrics,
    cached: Option<&K>,
    desired: &K,
) -> Result<bool, Error> {
    let api = Api::<K>::namespaced(client.clone(), &desired.namespace().unwrap_or_default());
    if let Some(live) = cached {
        return update(&api, metrics, live, desired).await;
    }
    match send(&api, metrics, desired, |meta| meta["resourceVersion"] = ABSENT.into()).await {
        Ok(()) => Ok(true),
        // The cache lags behind our own write, or somebody else has the name.
        Err(error @ Error::Stale { .. }) => match fetch(&api, desired).await? {
            Some(live) => update(&api, metrics, &live, desired).await,
            None => Err(error),
        },
        Err(error) => Err(error),
    }
}

async fn update<K: Owned>(api: &Api<K>, metrics: &Metrics, live: &K, desired: &K) -> Result<bool, Error> {
    if controller(live) != controller(desired) {
        return Err(Error::Refused(conflict(desired)));
    }
    // Its end is an event, which comes back here.
    if live.meta().deletion_timestamp.is_some() || cover::covers(&value(live)?, &value(desired)?) {
        return Ok(false);
    }
    let uid = live.uid();
    send(api, metrics, desired, |meta| meta["uid"] = json!(uid)).await.map(|()| true)
}

/// Applies `object` with `precondition` put into its metadata.
async fn send<K: Owned>(
    api: &Api<K>,
    metrics: &Metrics,
    object: &K,
    precondition: impl FnOnce(&mut Value),
) -> Result<(), Error> {
    let mut body = value(object)?;
    precondition(&mut body["metadata"]);
    metrics.wrote(&K::kind(&()));
    let params = PatchParams::apply(contract::OPERATOR_MANAGER).force();
    match api.patch(&object.name_any(), &params, &Patch::Apply(&body)).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.is_conflict() => Err(Error::Stale { object: title(object) }),
        Err(source) => Err(Error::Api { action: "apply", object: title(object), source }),
    }
}

async fn fetch<K: Owned>(api: &Api<K>, desired: &K) -> Result<Option<K>, Error> {
    api.get_opt(&desired.name_any()).await.map_err(|source| Error::Api {
        action: "get",
        object: title(desired),
        source,
    })
}

/// Applies the operator's part of the status of `object`; `status` must be all of that part.
pub(crate) async fn status<K, S>(client: &Client, metrics: &Metrics, object: &K, status: &S) -> Result<(), Error>
where
    K: Owned,
    S: Serialize + Debug,
{
    let api = Api::<K>::namespaced(client.clone(), &object.namespace().unwrap_or_default());
    let body = json!({
        "apiVersion": K::api_version(&()),
        "kind": K::kind(&()),
        "metadata": {"name": object.name_any()},
        "status": status,
    });
    metrics.wrote(&format!("{}Status", K::kind(&())));
    let params = PatchParams::apply(contract::OPERATOR_MANAGER).force();
    match api.patch_status(&object.name_any(), &params, &Patch::Apply(&body)).await {
        Ok(_) => Ok(()),
        // Deleted meanwhile: there is nothing left to say.
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
        Err(source) => Err(Error::Api { action: "apply the status of", object: title(object), source }),
    }
}

/// The UID of the object's controller.
fn controller(object: &impl Resource) -> Option<&str> {
    let owners = object.meta().owner_references.as_deref().unwrap_or_default();
    owners.iter().find(|o| o.controller == Some(true)).map(|o| o.uid.as_str())
}

fn conflict<K: Owned>(desired: &K) -> Refusal {
    Refusal {
        reason: Reason::NameConflict,
        message: format!(
            "{} exists and is not controlled by this Agent; delete it or rename the Agent",
            title(desired)
        ),
    }
}

fn title<K: Owned>(object: &K) -> String {
    format!("{} {}/{}", K::kind(&()), object.namespace().unwrap_or_default(), object.name_any())
}

fn value<K: Owned>(object: &K) -> Result<Value, Error> {
    serde_json::to_value(object).map_err(|source| Error::Serialise { object: title(object), source })
}
