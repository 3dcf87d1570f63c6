//! The tools: what is offered, and how a call reaches the one that it names.

use rmcp::handler::server::common::schema_for_type;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kcp::collection::namespace;
use crate::kcp::error::Error;
use crate::kcp::server::Access;
use crate::kcp::source::Source;
use crate::kcp::uri::{Invalid, LOCAL, Namespace, Workspace, object_name, resource_name};

mod events;
mod hint;
mod logs;
mod look;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use look::api_resources;

/// What is said of every argument that names a workspace.
fn local() -> String {
    LOCAL.to_owned()
}

/// What a tool answers with.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    /// A JSON object: clients of before 2026-07-28 know no other data.
    Data(Value),
    /// Text for reading.
    Text(String),
}

const READ: &[&str] = &["get_api_resources", "get", "list", "logs", "events"];
const WRITE: &[&str] = &["apply", "patch", "delete"];

/// The names of what is offered.
pub(crate) fn names(access: Access) -> Vec<&'static str> {
    let write = match access {
        Access::ReadOnly => &[],
        Access::ReadWrite => WRITE,
    };
    READ.iter().chain(write).copied().collect()
}

/// What is offered; `server` is the name by which code calls this server in examples, `workspace` one that there is.
pub(crate) fn list(access: Access, server: &str, workspace: &str) -> Vec<Tool> {
    let workspace = if workspace == LOCAL { String::new() } else { format!("workspace=\"{workspace}\", ") };
    let example = |description: &str, name: &str, arguments: &str| {
        let arguments = format!("{workspace}{arguments}");
        format!("{description}\nExample: await {server}.{name}({})", arguments.trim_end_matches(", "))
    };
    let tools = names(access).into_iter().filter_map(|name| {
        let (description, arguments, schema) = described(name)?;
        let reads = READ.contains(&name);
        let annotations =
            ToolAnnotations::new().read_only(reads).destructive(!reads).idempotent(true).open_world(false);
        Some(Tool::new(name, example(description, name, arguments), schema).annotate(annotations))
    });
    tools.collect()
}

type Described = (&'static str, &'static str, std::sync::Arc<JsonObject>);

/// What a tool does, the arguments of an example, its schema.
fn described(name: &str) -> Option<Described> {
    Some(match name {
        "get_api_resources" => (look::GET_API_RESOURCES, "", schema_for_type::<look::GetApiResources>()),
        "get" => (look::GET, r#"resource="deployments", name="web", namespace="shop""#, schema_for_type::<look::Get>()),
        "list" => (
            look::LIST,
            r#"resource="pods", namespace="*", labelSelector="app=web", limit=20"#,
            schema_for_type::<look::List>(),
        ),
        "logs" => (logs::LOGS, r#"pod="web-0", namespace="shop", tailLines=50"#, schema_for_type::<logs::Logs>()),
        "events" => {
            (events::EVENTS, r#"namespace="shop", kind="Pod", name="web-0""#, schema_for_type::<events::Events>())
        }
        "apply" => (
            write::APPLY,
            r#"manifest={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}}"#,
            schema_for_type::<write::Apply>(),
        ),
        "patch" => (
            write::PATCH,
            r#"resource="deployments", name="web", namespace="shop", patch={"spec": {"replicas": 2}}"#,
            schema_for_type::<write::PatchObject>(),
        ),
        "delete" => (write::DELETE, r#"resource="configmaps", name="c""#, schema_for_type::<write::Delete>()),
        _ => return None,
    })
}

/// Calls a tool; `None` if there is none of that name.
pub(crate) async fn call(
    source: &Source,
    access: Access,
    name: &str,
    arguments: Option<JsonObject>,
) -> Option<Result<Outcome, Error>> {
    if !names(access).contains(&name) {
        return None;
    }
    let data = match name {
        "get_api_resources" => look::get_api_resources(source, arguments).await,
        "get" => look::get(source, arguments).await,
        "list" => look::list(source, arguments).await,
        "logs" => return Some(logs::logs(source, arguments).await.map(Outcome::Text)),
        "events" => events::events(source, arguments).await,
        "apply" => write::apply(source, arguments).await,
        "patch" => write::patch(source, arguments).await,
        "delete" => write::delete(source, arguments).await,
        _ => return None,
    };
    Some(data.map(Outcome::Data))
}

fn parse<T: DeserializeOwned>(arguments: Option<JsonObject>) -> Result<T, Invalid> {
    let arguments = Value::Object(arguments.unwrap_or_default());
    serde_json::from_value(arguments).map_err(|error| Invalid::new("arguments", error.to_string()))
}

/// An argument that is a number, within what is allowed.
fn bounded(part: &'static str, given: Option<u32>, default: u32, most: u32) -> Result<u32, Invalid> {
    let number = given.unwrap_or(default);
    if (1..=most).contains(&number) {
        return Ok(number);
    }
    Err(Invalid::new(part, format!("is {number}, must be 1 to {most}")))
}

/// One object that a call names.
struct Place {
    workspace: Workspace,
    resource: crate::kcp::catalog::Resource,
    namespace: Option<String>,
    name: String,
}

impl Place {
    /// Finds the resource that is to be used by `verb`.
    async fn find(
        source: &Source,
        (workspace, resource, name): (&str, &str, &str),
        namespaced: Option<&str>,
        verb: &'static str,
    ) -> Result<Self, Error> {
        let workspace = Workspace::parse(workspace)?;
        // A kind or a singular gets a suggestion rather than a lesson on spelling.
        let resource = resource_name(&resource.to_lowercase())?;
        let name = object_name(name)?.to_owned();
        let wanted = Namespace::parse(namespaced)?;
        if wanted == Namespace::All {
            return Err(Invalid::new("namespace", "must name one namespace, since the call is about one object").into());
        }
        let resource = source.discovery.find(&workspace, &source.clients, &resource, &[verb]).await?;
        let namespace = namespace(&resource, &wanted)?.map(str::to_owned);
        Ok(Self { workspace, resource, namespace, name })
    }

    /// The path of its collection.
    fn collection(&self) -> String {
        self.resource.path(self.namespace.as_deref())
    }
}
