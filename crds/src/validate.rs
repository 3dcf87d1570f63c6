//! The check of a manifest without an API server: the same schema, the same rules, and messages that say what is
//! allowed.

mod metadata;
mod structure;

use std::fmt;

use kube::core::cel::{self, CompiledSchema, ErrorKind, RootContext};
use serde_json::Value;

use self::structure::Structure;
use crate::{Agent, Watch, contract, schema};

/// Something wrong with a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The field, such as `spec.mcpServers[0].name`; empty if it is the whole.
    pub field: String,
    /// What is wrong, and what is allowed.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.field, self.message) }
    }
}

/// A valid manifest.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// An Agent.
    Agent(Box<Agent>),
    /// A Watch.
    Watch(Box<Watch>),
}

/// Checks manifests; it holds the compiled schemas, so make it once.
pub struct Validator {
    agent: Kind,
    watch: Kind,
    cel: cel::Validator,
}

impl Default for Validator {
    fn default() -> Self {
        Self::new()
    }
}

impl Validator {
    /// Compiles the schemas of both kinds.
    pub fn new() -> Self {
        Self {
            agent: Kind::new("Agent", &schema::crd::<Agent>()),
            watch: Kind::new("Watch", &schema::crd::<Watch>()),
            cel: cel::Validator::new(),
        }
    }

    /// Checks a manifest as if it were created. The errors are in the order of the fields and never empty.
    pub fn create(&self, manifest: &Value) -> Result<Object, Vec<Finding>> {
        self.check(manifest, None)
    }

    /// Checks a manifest as if it took the place of `old`, which is taken to be valid.
    pub fn update(&self, manifest: &Value, old: &Value) -> Result<Object, Vec<Finding>> {
        self.check(manifest, Some(old))
    }

    fn check(&self, manifest: &Value, old: Option<&Value>) -> Result<Object, Vec<Finding>> {
        let kind = self.kind(manifest)?;
        // As on the server, rules are only asked about what has the right structure.
        kind.structure.check(manifest)?;
        self.cel
            .validate_compiled_with_context(&kind.rules, manifest, old, Some(&kind.context))
            .map_err(|errors| errors.into_vec().into_iter().map(finding).collect::<Vec<_>>())?;
        let unreadable = |error: serde_json::Error| vec![Finding { field: String::new(), message: error.to_string() }];
        if kind.context.kind == "Agent" {
            serde_json::from_value(manifest.clone()).map(|agent| Object::Agent(Box::new(agent))).map_err(unreadable)
        } else {
            serde_json::from_value(manifest.clone()).map(|watch| Object::Watch(Box::new(watch))).map_err(unreadable)
        }
    }

    fn kind(&self, manifest: &Value) -> Result<&Kind, Vec<Finding>> {
        let mut findings = Vec::new();
        let mut refuse = |field: &str, allowed: &str| {
            let message = match &manifest[field] {
                Value::Null => format!("is required: {allowed}"),
                found => format!("must be {allowed}, not {found}"),
            };
            findings.push(Finding { field: field.to_owned(), message });
        };
        if !manifest.is_object() {
            let message = "must be an object with apiVersion, kind, metadata and spec".to_owned();
            return Err(vec![Finding { field: String::new(), message }]);
        }
        if manifest["apiVersion"] != contract::API_VERSION {
            refuse("apiVersion", contract::API_VERSION);
        }
        let kind = match manifest["kind"].as_str() {
            Some("Agent") => Some(&self.agent),
            Some("Watch") => Some(&self.watch),
            _ => None,
        };
        if kind.is_none() {
            refuse("kind", "Agent or Watch");
        }
        kind.filter(|_| findings.is_empty()).ok_or(findings)
    }
}

/// What a kind is checked against.
struct Kind {
    structure: Structure,
    rules: CompiledSchema,
    context: RootContext,
}

impl Kind {
    fn new(kind: &str, crd: &Value) -> Self {
        let schema = schema::openapi(crd);
        Self {
            structure: Structure::new(metadata::complete(schema)),
            rules: cel::compile_schema(schema),
            context: RootContext {
                api_version: contract::API_VERSION.to_owned(),
                api_group: contract::GROUP.to_owned(),
                kind: kind.to_owned(),
            },
        }
    }
}

/// A rule that cannot be evaluated is reported too: silence would pass what the server refuses.
fn finding(error: cel::ValidationError) -> Finding {
    let message = match error.kind {
        ErrorKind::ValidationFailure => error.message,
        kind => format!("{} ({kind:?} of the rule {})", error.message, error.rule),
    };
    Finding { field: error.field_path, message }
}

#[cfg(test)]
mod tests;
