//! `list_tools` and `tool_help`: what the catalogue itself can answer, and how a function is written down.

use serde_json::{Map, Value, json};

use crate::bind::{kind, parameters};
use crate::call::{CallError, Exception};
use crate::catalogue::{Catalogue, Function};
use crate::identifier::did_you_mean;

/// The built-in of this name, if it is one of the two.
pub(crate) fn function(name: &str) -> Option<Function> {
    let (argument, required): (&str, &[&str]) = match name {
        "list_tools" => ("query", &[]),
        "tool_help" => ("name", &["name"]),
        _ => return None,
    };
    let mut schema = Map::new();
    schema.insert("properties".to_owned(), json!({argument: {"type": "string"}}));
    schema.insert("required".to_owned(), json!(required));
    Some(Function { server: None, name: name.to_owned(), description: None, schema, read_only: true })
}

/// Its answer.
pub(crate) fn answer(catalogue: &Catalogue, name: &str, arguments: &Map<String, Value>) -> Result<Value, CallError> {
    if name == "list_tools" {
        let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default();
        return Ok(list(catalogue, query));
    }
    let wanted = arguments.get("name").and_then(Value::as_str).unwrap_or_default();
    let Some(function) = catalogue.get(wanted) else {
        let names = catalogue.paths().map(|(path, _)| path).chain(catalogue.bare());
        let message = format!("there is no function {wanted}{}", did_you_mean(wanted, names));
        return Err(CallError::new(Exception::ValueError, message));
    };
    Ok(Value::from(help(wanted, function)))
}

/// The functions that hold every word of the query in name or description.
fn list(catalogue: &Catalogue, query: &str) -> Value {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let found = catalogue.paths().filter(|(path, function)| {
        let text = format!("{path} {}", function.description.as_deref().unwrap_or_default()).to_lowercase();
        words.iter().all(|word| text.contains(word))
    });
    found
        .map(|(path, function)| json!({"name": path, "description": first_line(function), "read_only": function.read_only}))
        .collect()
}

/// Signature, description and what is said of each argument.
fn help(name: &str, function: &Function) -> String {
    let mut text = signature(name, function);
    if let Some(description) = &function.description {
        text.push('\n');
        text.push_str(description);
    }
    for parameter in parameters(function) {
        let about = parameter.schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let choices = parameter.schema.get("enum").map(|choices| format!(" one of {choices}")).unwrap_or_default();
        let line = format!("\n  {}: {}{choices} {about}", parameter.keyword, kind(parameter.schema));
        text.push_str(line.trim_end());
    }
    if !function.read_only {
        text.push_str("\nIt may change something: not for filters.");
    }
    text
}

/// `kcp.get(resource: str, namespace: str = None)`.
pub(crate) fn signature(name: &str, function: &Function) -> String {
    let list: Vec<String> = parameters(function)
        .iter()
        .map(|parameter| {
            let kind = kind(parameter.schema);
            let default = match (parameter.required, parameter.schema.get("default")) {
                (true, _) => String::new(),
                (false, Some(value)) if !value.is_null() => format!(" = {}", literal(value)),
                (false, _) => " = None".to_owned(),
            };
            let kind = if kind == "any" { kind } else { format!(": {kind}") };
            if kind == "any" {
                format!("{}{default}", parameter.keyword)
            } else {
                format!("{}{kind}{default}", parameter.keyword)
            }
        })
        .collect();
    format!("{name}({})", list.join(", "))
}

fn literal(value: &Value) -> String {
    match value {
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    }
}

/// The first line of a description, cut where it is long.
pub(crate) fn first_line(function: &Function) -> String {
    const ROOM: usize = 120;
    let line = function.description.as_deref().unwrap_or_default().trim().lines().next().unwrap_or_default();
    if line.chars().count() <= ROOM { line.to_owned() } else { line.chars().take(ROOM).chain(['…']).collect() }
}
