//! Tools that change objects; only a read-write server has them.

use kube::api::{DeleteParams, Patch, PatchParams, Preconditions, PropagationPolicy};
use kube::core::Request;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::kcp::collection::namespace;
use crate::kcp::error::Error;
use crate::kcp::redact::is_redacted;
use crate::kcp::source::Source;
use crate::kcp::tools::{Place, hint, local, look, parse};
use crate::kcp::uri::{Invalid, Namespace, Workspace, object_name};

/// Who changed the fields, as API servers keep it.
const MANAGER: &str = "asyncai-mcp-kcp";
/// Larger manifests are refused by API servers too.
const MAX_MANIFEST: usize = 3 << 20;

pub(super) const APPLY: &str = "Creates an object or makes it as the manifest says, by server-side apply: fields \
     that were applied before and are left out are removed, all others stay. Returns the object.";
pub(super) const PATCH: &str =
    "Changes fields of an object by a JSON merge patch: null removes one, a list is replaced. Returns the object.";
pub(super) const DELETE: &str = "Deletes an object. Returns {\"deleted\": its name, \"pending\": whether it still \
     exists, because its finalizers or its grace period have not ended}.";

/// What to apply.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Apply {
    /// The workspace, such as root:app, or local for the cluster of the kubeconfig.
    #[serde(default = "local")]
    workspace: String,
    /// The object, with apiVersion, kind and metadata.name; or its YAML as a string.
    manifest: Manifest,
    /// The object's namespace, if the manifest has none; default if neither says.
    namespace: Option<String>,
    /// Takes over fields that others manage; without it that is a conflict.
    #[serde(default)]
    force: bool,
    /// Only tells what would come of it.
    #[serde(default)]
    dry_run: bool,
}

/// One object.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Manifest {
    /// As an object.
    Object(Map<String, Value>),
    /// As YAML or JSON.
    Text(String),
}

/// What to change.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct PatchObject {
    /// The workspace, such as root:app, or local for the cluster of the kubeconfig.
    #[serde(default = "local")]
    workspace: String,
    /// A plural, plural.group or short name.
    resource: String,
    /// The object's name.
    name: String,
    /// The object's namespace; default if left out.
    namespace: Option<String>,
    /// The fields to change; null removes a field.
    patch: Map<String, Value>,
    /// Only tells what would come of it.
    #[serde(default)]
    dry_run: bool,
}

/// What to delete.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Delete {
    /// The workspace, such as root:app, or local for the cluster of the kubeconfig.
    #[serde(default = "local")]
    workspace: String,
    /// A plural, plural.group or short name.
    resource: String,
    /// The object's name.
    name: String,
    /// The object's namespace; default if left out.
    namespace: Option<String>,
    /// Deletes only the object with this metadata.uid.
    uid: Option<String>,
    /// Deletes it only at this metadata.resourceVersion.
    resource_version: Option<String>,
    /// What becomes of the objects that it owns; left out: as the API server does for this resource.
    propagation: Option<Propagation>,
    /// Only tells what would come of it.
    #[serde(default)]
    dry_run: bool,
}

/// What becomes of owned objects.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
enum Propagation {
    /// They are deleted afterwards.
    Background,
    /// They are deleted first.
    Foreground,
    /// They stay.
    Orphan,
}

pub(super) async fn apply(source: &Source, arguments: Option<JsonObject>) -> Result<Value, Error> {
    let arguments: Apply = parse(arguments)?;
    let workspace = Workspace::parse(&arguments.workspace)?;
    let mut manifest = object(arguments.manifest)?;
    let (api_version, kind) = (required(&manifest, "apiVersion")?, required(&manifest, "kind")?);
    let metadata = manifest.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    let name = required(&metadata, "name")?;
    let name = object_name(&name)?.to_owned();
    let wanted = agreed(metadata.get("namespace").and_then(Value::as_str), arguments.namespace.as_deref())?;
    let resource = source.discovery.find_kind(&workspace, &source.clients, (&api_version, &kind), &["patch"]).await?;
    let namespace = namespace(&resource, &wanted)?.map(str::to_owned);
    let place = Place { workspace, resource, namespace, name };
    unredacted(&place, &manifest)?;
    if let Some(metadata) = manifest.get_mut("metadata").and_then(Value::as_object_mut) {
        // What a read brings along and an apply must not.
        metadata.remove("managedFields");
    }
    let params = PatchParams {
        dry_run: arguments.dry_run,
        force: arguments.force,
        field_manager: Some(MANAGER.to_owned()),
        ..PatchParams::default()
    };
    change(source, &place, &params.validation_strict(), &Patch::Apply(manifest)).await.map_err(|error| match error {
        Error::Api(mut status) if status.code == 409 && !arguments.force => {
            status.message.push_str("; force=True takes these fields over");
            Error::Api(status)
        }
        other => other,
    })
}

pub(super) async fn patch(source: &Source, arguments: Option<JsonObject>) -> Result<Value, Error> {
    let arguments: PatchObject = parse(arguments)?;
    let names = (arguments.workspace.as_str(), arguments.resource.as_str(), arguments.name.as_str());
    let place = Place::find(source, names, arguments.namespace.as_deref(), "patch").await?;
    unredacted(&place, &arguments.patch)?;
    let params =
        PatchParams { dry_run: arguments.dry_run, field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
    change(source, &place, &params.validation_strict(), &Patch::Merge(arguments.patch)).await
}

async fn change(
    source: &Source,
    place: &Place,
    params: &PatchParams,
    patch: &Patch<Map<String, Value>>,
) -> Result<Value, Error> {
    let request = Request::new(place.collection()).patch(&place.name, params, patch).map_err(Error::request)?;
    match source.clients.send(&place.workspace, &request).await {
        Ok(answer) => look::object(&place.resource, &answer),
        Err(error) => Err(hint::explain(source, place, error).await),
    }
}

pub(super) async fn delete(source: &Source, arguments: Option<JsonObject>) -> Result<Value, Error> {
    let arguments: Delete = parse(arguments)?;
    let names = (arguments.workspace.as_str(), arguments.resource.as_str(), arguments.name.as_str());
    let place = Place::find(source, names, arguments.namespace.as_deref(), "delete").await?;
    let preconditions = Preconditions { uid: arguments.uid, resource_version: arguments.resource_version };
    let conditional = preconditions.uid.is_some() || preconditions.resource_version.is_some();
    let params = DeleteParams {
        dry_run: arguments.dry_run,
        propagation_policy: arguments.propagation.map(|policy| match policy {
            Propagation::Background => PropagationPolicy::Background,
            Propagation::Foreground => PropagationPolicy::Foreground,
            Propagation::Orphan => PropagationPolicy::Orphan,
        }),
        preconditions: conditional.then_some(preconditions),
        ..DeleteParams::default()
    };
    let request = Request::new(place.collection()).delete(&place.name, &params).map_err(Error::request)?;
    let answer = match source.clients.send(&place.workspace, &request).await {
        Ok(answer) => answer,
        Err(error) => return Err(hint::explain(source, &place, error).await),
    };
    let answer: Deleted = serde_json::from_slice(&answer)?;
    let name = format!("{}/{}", place.resource.qualified(), place.name);
    // The object itself instead of a status means that it is not gone yet.
    Ok(json!({"deleted": name, "namespace": place.namespace, "pending": answer.kind != "Status"}))
}

#[derive(Deserialize)]
struct Deleted {
    #[serde(default)]
    kind: String,
}

/// The one object of a manifest.
fn object(manifest: Manifest) -> Result<Map<String, Value>, Invalid> {
    let text = match manifest {
        Manifest::Object(object) => return Ok(object),
        Manifest::Text(text) => text,
    };
    if text.len() > MAX_MANIFEST {
        return Err(Invalid::new("manifest", format!("has {} bytes, at most {MAX_MANIFEST} are allowed", text.len())));
    }
    let documents: Vec<Value> = serde_saphyr::from_multiple(&text)
        .map_err(|error| Invalid::new("manifest", format!("is not YAML: {}", error.without_snippet())))?;
    let mut documents = documents.into_iter().filter(|document| !document.is_null());
    match (documents.next(), documents.count()) {
        (Some(Value::Object(object)), 0) => Ok(object),
        (Some(Value::Object(_)), more) => {
            Err(Invalid::new("manifest", format!("has {} objects, one can be applied at a time", more + 1)))
        }
        (Some(_), _) => Err(Invalid::new("manifest", "is no object: it needs apiVersion, kind and metadata")),
        (None, _) => Err(Invalid::new("manifest", "is empty")),
    }
}

fn required(object: &Map<String, Value>, field: &'static str) -> Result<String, Invalid> {
    let missing =
        || Invalid::new("manifest", format!("lacks {}", if field == "name" { "metadata.name" } else { field }));
    object.get(field).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned).ok_or_else(missing)
}

/// The namespace that the manifest and the call name.
fn agreed(manifest: Option<&str>, argument: Option<&str>) -> Result<Namespace, Invalid> {
    if let (Some(manifest), Some(argument)) = (manifest, argument)
        && manifest != argument
    {
        return Err(Invalid::new("namespace", format!("is {argument:?}, but the manifest says {manifest:?}")));
    }
    match Namespace::parse(manifest.or(argument))? {
        Namespace::All => Err(Invalid::new("namespace", "must name one namespace to change one object")),
        one => Ok(one),
    }
}

/// Whoever writes back a Secret as it was read would destroy it.
fn unredacted(place: &Place, object: &Map<String, Value>) -> Result<(), Invalid> {
    if !place.resource.is_secret() {
        return Ok(());
    }
    let values = ["data", "stringData"].into_iter().filter_map(|field| Some((field, object.get(field)?.as_object()?)));
    for (field, values) in values {
        if let Some((key, _)) = values.iter().find(|(_, value)| value.as_str().is_some_and(is_redacted)) {
            let problem = format!("{field}.{key} is what stands in for a hidden value: leave it out to keep the value");
            return Err(Invalid::new("manifest", problem));
        }
    }
    Ok(())
}
