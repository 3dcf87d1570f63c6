//! The tools: single looks at a workspace. None of them changes anything.

use rmcp::handler::server::common::schema_for_type;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::kcp::catalog::Resource;
use crate::kcp::collection::{Page, list_path, namespace};
use crate::kcp::error::Error;
use crate::kcp::object::{Scrub, Types, clean};
use crate::kcp::redact::Redactor;
use crate::kcp::source::Source;
use crate::kcp::upstream::JSON;
use crate::kcp::uri::{Invalid, Namespace, Workspace, object_name, resource_name, selector};

/// Objects in a list unless the caller wants another number.
const LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 500;
/// The most that a tool answers with, in bytes: it is meant for a model.
const MAX_OUTPUT: usize = 1 << 20;

/// Which workspace.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetApiResources {
    /// The workspace, such as root:app, or local for the cluster of the kubeconfig.
    workspace: String,
}

/// Which object.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Get {
    /// The workspace, such as root:app, or local for the cluster of the kubeconfig.
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
struct List {
    /// The workspace, such as root:app, or local for the cluster of the kubeconfig.
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

/// What is offered.
pub(crate) fn list() -> Vec<Tool> {
    let tool = |name: &'static str, description: &'static str, schema| {
        let annotations = ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
        Tool::new(name, description, schema).annotate(annotations)
    };
    vec![
        tool("get_api_resources", "Lists the resources that a workspace serves.", schema_for_type::<GetApiResources>()),
        tool("get", "Reads one object. The values of Secrets are hidden.", schema_for_type::<Get>()),
        tool("list", "Lists objects. The values of Secrets are hidden.", schema_for_type::<List>()),
    ]
}

/// Calls a tool; `None` if there is none of that name.
pub(crate) async fn call(source: &Source, name: &str, arguments: Option<JsonObject>) -> Option<Result<Value, Error>> {
    match name {
        "get_api_resources" => Some(get_api_resources(source, arguments).await),
        "get" => Some(get(source, arguments).await),
        "list" => Some(list_objects(source, arguments).await),
        _ => None,
    }
}

fn parse<T: DeserializeOwned>(arguments: Option<JsonObject>) -> Result<T, Invalid> {
    let arguments = Value::Object(arguments.unwrap_or_default());
    serde_json::from_value(arguments).map_err(|error| Invalid::new("arguments", error.to_string()))
}

async fn get_api_resources(source: &Source, arguments: Option<JsonObject>) -> Result<Value, Error> {
    let arguments: GetApiResources = parse(arguments)?;
    api_resources(source, &Workspace::parse(&arguments.workspace)?).await
}

/// The resources that a workspace serves, as the tool and the resource tell it.
pub(crate) async fn api_resources(source: &Source, workspace: &Workspace) -> Result<Value, Error> {
    let catalog = source.discovery.catalog(workspace, &source.clients).await?;
    Ok(json!({"workspace": workspace.to_string(), "resources": catalog.resources()}))
}

async fn get(source: &Source, arguments: Option<JsonObject>) -> Result<Value, Error> {
    let arguments: Get = parse(arguments)?;
    let workspace = Workspace::parse(&arguments.workspace)?;
    let resource = resource_name(&arguments.resource)?;
    let name = object_name(&arguments.name)?;
    let wanted = Namespace::parse(arguments.namespace.as_deref())?;
    if wanted == Namespace::All {
        return Err(Invalid::new("namespace", "must name one namespace to read one object").into());
    }
    let resource = source.discovery.find(&workspace, &source.clients, &resource, &["get"]).await?;
    let path = format!("{}/{name}", resource.path(namespace(&resource, &wanted)?));
    let answer = source.clients.ask(&workspace, &path, JSON).await?;
    let object = shown(&resource, text(&answer)?, &Types::default(), &mut Redactor::default())?;
    if object.len() > MAX_OUTPUT {
        return Err(Error::TooLarge { limit: MAX_OUTPUT });
    }
    Ok(serde_json::from_str(&object)?)
}

async fn list_objects(source: &Source, arguments: Option<JsonObject>) -> Result<Value, Error> {
    let arguments: List = parse(arguments)?;
    let workspace = Workspace::parse(&arguments.workspace)?;
    let name = resource_name(&arguments.resource)?;
    let wanted = Namespace::parse(arguments.namespace.as_deref())?;
    let limit = arguments.limit.unwrap_or(LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(Invalid::new("limit", format!("is {limit}, must be 1 to {MAX_LIMIT}")).into());
    }
    let mut params = kube::api::ListParams::default().limit(limit);
    params.label_selector = selector("labelSelector", arguments.label_selector.as_deref())?;
    params.field_selector = selector("fieldSelector", arguments.field_selector.as_deref())?;
    let resource = source.discovery.find(&workspace, &source.clients, &name, &["list"]).await?;
    let path = list_path(&resource.path(namespace(&resource, &wanted)?), &params)?;
    let answer = source.clients.ask(&workspace, &path, JSON).await;
    let selectors = (params.label_selector.as_deref(), params.field_selector.as_deref());
    page(&resource, &answer.map_err(|error| error.with_selectors(selectors.0, selectors.1))?)
}

/// As many objects of a page as fit, and whether that is all.
fn page(resource: &Resource, answer: &[u8]) -> Result<Value, Error> {
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
    Ok(json!({"items": items, "complete": !more && left_out == 0, "remaining": remaining}))
}

fn shown(resource: &Resource, json: &str, types: &Types, redactor: &mut Redactor) -> Result<String, Error> {
    let scrub = if resource.is_secret() { Scrub::Newest(redactor) } else { Scrub::Nothing };
    Ok(clean(json, types, scrub)?)
}

fn text(answer: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(answer).map_err(|error| Error::Connection(error.to_string()))
}
