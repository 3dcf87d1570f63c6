//! What a server offers: its tools, resources and templates.

use std::future::Future;
use std::time::Duration;

use rmcp::model::{self, ErrorCode, PaginatedRequestParams};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::{Map, Value};

use crate::uri::Template;

/// More entries than this are cut off, so that a server cannot fill the memory.
const LONGEST: usize = 10_000;

/// So many URIs are named to who asked for another.
const SHOWN: usize = 5;

/// A resource or a template of resources.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// The URI, or the RFC 6570 template.
    pub uri: String,
    /// Whether `uri` is a template.
    pub template: bool,
    /// The server's name for it.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// What follows `Example:` in the description.
    pub example: Option<String>,
    /// The MIME type.
    pub mime_type: Option<String>,
    /// The server's configured name.
    pub server: String,
    /// Whether the server pushes changes.
    pub subscribable: bool,
}

/// A tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The server's configured name.
    pub server: String,
    /// The tool's name on that server.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    pub input_schema: Map<String, Value>,
    /// JSON Schema of its structured result.
    pub output_schema: Option<Map<String, Value>>,
    /// Whether it is annotated `readOnlyHint: true`.
    pub read_only: bool,
}

/// One server's lists; None for one that the server has but did not give.
pub(crate) struct Catalogue {
    tools: Option<Vec<model::Tool>>,
    resources: Option<Vec<model::Resource>>,
    templates: Option<Vec<Listed>>,
}

type Listed = (model::ResourceTemplate, Option<Template>);

impl Catalogue {
    /// Asks for the lists that the server's capabilities promise; the others are empty. One that
    /// cannot be had is logged: what the others offer still works.
    pub(crate) async fn load(server: &str, peer: &Peer<RoleClient>, timeout: Duration) -> Self {
        let capabilities = peer.peer_info().map(|info| info.capabilities.clone());
        let capabilities = capabilities.unwrap_or_default();
        let mut catalogue = Self { tools: Some(Vec::new()), resources: Some(Vec::new()), templates: Some(Vec::new()) };
        if capabilities.tools.is_some() {
            let pages = |cursor| async {
                let page = peer.list_tools(cursor).await?;
                Ok((page.tools, page.next_cursor))
            };
            catalogue.tools = all(server, "tools", timeout, pages).await;
        }
        if capabilities.resources.is_some() {
            let pages = |cursor| async {
                let page = peer.list_resources(cursor).await?;
                Ok((page.resources, page.next_cursor))
            };
            catalogue.resources = all(server, "resources", timeout, pages).await;
            let pages = |cursor| async {
                let page = peer.list_resource_templates(cursor).await?;
                Ok((page.resource_templates, page.next_cursor))
            };
            let templates = all(server, "resource templates", timeout, pages).await;
            catalogue.templates = templates.map(|templates| templates.into_iter().map(parsed).collect());
        }
        catalogue
    }

    /// Whether every list could be had.
    pub(crate) fn complete(&self) -> bool {
        self.tools.is_some() && self.resources.is_some() && self.templates.is_some()
    }

    /// These lists, and `old` ones in place of those that could not be had.
    pub(crate) fn or(&self, old: &Self) -> Self {
        Self {
            tools: self.tools.clone().or_else(|| old.tools.clone()),
            resources: self.resources.clone().or_else(|| old.resources.clone()),
            templates: self.templates.clone().or_else(|| old.templates.clone()),
        }
    }

    #[cfg(test)]
    pub(crate) fn of(resources: Vec<model::Resource>, templates: Vec<model::ResourceTemplate>) -> Self {
        let templates = templates.into_iter().map(parsed).collect();
        Self { tools: Some(Vec::new()), resources: Some(resources), templates: Some(templates) }
    }

    pub(crate) fn lists(&self, uri: &str) -> bool {
        self.resources.iter().flatten().any(|resource| resource.uri == uri)
    }

    pub(crate) fn matches(&self, uri: &str) -> bool {
        let mut templates = self.templates.iter().flatten().filter_map(|(_, template)| template.as_ref());
        templates.any(|template| template.matches(uri))
    }

    /// What there is, for who asked for a URI that there is not; None if there is, or nothing is known.
    pub(crate) fn instead_of(&self, uri: &str) -> Option<String> {
        if self.lists(uri) || self.matches(uri) || !self.complete() {
            return None;
        }
        let offered = self.resources("", true).into_iter().map(|resource| resource.uri).take(SHOWN).collect::<Vec<_>>();
        let offered = if offered.is_empty() { "no resource at all".to_owned() } else { offered.join(", ") };
        Some(format!("it has no such resource; it offers {offered}"))
    }

    pub(crate) fn tool_count(&self) -> usize {
        self.tools.as_ref().map_or(0, Vec::len)
    }

    pub(crate) fn resources(&self, server: &str, subscribable: bool) -> Vec<Resource> {
        let fixed = self.resources.iter().flatten().map(|resource| Resource {
            uri: resource.uri.clone(),
            template: false,
            name: resource.name.clone(),
            example: resource.description.as_deref().and_then(example),
            description: resource.description.clone(),
            mime_type: resource.mime_type.clone(),
            server: server.to_owned(),
            subscribable,
        });
        let templates = self.templates.iter().flatten().map(|(template, _)| Resource {
            uri: template.uri_template.clone(),
            template: true,
            name: template.name.clone(),
            example: template.description.as_deref().and_then(example),
            description: template.description.clone(),
            mime_type: template.mime_type.clone(),
            server: server.to_owned(),
            subscribable,
        });
        fixed.chain(templates).collect()
    }

    pub(crate) fn tools(&self, server: &str) -> impl Iterator<Item = Tool> {
        self.tools.iter().flatten().map(|tool| Tool {
            server: server.to_owned(),
            name: tool.name.to_string(),
            title: tool.title.clone(),
            description: tool.description.as_ref().map(ToString::to_string),
            input_schema: tool.input_schema.as_ref().clone(),
            output_schema: tool.output_schema.as_deref().cloned(),
            read_only: tool.annotations.as_ref().and_then(|hints| hints.read_only_hint) == Some(true),
        })
    }
}

fn parsed(template: model::ResourceTemplate) -> Listed {
    let matcher = Template::parse(&template.uri_template);
    if matcher.is_none() {
        tracing::warn!(target: "mcp", template = template.uri_template, "no RFC 6570 template");
    }
    (template, matcher)
}

/// The last `Example:` line of a description.
fn example(description: &str) -> Option<String> {
    let line = description.lines().rev().find_map(|line| line.trim().strip_prefix("Example:"))?;
    Some(line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// Every page of a list; None if one cannot be had.
async fn all<T, F>(
    server: &str,
    what: &str,
    timeout: Duration,
    page: impl Fn(Option<PaginatedRequestParams>) -> F,
) -> Option<Vec<T>>
where
    F: Future<Output = Result<(Vec<T>, Option<String>), ServiceError>>,
{
    let mut items = Vec::new();
    let mut cursor = None;
    loop {
        let request = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let answer = tokio::time::timeout(timeout, page(request)).await;
        match answer.unwrap_or(Err(ServiceError::Timeout { timeout })) {
            Ok((more, next)) => {
                let empty = more.is_empty();
                items.extend(more);
                cursor = next.filter(|_| !empty);
            }
            // It promises more than it has, and will answer so every time.
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                tracing::debug!(target: "mcp", server, "does not list {what}");
                return Some(items);
            }
            Err(error) => {
                tracing::warn!(target: "mcp", server, %error, "cannot list {what}");
                return None;
            }
        }
        if items.len() > LONGEST {
            tracing::warn!(target: "mcp", server, "more than {LONGEST} {what}; the rest is ignored");
            items.truncate(LONGEST);
            return Some(items);
        }
        if cursor.is_none() {
            return Some(items);
        }
    }
}
