//! Tools that look at objects.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::kcp::catalog::Resource;
use crate::kcp::collection::{Page, list_path, namespace};
use crate::kcp::error::Error;
use crate::kcp::object::{Scrub, Types, clean};
use crate::kcp::redact::Redactor;
use crate::kcp::source::Source;
use crate::kcp::tools::{Place, bounded, hint, local, parse};
use crate::kcp::upstream::JSON;
use crate::kcp::uri::{Namespace, Workspace, resource_name, selector};

/// Objects in a list unless the caller wants another number.
const LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 500;
/// The most that a tool answers with, in bytes: it is meant for a model.
const MAX_OUTPUT: usize = 1 << 20;

pub(super) const GET_API_RESOURCES: &str =
    "Lists the resources that a workspace serves: {\"resources\": [{name, group, version, kind, …}]}.";
pub(super) const GET: &str = "Reads one object. The values of Secrets are hidden.";
pub(super) const LIST: &str = "Lists objects: {\"items\": […], \"complete\": bool, \"remaining\": how many more there \
     are, null if the API server does not say}. The values of Secrets are hidden.";

/// Which workspace.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetApiResources {
    /// The workspace, such as root:app, or local for the cluster of the kubeconfig.
    #[serde(default = "local")]
    workspace: String,
}

/// Which object.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Get {
    /// The workspace, such as root:app, or local for the cluster of the kubeconfig.
    #[serde(default = "local")]
    workspace: String,
    /// A plural, plural.group or short name.
    resource: String,
    /// The object's name.
    name: String,
    /// The object's namespace; default if left out.
    namespace: Option<String>,
}

/// Which objects.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct List {
    /// The workspace, such as root:app, or local for the cluster of the kubeconfig.
    #[serde(default = "local")]
    workspace: String,
    /// A plural, plural.group or short name.
    resource: String,
    /// One namespace, or * for all; default if left out.
    namespace: Option<String>,
    /// As kubectl's -l.
    label_selector: Option<String>,
    /// As kubectl's --field-selector.
    field_selector: Option<String>,
    /// How many objects at most, up to 500; 100 if left out.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn get_api_resources(source: &Source, arguments: Option<JsonObject>) -> Result<Value, Error> {
    let arguments: GetApiResources = parse(arguments)?;
    api_resources(source, &Workspace::parse(&arguments.workspace)?).await
}

/// The resources that a workspace serves, as the tool and the resource tell it.
pub(crate) async fn api_resources(source: &Source, workspace: &Workspace) -> Result<Value, Error> {
    let catalog = source.discovery.catalog(workspace, &source.clients).await?;
    Ok(json!({"workspace": workspace.to_string(), "resources": catalog.resources()}))
}

pub(super) async fn get(source: &Source, arguments: Option<JsonObject>) -> Result<Value, Error> {
    let arguments: Get = parse(arguments)?;
    let names = (arguments.workspace.as_str(), arguments.resource.as_str(), arguments.name.as_str());
    let place = Place::find(source, names, arguments.namespace.as_deref(), "get").await?;
    let path = format!("{}/{}", place.collection(), place.name);
    match source.clients.ask(&place.workspace, &path, JSON).await {
        Ok(answer) => object(&place.resource, &answer),
        Err(error) => Err(hint::explain(source, &place, error).await),
    }
}

/// An object that the API server answered with, without what nobody should see.
pub(super) fn object(resource: &Resource, answer: &[u8]) -> Result<Value, Error> {
    let object = shown(resource, text(answer)?, &Types::default(), &mut Redactor::default())?;
    if object.len() > MAX_OUTPUT {
        return Err(Error::TooLarge { limit: MAX_OUTPUT });
    }
    Ok(serde_json::from_str(&object)?)
}

pub(super) async fn list(source: &Source, arguments: Option<JsonObject>) -> Result<Value, Error> {
    let arguments: List = parse(arguments)?;
    let workspace = Workspace::parse(&arguments.workspace)?;
    let name = resource_name(&arguments.resource.to_lowercase())?;
    let wanted = Namespace::parse(arguments.namespace.as_deref())?;
    let mut params = kube::api::ListParams::default().limit(bounded("limit", arguments.limit, LIMIT, MAX_LIMIT)?);
    params.label_selector = selector("labelSelector", arguments.label_selector.as_deref())?;
    params.field_selector = selector("fieldSelector", arguments.field_selector.as_deref())?;
    let resource = source.discovery.find(&workspace, &source.clients, &name, &["list"]).await?;
    let namespace = namespace(&resource, &wanted)?;
    let path = list_path(&resource.path(namespace), &params)?;
    let answer = source.clients.ask(&workspace, &path, JSON).await;
    let selectors = (params.label_selector.as_deref(), params.field_selector.as_deref());
    let (page, empty) = page(&resource, &answer.map_err(|error| error.with_selectors(selectors.0, selectors.1))?)?;
    if empty && let Some(namespace) = namespace {
        // An API server lists nothing in a namespace that does not exist.
        hint::namespace(source, &workspace, namespace).await?;
    }
    Ok(page)
}

/// As many objects of a page as fit, and whether that is all; and whether there is none.
fn page(resource: &Resource, answer: &[u8]) -> Result<(Value, bool), Error> {
    let page: Page<'_> = serde_json::from_slice(answer)?;
    let types = page.types();
    let mut redactor = Redactor::default();
    let (mut items, mut bytes, mut left_out) = (Vec::new(), 0, 0u64);
    for item in page.items.iter().flatten() {
        let object = shown(resource, item.get(), &types, &mut redactor)?;
        bytes += object.len();
        if left_out > 0 || bytes > MAX_OUTPUT {
            left_out += 1;
            continue;
        }
        items.push(serde_json::from_str::<Value>(&object)?);
    }
    let more = page.metadata.r#continue.is_some_and(|token| !token.is_empty());
    // An API server does not count what it would have to filter first.
    let remaining = match page.metadata.remaining_item_count {
        Some(count) => Some(count + left_out),
        None => (!more).then_some(left_out),
    };
    let empty = items.is_empty() && !more && left_out == 0;
    Ok((json!({"items": items, "complete": !more && left_out == 0, "remaining": remaining}), empty))
}

fn shown(resource: &Resource, json: &str, types: &Types, redactor: &mut Redactor) -> Result<String, Error> {
    let scrub = if resource.is_secret() { Scrub::Newest(redactor) } else { Scrub::Nothing };
    Ok(clean(json, types, scrub)?)
}

fn text(answer: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(answer).map_err(|error| Error::Connection(error.to_string()))
}
