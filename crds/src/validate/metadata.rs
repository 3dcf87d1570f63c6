//! The schema of what every object of Kubernetes has, which a custom resource definition leaves to the API server.

use serde_json::{Value, json};

use crate::schema::pattern;

/// The schema of a kind with that of `apiVersion`, `kind` and `metadata`.
pub(super) fn complete(schema: &Value) -> Value {
    let mut schema = schema.clone();
    schema["properties"]["apiVersion"] = json!({ "type": "string" });
    schema["properties"]["kind"] = json!({ "type": "string" });
    schema["properties"]["metadata"] = metadata();
    if let Some(required) = schema["required"].as_array_mut() {
        required.insert(0, "metadata".into());
    }
    schema
}

/// What people write is checked; what the API server writes is let pass.
fn metadata() -> Value {
    json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": { "type": "string", "minLength": 1, "maxLength": 253, "pattern": pattern::DNS_SUBDOMAIN },
            "namespace": { "type": "string", "minLength": 1, "maxLength": 63, "pattern": pattern::DNS_LABEL },
            "labels": {
                "type": "object",
                "additionalProperties": { "type": "string", "maxLength": 63, "pattern": pattern::LABEL_VALUE }
            },
            "annotations": { "type": "object", "additionalProperties": { "type": "string" } },
            "finalizers": { "type": "array", "items": { "type": "string" } },
            "ownerReferences": { "type": "array" },
            "creationTimestamp": {},
            "deletionGracePeriodSeconds": {},
            "deletionTimestamp": {},
            "generateName": {},
            "generation": {},
            "managedFields": {},
            "resourceVersion": {},
            "selfLink": {},
            "uid": {}
        }
    })
}
