//! The built-in functions of code mode: what they are called, what they take, what they say of themselves.

use asyncai_repl::Function;
use serde_json::{Map, Value, json};

pub(crate) const LIST_RESOURCES: &str = "list_resources";
pub(crate) const READ_RESOURCE: &str = "read_resource";
pub(crate) const WATCH_START: &str = "watch_start";
pub(crate) const WATCH_STOP: &str = "watch_stop";
pub(crate) const WATCH_LIST: &str = "watch_list";

/// All of them. A filter may call those that only read; it cannot start watches or look at them.
pub(crate) fn functions() -> [Function; 5] {
    let text = |what: &str| json!({"type": "string", "description": what});
    [
        function(
            LIST_RESOURCES,
            "Lists what can be read and watched: [{\"uri\", \"template\", \"name\", \"description\", \"example\", \
             \"mime_type\", \"server\", \"subscribable\"}]; uri is an RFC 6570 template where template is true.",
            true,
            &[],
            &json!({}),
        ),
        function(
            READ_RESOURCE,
            "Reads a resource: parsed JSON, else str.",
            true,
            &["uri"],
            &json!({"uri": text("as listed, a template filled in")}),
        ),
        function(
            WATCH_START,
            "Starts a watch, or replaces yours of that name; returns {\"name\", \"uri\", \"shape\"}. Changes come to you \
             as notices later, in turns of their own. on_event is Python source text (not a function): it sees each \
             change as the dict event (watch, uri, type, old, changed; event logs: object; states: key, new or item), \
             its last value or what it prints is the line you get, None drops the change. It may only read.",
            false,
            &["name", "uri"],
            &json!({
                "name": text("a short name: lower case letters, digits, `-`"),
                "uri": text("what to watch, as list_resources() says"),
                "on_event": {"type": ["string", "null"], "default": null, "description": "Python source of the filter"},
                "instructions": {"type": ["string", "null"], "default": null,
                                 "description": "told to you with each notice"},
                "server": {"type": ["string", "null"], "default": null,
                           "description": "the MCP server, where the URI alone does not tell"},
            }),
        ),
        function(
            WATCH_STOP,
            "Stops a watch of yours and returns whether there was one.",
            false,
            &["name"],
            &json!({"name": text("its name")}),
        ),
        function(
            WATCH_LIST,
            "Lists the watches: [{\"name\", \"uri\", \"shape\", \"events\", \"notices\"}].",
            false,
            &[],
            &json!({}),
        ),
    ]
}

fn function(name: &str, description: &str, read_only: bool, required: &[&str], properties: &Value) -> Function {
    let ordering = ["name", "uri", "on_event", "instructions", "server"];
    let schema =
        json!({"type": "object", "properties": properties, "required": required, "propertyOrdering": ordering});
    Function {
        server: None,
        name: name.to_owned(),
        description: Some(description.to_owned()),
        schema: match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        },
        read_only,
    }
}

#[cfg(test)]
mod tests;
