//! The tool that reads what the cluster says of its objects.

use k8s_openapi::api::core::v1::Event;
use k8s_openapi::jiff::Timestamp;
use kube::api::ListParams;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::kcp::collection::{list_path, namespace};
use crate::kcp::error::Error;
use crate::kcp::source::Source;
use crate::kcp::tools::{bounded, hint, local, parse};
use crate::kcp::upstream::JSON;
use crate::kcp::uri::{Invalid, Namespace, Workspace, object_name};

const LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 500;
/// API servers list events by name, so the newest can be known only once all were read; but not more than these.
const PAGE: u32 = 500;
const PAGES: usize = 10;

pub(super) const EVENTS: &str = "Lists what the cluster reports about an object or a namespace, the newest last: \
     {\"events\": [{time, type, reason, object, message, count}], \"leftOut\": how many older ones there are}.";

/// About what.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Events {
    /// The workspace, such as root:app, or local for the cluster of the kubeconfig.
    #[serde(default = "local")]
    workspace: String,
    /// One namespace, or * for all; default if left out.
    namespace: Option<String>,
    /// The kind of the object, such as Pod.
    kind: Option<String>,
    /// The name of the object.
    name: Option<String>,
    /// How many at most, up to 500; 50 if left out.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn events(source: &Source, arguments: Option<JsonObject>) -> Result<Value, Error> {
    let arguments: Events = parse(arguments)?;
    let workspace = Workspace::parse(&arguments.workspace)?;
    let wanted = Namespace::parse(arguments.namespace.as_deref())?;
    let limit = bounded("limit", arguments.limit, LIMIT, MAX_LIMIT)?;
    let mut selectors = Vec::new();
    if let Some(name) = &arguments.name {
        selectors.push(format!("involvedObject.name={}", object_name(name)?));
    }
    if let Some(kind) = &arguments.kind {
        if !kind.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(Invalid::new("kind", format!("{kind:?} must be a kind, such as Pod")).into());
        }
        let kind = source.discovery.kind(&workspace, &source.clients, kind).await?;
        selectors.push(format!("involvedObject.kind={kind}"));
    }
    let resource = source.discovery.find(&workspace, &source.clients, "events", &["list"]).await?;
    let namespace = namespace(&resource, &wanted)?;
    let mut params = ListParams::default().limit(PAGE);
    params.field_selector = (!selectors.is_empty()).then(|| selectors.join(","));
    let (events, complete) = all(source, &workspace, &resource.path(namespace), params).await?;
    if events.is_empty()
        && let Some(namespace) = namespace
    {
        hint::namespace(source, &workspace, namespace).await?;
    }
    Ok(newest(events, usize::try_from(limit).unwrap_or(usize::MAX), complete))
}

/// The events of a collection, and whether these are all.
async fn all(
    source: &Source,
    workspace: &Workspace,
    collection: &str,
    mut params: ListParams,
) -> Result<(Vec<Event>, bool), Error> {
    let mut events = Vec::new();
    for _ in 0..PAGES {
        let answer = source.clients.ask(workspace, &list_path(collection, &params)?, JSON).await?;
        let page: Page = serde_json::from_slice(&answer)?;
        events.extend(page.items);
        match page.metadata.r#continue.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok((events, true)),
        }
    }
    Ok((events, false))
}

fn newest(mut events: Vec<Event>, limit: usize, complete: bool) -> Value {
    events.sort_by_key(time);
    let left_out = events.len().saturating_sub(limit);
    let shown: Vec<Value> = events[left_out..].iter().map(shown).collect();
    let mut answer = json!({"events": shown, "leftOut": left_out});
    if !complete {
        answer["note"] =
            format!("there are more than {} events, of which only these were looked at", events.len()).into();
    }
    answer
}

/// When it happened last.
fn time(event: &Event) -> Option<Timestamp> {
    let series = event.series.as_ref().and_then(|series| series.last_observed_time.as_ref()).map(|time| time.0);
    let last = event.last_timestamp.as_ref().map(|time| time.0);
    let once = event.event_time.as_ref().map(|time| time.0);
    series.or(last).or(once).or(event.first_timestamp.as_ref().map(|time| time.0))
}

fn shown(event: &Event) -> Value {
    let object = &event.involved_object;
    let place = [object.namespace.as_deref(), object.name.as_deref()].into_iter().flatten().collect::<Vec<_>>();
    json!({
        "time": time(event).map(|time| time.to_string()),
        "type": event.type_,
        "reason": event.reason,
        "object": format!("{} {}", object.kind.as_deref().unwrap_or("object"), place.join("/")),
        "message": event.message,
        "count": event.series.as_ref().and_then(|series| series.count).or(event.count).unwrap_or(1),
    })
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    items: Vec<Event>,
    metadata: PageMeta,
}

#[derive(Deserialize)]
struct PageMeta {
    r#continue: Option<String>,
}
