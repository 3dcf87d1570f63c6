//! Schemas of foreign types, whose own have no bounds.

use schemars::{Schema, SchemaGenerator, json_schema};

use super::pattern;
use crate::condition::MESSAGE_MAX;

/// A list of conditions, one for each type, so that two field managers can each own some.
pub(crate) fn conditions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "maxItems": 16,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "description": "One aspect of the state of the object.",
            "required": ["type", "status", "lastTransitionTime", "reason", "message"],
            "properties": {
                "type": {
                    "type": "string", "minLength": 1, "maxLength": 64, "pattern": pattern::CONDITION_TYPE,
                    "description": "The aspect, in CamelCase."
                },
                "status": {
                    "type": "string", "enum": ["True", "False", "Unknown"],
                    "description": "Whether it holds: True, False or Unknown."
                },
                "observedGeneration": {
                    "type": "integer", "format": "int64", "minimum": 0,
                    "description": "Generation of the spec that this speaks of."
                },
                "lastTransitionTime": {
                    "type": "string", "format": "date-time",
                    "description": "When the status last changed."
                },
                "reason": {
                    "type": "string", "minLength": 1, "maxLength": 64, "pattern": pattern::REASON,
                    "description": "Why, as a word in CamelCase for programs."
                },
                "message": {
                    "type": "string", "maxLength": MESSAGE_MAX,
                    "description": "Why, as a sentence for people."
                }
            }
        }
    })
}

/// An instant.
pub(crate) fn time(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "date-time" })
}

/// Quantities by resource. An `anyOf` of integer and string would come out of kube's rewriter empty.
pub(crate) fn quantities(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "maxProperties": 16,
        "additionalProperties": {
            "x-kubernetes-int-or-string": true,
            "maxLength": 64,
            "pattern": pattern::QUANTITY
        }
    })
}

/// Labels of a node.
pub(crate) fn node_selector(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "maxProperties": 16,
        "additionalProperties": { "type": "string", "maxLength": 63, "pattern": pattern::LABEL_VALUE }
    })
}
