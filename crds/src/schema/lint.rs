//! The lint over a schema: everything has bounds and is described.

use serde_json::Value;

/// What is missing in a schema, as `path: what`. Without bounds the API server cannot estimate the cost of a rule and
/// refuses the definition, and without a description `kubectl explain` has nothing to say.
pub fn lint(schema: &Value) -> Vec<String> {
    let mut missing = Vec::new();
    walk(schema, "", &mut missing);
    missing
}

fn walk(schema: &Value, path: &str, missing: &mut Vec<String>) {
    for key in bounds(schema).iter().filter(|key| schema.get(key).is_none()) {
        missing.push(format!("{path}: no {key}"));
    }
    for (name, below) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        if below["description"].as_str().is_none_or(str::is_empty) {
            missing.push(format!("{path}: no description"));
        }
        walk(below, &path, missing);
    }
    for (key, mark) in [("items", "[]"), ("additionalProperties", "{}")] {
        if schema[key].is_object() {
            walk(&schema[key], &format!("{path}{mark}"), missing);
        }
    }
}

/// The keywords that bound a value of the schema's type.
fn bounds(schema: &Value) -> &'static [&'static str] {
    let has = |key: &str| schema.get(key).is_some();
    match schema["type"].as_str() {
        Some("string") if has("enum") || has("format") => &[],
        Some("string") => &["maxLength"],
        Some("array") => &["maxItems", "items", "x-kubernetes-list-type"],
        Some("integer") if schema["format"] == "int64" => &["minimum"],
        Some("integer" | "number") => &["minimum", "maximum"],
        Some("object") if has("additionalProperties") => &["maxProperties"],
        Some("object" | "boolean") => &[],
        _ if schema["x-kubernetes-int-or-string"] == true => &["maxLength"],
        _ => &["type"],
    }
}
