//! Applies manifests the way people do: any kind, by server-side apply.

use anyhow::{Context, Result};
use kube::api::{DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::discovery::{Scope, pinned_kind};
use kube::{Api, Client};
use serde_json::Value;

const MANAGER: &str = "story";

/// The documents of a YAML text; empty ones are left out.
pub fn documents(yaml: &str) -> Result<Vec<Value>> {
    let documents: Vec<Value> =
        serde_saphyr::from_multiple(yaml).with_context(|| format!("this is no YAML:\n{yaml}"))?;
    Ok(documents.into_iter().filter(|document| !document.is_null()).collect())
}

/// Applies each document of `yaml`, in `namespace` unless it names one itself. An unknown field is an error.
pub async fn apply(client: &Client, namespace: &str, yaml: &str) -> Result<Vec<DynamicObject>> {
    let mut applied = Vec::new();
    for document in documents(yaml)? {
        let (api, name) = api(client, namespace, &document).await?;
        let params = PatchParams::apply(MANAGER).force().validation_strict();
        let object = api.patch(&name, &params, &Patch::Apply(&document)).await;
        applied.push(object.with_context(|| format!("cannot apply {} {name}", text(&document, "/kind")))?);
    }
    Ok(applied)
}

/// Where an object belongs, and its name.
pub async fn api(client: &Client, namespace: &str, object: &Value) -> Result<(Api<DynamicObject>, String)> {
    let (version, kind) = (text(object, "/apiVersion"), text(object, "/kind"));
    let (group, version) = version.split_once('/').unwrap_or(("", &version));
    let (resource, capabilities) = pinned_kind(client, &GroupVersionKind::gvk(group, version, &kind))
        .await
        .with_context(|| format!("the cluster does not serve {kind} of {group}/{version}"))?;
    let namespace = object.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or(namespace);
    let api = match capabilities.scope {
        Scope::Cluster => Api::all_with(client.clone(), &resource),
        Scope::Namespaced => Api::namespaced_with(client.clone(), namespace, &resource),
    };
    Ok((api, text(object, "/metadata/name")))
}

fn text(object: &Value, pointer: &str) -> String {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}
