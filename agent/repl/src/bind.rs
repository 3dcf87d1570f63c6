//! Binds the arguments of a call to the parameters of a function's JSON Schema, before anything is called.

use serde_json::{Map, Value};

use crate::call::{CallError, Exception};
use crate::catalogue::Function;
use crate::identifier::{did_you_mean, identifier};

/// A parameter of a function.
pub(crate) struct Parameter<'a> {
    /// As the schema has it.
    pub(crate) name: &'a str,
    /// As Python writes it.
    pub(crate) keyword: String,
    pub(crate) schema: &'a Value,
    pub(crate) required: bool,
}

/// The parameters in the order of positional arguments: the required ones as listed, then the others, in the order of
/// `propertyOrdering` if the schema has it, since JSON objects have none.
pub(crate) fn parameters(function: &Function) -> Vec<Parameter<'_>> {
    let properties = function.schema.get("properties").and_then(Value::as_object);
    let names = |key: &str| -> Vec<&str> {
        let list = function.schema.get(key).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let (required, ordering) = (names("required"), names("propertyOrdering"));
    let place = |name: &str| ordering.iter().position(|other| *other == name).unwrap_or(ordering.len());
    let schema = |name: &str| properties.and_then(|properties| properties.get(name)).unwrap_or(&Value::Null);
    let optional = properties.into_iter().flatten().map(|(name, _)| name.as_str());
    let mut optional: Vec<&str> = optional.filter(|name| !required.contains(name)).collect();
    optional.sort_by_key(|name| place(name));
    let parameter = |name, required| Parameter { name, keyword: identifier(name), schema: schema(name), required };
    let first: Vec<Parameter<'_>> = required.iter().map(|name| parameter(*name, true)).collect();
    first.into_iter().chain(optional.into_iter().map(|name| parameter(name, false))).collect()
}

/// The arguments by name, or the `TypeError` that says which one is wrong and what is allowed.
pub(crate) fn bind(
    called: &str,
    function: &Function,
    args: Vec<Value>,
    kwargs: Map<String, Value>,
) -> Result<Map<String, Value>, CallError> {
    let parameters = parameters(function);
    let wrong = |message: String| CallError::new(Exception::TypeError, format!("{called}() {message}"));
    if args.len() > parameters.len() {
        let (most, given) = (parameters.len(), args.len());
        return Err(wrong(format!("takes at most {most} arguments, {given} were given; {}", allowed(&parameters))));
    }
    let mut bound = Map::new();
    for (parameter, value) in parameters.iter().zip(args) {
        bound.insert(parameter.name.to_owned(), value);
    }
    for (keyword, value) in kwargs {
        let known = parameters.iter().find(|parameter| parameter.keyword == keyword || parameter.name == keyword);
        let name = match known {
            Some(parameter) => parameter.name.to_owned(),
            None if open(function) => keyword,
            None => {
                let close = did_you_mean(&keyword, parameters.iter().map(|parameter| parameter.keyword.as_str()));
                return Err(wrong(format!("has no argument '{keyword}'{close}; {}", allowed(&parameters))));
            }
        };
        if bound.contains_key(&name) {
            return Err(wrong(format!("got two values for argument '{name}'")));
        }
        bound.insert(name, value);
    }
    for parameter in &parameters {
        check(parameter, &mut bound).map_err(&wrong)?;
    }
    let missing: Vec<&str> = parameters
        .iter()
        .filter(|parameter| parameter.required && !bound.contains_key(parameter.name))
        .map(|parameter| parameter.keyword.as_str())
        .collect();
    if missing.is_empty() {
        return Ok(bound);
    }
    Err(wrong(format!("misses the argument {}; {}", missing.join(", "), allowed(&parameters))))
}

/// Whether the schema says that it takes further arguments; one that says nothing takes those it names.
fn open(function: &Function) -> bool {
    match function.schema.get("additionalProperties") {
        Some(Value::Bool(open)) => *open,
        Some(Value::Object(_)) => true,
        _ => false,
    }
}

fn allowed(parameters: &[Parameter<'_>]) -> String {
    if parameters.is_empty() {
        return "it takes none".to_owned();
    }
    let list: Vec<String> = parameters
        .iter()
        .map(|parameter| {
            let optional = if parameter.required { "" } else { ", optional" };
            format!("{} ({}{optional})", parameter.keyword, kind(parameter.schema))
        })
        .collect();
    format!("it takes {}", list.join(", "))
}

/// `None` for what may be left out counts as left out; other values must be of the schema's type.
fn check(parameter: &Parameter<'_>, bound: &mut Map<String, Value>) -> Result<(), String> {
    let Some(value) = bound.get(parameter.name) else { return Ok(()) };
    let types = types(parameter.schema);
    if value.is_null() && !parameter.required && !types.is_empty() && !types.contains(&"null") {
        bound.remove(parameter.name);
        return Ok(());
    }
    if !types.is_empty() && !types.iter().any(|name| is(value, name)) {
        let (keyword, wanted, got) = (&parameter.keyword, kind(parameter.schema), python(value));
        return Err(format!("argument '{keyword}' must be {wanted}, not {got}"));
    }
    match parameter.schema.get("enum").and_then(Value::as_array) {
        Some(choices) if !choices.contains(value) => {
            let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
            Err(format!("argument '{}' must be one of {}, not {value}", parameter.keyword, choices.join(", ")))
        }
        _ => Ok(()),
    }
}

/// The JSON types that a schema allows; empty if it does not say so plainly.
fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => {
            let alternatives = ["anyOf", "oneOf"].iter().find_map(|word| schema.get(*word)?.as_array());
            let each: Vec<Vec<&str>> = alternatives.into_iter().flatten().map(types).collect();
            if each.iter().any(Vec::is_empty) { Vec::new() } else { each.concat() }
        }
    }
}

fn is(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        ("integer", Value::Number(number)) => number.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

/// The type of a parameter as Python names it.
pub(crate) fn kind(schema: &Value) -> String {
    let names: Vec<&str> = types(schema)
        .into_iter()
        .map(|name| match name {
            "null" => "None",
            "boolean" => "bool",
            "number" => "float",
            "integer" => "int",
            "string" => "str",
            "array" => "list",
            "object" => "dict",
            other => other,
        })
        .collect();
    if names.is_empty() { "any".to_owned() } else { names.join(" | ") }
}

fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(_) => "bool".to_owned(),
        Value::Number(number) => if number.is_f64() { "float" } else { "int" }.to_owned(),
        Value::String(_) => "str".to_owned(),
        Value::Array(_) => "list".to_owned(),
        Value::Object(_) => "dict".to_owned(),
    }
}

#[cfg(test)]
mod tests;
