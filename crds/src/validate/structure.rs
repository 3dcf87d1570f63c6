//! The walk over a value along its schema: types, bounds, patterns, required and unknown fields.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::jiff::Timestamp;
use regex::Regex;
use serde_json::{Map, Value};

use super::Finding;
use crate::schema::pattern;

/// A schema with its patterns compiled.
pub(super) struct Structure {
    schema: Value,
    patterns: BTreeMap<String, Regex>,
}

impl Structure {
    pub(super) fn new(schema: Value) -> Self {
        let mut patterns = BTreeMap::new();
        collect_patterns(&schema, &mut patterns);
        Self { schema, patterns }
    }

    /// All that is wrong with the value, in the order of its fields.
    pub(super) fn check(&self, value: &Value) -> Result<(), Vec<Finding>> {
        let mut walk = Walk { patterns: &self.patterns, findings: Vec::new() };
        walk.value(&self.schema, value, "");
        if walk.findings.is_empty() { Ok(()) } else { Err(walk.findings) }
    }
}

fn collect_patterns(schema: &Value, patterns: &mut BTreeMap<String, Regex>) {
    match schema {
        Value::Object(fields) => {
            let text = fields.get("pattern").and_then(Value::as_str);
            if let Some((text, regex)) = text.and_then(|text| Some((text, Regex::new(text).ok()?))) {
                patterns.insert(text.to_owned(), regex);
            }
            fields.values().for_each(|below| collect_patterns(below, patterns));
        }
        Value::Array(items) => items.iter().for_each(|below| collect_patterns(below, patterns)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

struct Walk<'a> {
    patterns: &'a BTreeMap<String, Regex>,
    findings: Vec<Finding>,
}

impl Walk<'_> {
    fn refuse(&mut self, field: &str, message: String) {
        self.findings.push(Finding { field: field.to_owned(), message });
    }

    fn value(&mut self, schema: &Value, value: &Value, at: &str) {
        if let Some(message) = wrong_type(schema, value) {
            return self.refuse(at, message);
        }
        if let Some(allowed) = schema["enum"].as_array().filter(|allowed| !allowed.contains(value)) {
            let allowed: Vec<_> = allowed.iter().filter_map(Value::as_str).collect();
            self.refuse(at, format!("must be {}, not {value}", allowed.join(" or ")));
        }
        match value {
            Value::String(text) => self.string(schema, text, at),
            Value::Number(_) => self.number(schema, value, at),
            Value::Array(items) => self.array(schema, items, at),
            Value::Object(fields) => self.object(schema, fields, at),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn string(&mut self, schema: &Value, text: &str, at: &str) {
        let characters = text.chars().count() as u64;
        if characters == 0 && schema["minLength"].as_u64().is_some_and(|min| min > 0) {
            return self.refuse(at, "must not be empty".to_owned());
        }
        self.bound(schema, "maxLength", characters, "character", at);
        self.bound(schema, "minLength", characters, "character", at);
        if schema["format"] == "date-time" && text.parse::<Timestamp>().is_err() {
            self.refuse(at, format!("must be a time such as 2026-11-30T18:00:00Z, not {text:?}"));
        }
        let Some(pattern) = schema["pattern"].as_str() else { return };
        if !self.patterns.get(pattern).is_some_and(|regex| regex.is_match(text)) {
            let meaning = pattern::meaning(pattern).map_or_else(|| format!("like {pattern}"), str::to_owned);
            self.refuse(at, format!("must be {meaning}; found {}", shown(text)));
        }
    }

    fn number(&mut self, schema: &Value, value: &Value, at: &str) {
        let Some(number) = value.as_f64() else { return };
        if schema["maximum"].as_f64().is_some_and(|max| number > max) {
            self.refuse(at, format!("must be at most {}, not {value}", schema["maximum"]));
        }
        if schema["minimum"].as_f64().is_some_and(|min| number < min) {
            self.refuse(at, format!("must be at least {}, not {value}", schema["minimum"]));
        }
    }

    fn array(&mut self, schema: &Value, items: &[Value], at: &str) {
        self.bound(schema, "maxItems", items.len() as u64, "item", at);
        self.bound(schema, "minItems", items.len() as u64, "item", at);
        let key = schema["x-kubernetes-list-map-keys"][0].as_str();
        let mut seen = BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            let at = format!("{at}[{index}]");
            if let Some((key, name)) = key.and_then(|key| Some((key, item[key].as_str()?)))
                && !seen.insert(name)
            {
                self.refuse(
                    &format!("{at}.{key}"),
                    format!("must be different in each item; {name:?} was there before"),
                );
            }
            self.value(&schema["items"], item, &at);
        }
    }

    fn object(&mut self, schema: &Value, fields: &Map<String, Value>, at: &str) {
        self.bound(schema, "maxProperties", fields.len() as u64, "key", at);
        let path = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for name in required.filter(|name| !fields.contains_key(*name)) {
            self.refuse(&path(name), "is required".to_owned());
        }
        for (name, value) in fields {
            match (schema["properties"].get(name), schema.get("additionalProperties")) {
                (Some(below), _) | (None, Some(below)) => self.value(below, value, &path(name)),
                // An empty schema, such as that of a field that the API server writes.
                (None, None) if schema.get("type").is_none() => {}
                (None, None) => self.refuse(&path(name), unknown_field(schema)),
            }
        }
    }

    fn bound(&mut self, schema: &Value, keyword: &str, found: u64, unit: &str, at: &str) {
        let Some(bound) = schema[keyword].as_u64() else { return };
        let (broken, least_or_most) =
            if keyword.starts_with("max") { (found > bound, "most") } else { (found < bound, "least") };
        if broken {
            let plural = if bound == 1 { "" } else { "s" };
            self.refuse(at, format!("must have at {least_or_most} {bound} {unit}{plural}; it has {found}"));
        }
    }
}

/// What is wrong with the type of the value, if anything is.
fn wrong_type(schema: &Value, value: &Value) -> Option<String> {
    let integer = value.is_i64() || value.is_u64();
    let (wanted, right) = match schema["type"].as_str() {
        Some("object") => ("an object", value.is_object()),
        Some("array") => ("a list", value.is_array()),
        Some("string") => ("a string", value.is_string()),
        Some("integer") => ("a whole number", integer),
        Some("boolean") => ("true or false", value.is_boolean()),
        _ if schema["x-kubernetes-int-or-string"] == true => {
            ("a whole number or a string", integer || value.is_string())
        }
        _ => return None,
    };
    if right {
        return None;
    }
    Some(match value {
        Value::Null if wanted == "an object" && schema.get("required").is_none() => {
            "is null, which counts as absent: write {} to set it, or leave it out".to_owned()
        }
        Value::Null => "is null, which counts as absent: write a value, or leave it out".to_owned(),
        Value::Number(_) | Value::Bool(_) if wanted == "a string" => {
            format!("must be a string, not {value}: put it in quotes")
        }
        Value::Number(_) | Value::Bool(_) | Value::String(_) => format!("must be {wanted}, not {}", shown(value)),
        Value::Array(_) => format!("must be {wanted}, not a list"),
        Value::Object(_) => format!("must be {wanted}, not an object"),
    })
}

fn unknown_field(schema: &Value) -> String {
    let known: BTreeSet<_> =
        schema["properties"].as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    if known.is_empty() {
        return "is not a known field; there are none here: write {}".to_owned();
    }
    format!("is not a known field; known here: {}", Vec::from_iter(known).join(", "))
}

/// A value in a message, quoted and not too long.
fn shown(value: impl serde::Serialize) -> String {
    crate::condition::clip(&serde_json::to_string(&value).unwrap_or_default(), 80)
}
