//! What a caller may have meant by a name that is not found.

use kube::api::ListParams;
use kube::core::Request;
use serde::Deserialize;

use crate::kcp::error::Error;
use crate::kcp::source::Source;
use crate::kcp::tools::Place;
use crate::kcp::uri::Workspace;
use crate::similar::nearest;

/// Names that are looked at for a similar one; the rest of a larger collection is not.
const NAMES: u32 = 500;

/// A refusal, with what was not found and similar names there are.
pub(super) async fn explain(source: &Source, place: &Place, error: Error) -> Error {
    let Error::Api(status) = error else { return error };
    if status.code != 404 {
        return Error::Api(status);
    }
    if let Some(namespace) = &place.namespace
        && let Err(unknown) = self::namespace(source, &place.workspace, namespace).await
    {
        return unknown;
    }
    // Perhaps the resource itself is gone; the next call looks again.
    source.discovery.forget(&place.workspace);
    let similar = similar(source, &place.workspace, &place.collection(), &place.name).await;
    Error::NotFound { message: status.message, similar }
}

/// Fails if there is no such namespace; where nobody may know, there is.
pub(super) async fn namespace(source: &Source, workspace: &Workspace, name: &str) -> Result<(), Error> {
    let path = format!("/api/v1/namespaces/{name}");
    match source.clients.ask(workspace, &path, crate::kcp::upstream::JSON).await {
        Err(Error::Api(status)) if status.code == 404 => {
            let similar = similar(source, workspace, "/api/v1/namespaces", name).await;
            Err(Error::NotFound { message: format!("workspace {workspace} has no namespace {name:?}"), similar })
        }
        _ => Ok(()),
    }
}

/// The names in a collection that are closest to `name`; none if they cannot be had.
async fn similar(source: &Source, workspace: &Workspace, collection: &str, name: &str) -> Vec<String> {
    let Ok(request) = Request::new(collection).list_metadata(&ListParams::default().limit(NAMES)) else {
        return Vec::new();
    };
    let answer = source.clients.send(workspace, &request).await.unwrap_or_default();
    let names: Names = serde_json::from_slice(&answer).unwrap_or_default();
    nearest(name, names.items.iter().map(|item| item.metadata.name.as_str()))
}

#[derive(Default, Deserialize)]
struct Names {
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    metadata: Meta,
}

#[derive(Deserialize)]
struct Meta {
    name: String,
}
