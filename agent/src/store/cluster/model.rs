//! Creates and deletes the Watches of the model, and words what the API server says against it.

use std::time::Duration;

use asyncai_crds::{Watch, contract};
use kube::api::{Api, DeleteParams, PostParams, Preconditions};
use kube::{Error, ResourceExt};

/// A turn waits for it.
const LONGEST: Duration = Duration::from_secs(30);

/// Creates a Watch, in place of the one of the same name that has the UID `replaces`. Yields its UID.
pub(super) async fn create(api: Api<Watch>, watch: Watch, replaces: Option<String>) -> Result<String, String> {
    if let Some(uid) = replaces {
        delete(api.clone(), watch.name_any(), uid).await?;
    }
    let params = PostParams { field_manager: Some(contract::AGENT_MANAGER.to_owned()), ..PostParams::default() };
    match in_time(api.create(&params, &watch)).await? {
        Ok(made) => made.uid().ok_or_else(|| "the API server gave the Watch no UID".to_owned()),
        Err(Error::Api(status)) if status.reason == "AlreadyExists" => Err(format!(
            "there is a Watch {} already, which the model did not make and may not replace; choose another name",
            watch.name_any()
        )),
        Err(error) => Err(said(error)),
    }
}

/// Deletes the Watch of that name and UID, and no namesake.
pub(super) async fn delete(api: Api<Watch>, name: String, uid: String) -> Result<(), String> {
    let preconditions = Preconditions { uid: Some(uid), resource_version: None };
    let params = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
    match in_time(api.delete(&name, &params)).await? {
        Ok(_) => Ok(()),
        // It is gone, or another one is there by now.
        Err(Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
        Err(error) => Err(said(error)),
    }
}

async fn in_time<T>(request: impl Future<Output = T>) -> Result<T, String> {
    let late = |_| format!("the API server did not answer within {} s", LONGEST.as_secs());
    tokio::time::timeout(LONGEST, request).await.map_err(late)
}

/// What the API server says names object and field, or the policy that is against it.
fn said(error: Error) -> String {
    match error {
        Error::Api(status) => status.message,
        error => format!("the API server cannot be reached: {error}"),
    }
}
