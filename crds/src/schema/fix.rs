//! What is changed in a derived definition before it is shipped.

use kube::CustomResourceExt;
use serde_json::{Map, Value};

use crate::{Agent, Watch};

/// Where the schema of the only version is.
const OPENAPI: &str = "/spec/versions/0/schema/openAPIV3Schema";

/// The definitions of all kinds of the group, as JSON, each with its plural.
pub fn crds() -> [(&'static str, Value); 2] {
    [("agents", crd::<Agent>()), ("watches", crd::<Watch>())]
}

/// The definition of a kind, as JSON, as it is shipped.
pub fn crd<K: CustomResourceExt>() -> Value {
    let mut crd = serde_json::to_value(K::crd()).unwrap_or_default();
    if let Some(schema) = crd.pointer_mut(OPENAPI) {
        fix(schema);
    }
    crd
}

/// The schema within a definition; null if there is none.
pub fn openapi(crd: &Value) -> &Value {
    crd.pointer(OPENAPI).unwrap_or(&Value::Null)
}

/// Fixes a schema and all below it.
fn fix(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else { return };
    schema.remove("title");
    unwrap_description(schema);
    forbid_null(schema);
    name_known_formats(schema);
    drop_greatest(schema);
    write_whole_numbers(schema);
    if schema.get("type").is_some_and(|kind| kind == "array") {
        schema.entry("x-kubernetes-list-type").or_insert("atomic".into());
    }
    for key in ["items", "additionalProperties"] {
        if let Some(below) = schema.get_mut(key) {
            fix(below);
        }
    }
    for below in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        fix(below.1);
    }
}

/// The lines of a doc comment, which `kubectl explain` breaks where the terminal does.
fn unwrap_description(schema: &mut Map<String, Value>) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
}

/// An explicit null then counts as absent, which keeps `has()` in rules true to what people wrote.
fn forbid_null(schema: &mut Map<String, Value>) {
    schema.remove("nullable");
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

/// The API server warns of the formats of unsigned integers and knows two for the signed.
fn name_known_formats(schema: &mut Map<String, Value>) {
    let known = match schema.get("format").and_then(Value::as_str) {
        Some("uint8" | "uint16" | "uint32") => "int32",
        Some("uint64") => "int64",
        _ => return,
    };
    schema.insert("format".into(), known.into());
}

/// The greatest int64 bounds nothing, and rounded to floating point it is one more, which the API server refuses.
fn drop_greatest(schema: &mut Map<String, Value>) {
    if schema.get("maximum").and_then(Value::as_f64).is_some_and(|maximum| maximum >= 2_f64.powi(63)) {
        schema.remove("maximum");
    }
}

/// Bounds pass through floating point on their way: 1.0 is written 1.
fn write_whole_numbers(schema: &mut Map<String, Value>) {
    for key in ["minimum", "maximum"] {
        let bound = schema.get(key).and_then(Value::as_f64).filter(|bound| bound.fract() == 0.0);
        if let Some(whole) = bound.and_then(|bound| format!("{bound:.0}").parse::<i64>().ok()) {
            schema.insert(key.into(), whole.into());
        }
    }
}
