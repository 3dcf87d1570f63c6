//! The MCP side: what is offered, who subscribes, and which watch serves them.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use asyncai_eventlog::{MIME, SINCE, Since};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
    ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::json;

use crate::kcp::client::{Clients, Credentials, ServiceAccount};
use crate::kcp::discovery::Discovery;
use crate::kcp::error::Error;
use crate::kcp::resume::Shared;
use crate::kcp::source::Source;
use crate::kcp::tools::{self, Outcome};
use crate::kcp::uri::{EVENTS, EVENTS_TEMPLATE, RESOURCES_TEMPLATE, Target, Uri};
use crate::kcp::watcher::Watcher;
use crate::serve::Server;
use crate::subscriptions::Subscriptions;

/// How many URIs are watched at once; each costs a connection and the memory of its objects.
const MAX_WATCHERS: usize = 256;

/// What the credentials are meant to allow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// To look.
    #[default]
    ReadOnly,
    /// To look and to change: there are tools that write.
    ReadWrite,
}

/// How to serve.
#[derive(Clone)]
pub struct Options {
    /// What the credentials are meant to allow.
    pub access: Access,
    /// Where the API server and the right to use it come from.
    pub credentials: Credentials,
    /// As whom to act instead; the credentials then only mint its tokens.
    pub service_account: Option<ServiceAccount>,
    /// Names the cluster of these credentials, such as the uid of its kube-system namespace. Else it is named by
    /// address and certificate authority.
    pub epoch: Option<String>,
    /// What the parameter `kcp` of a URI must be to mean this server.
    pub name: Option<String>,
}

/// The kcp server, shared by all connections.
#[derive(Clone)]
pub struct Kcp {
    inner: Arc<Inner>,
    subscriptions: Subscriptions<Lease>,
}

/// Keeps a watch running; none for a URI that is refused when it is read.
type Lease = Option<Arc<Watcher>>;

struct Inner {
    options: Options,
    source: Arc<Source>,
    watchers: Mutex<HashMap<String, Weak<Watcher>>>,
}

impl Kcp {
    /// Connects when it is first asked for something.
    pub fn new(options: Options) -> Self {
        let clients = Clients::new(options.credentials.clone(), options.service_account.clone(), options.epoch.clone());
        let source = Arc::new(Source { clients, discovery: Discovery::default() });
        Self {
            inner: Arc::new(Inner { options, source, watchers: Mutex::default() }),
            subscriptions: Subscriptions::new(),
        }
    }

    fn parse(&self, uri: &str) -> Result<Uri, Error> {
        Ok(Uri::parse(uri, self.inner.options.name.as_deref())?)
    }

    /// The watch that serves subscribers of `uri`, started by the first of them.
    ///
    /// A mistaken URI is accepted as well: the read that follows says what is wrong with it, a refusal here could not.
    fn lease(&self, uri: &str) -> Option<Lease> {
        let target = match self.parse(uri) {
            Ok(Uri::Events(target)) => target,
            Ok(Uri::Resources(_)) => return None,
            Err(_) => return uri.starts_with(EVENTS).then_some(None),
        };
        let mut watchers = self.inner.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watcher) = watchers.get(uri).and_then(Weak::upgrade) {
            return Some(Some(watcher));
        }
        watchers.retain(|_, watcher| watcher.strong_count() > 0);
        if watchers.len() >= MAX_WATCHERS {
            tracing::warn!(target: "kcp", uri, limit = MAX_WATCHERS, "too many URIs are watched already");
            return None;
        }
        let (subscriptions, changed) = (self.subscriptions.clone(), uri.to_owned());
        let watcher =
            Arc::new(Watcher::start(Arc::clone(&self.inner.source), target, move || subscriptions.changed(&changed)));
        watchers.insert(uri.to_owned(), Arc::downgrade(&watcher));
        Some(Some(watcher))
    }

    async fn read_events(&self, uri: &str, target: &Target, since: Option<&Since>) -> Result<String, Arc<Error>> {
        let watcher =
            self.inner.watchers.lock().unwrap_or_else(PoisonError::into_inner).get(uri).and_then(Weak::upgrade);
        if let Some(watcher) = watcher {
            return watcher.read(since).await;
        }
        // Nobody subscribes: one look, and no watch.
        let live = self.inner.source.seed(target, &[]).await?;
        let once = Shared::new(Arc::clone(&self.inner.source), target.workspace.clone(), Some(live));
        Ok(once.answer(since).await?.unwrap_or_default())
    }

    fn resource(&self) -> Resource {
        let uri = match &self.inner.options.name {
            Some(name) => format!("kcp-api://local/resources?kcp={name}"),
            None => "kcp-api://local/resources".to_owned(),
        };
        let description =
            format!("The resources that the cluster serves.\nExample: await read_resource(uri=\"{uri}\")");
        Resource::new(uri, "api-resources").with_description(description).with_mime_type("application/json")
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let workspace = self.inner.options.credentials.example_workspace();
        let events = format!(
            "Changes of the objects of a resource, as they happen. workspace is a kcp workspace, or local for the \
             cluster of the kubeconfig; resource is a plural, plural.group or short name; without namespace it is \
             default, * is all.\n\
             Example: await watch_start(name=\"cm\", uri=\"kcp-events://watch/{workspace}/configmaps?namespace=*\")"
        );
        let resources = format!(
            "The resources that a workspace serves.\nExample: await read_resource(uri=\"kcp-api://{workspace}/resources\")"
        );
        vec![
            ResourceTemplate::new(EVENTS_TEMPLATE, "events").with_description(events).with_mime_type(MIME),
            ResourceTemplate::new(RESOURCES_TEMPLATE, "workspace-api-resources")
                .with_description(resources)
                .with_mime_type("application/json"),
        ]
    }
}

impl ServerHandler for Kcp {
    fn get_info(&self) -> ServerConfig {
        let name = match self.inner.options.access {
            Access::ReadOnly => "asyncai-mcp-kcp-read-only",
            Access::ReadWrite => "asyncai-mcp-kcp-read-write",
        };
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_resources_subscribe().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new(name, env!("CARGO_PKG_VERSION")))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![self.resource()]))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(self.templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let (mime, text) = match self.parse(&uri).map_err(|error| refusal(&uri, &error))? {
            Uri::Events(target) => {
                let since = since(context.meta.0.0.get(SINCE))?;
                let read = self.read_events(&uri, &target, since.as_ref()).await;
                (MIME, read.map_err(|error| refusal(&uri, &error))?)
            }
            Uri::Resources(workspace) => {
                let read = tools::api_resources(&self.inner.source, &workspace).await;
                ("application/json", read.map_err(|error| refusal(&uri, &error))?.to_string())
            }
        };
        let contents = ResourceContents::text(text, uri).with_mime_type(mime);
        Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let options = &self.inner.options;
        // In an agent, the name is that of the object whose methods code calls.
        let identifier = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let name = options.name.as_deref().filter(identifier).unwrap_or("kcp");
        Ok(ListToolsResult::with_all_items(tools::list(options.access, name, options.credentials.example_workspace())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let access = self.inner.options.access;
        let result = match tools::call(&self.inner.source, access, &request.name, request.arguments).await {
            None => {
                let read_only = if access == Access::ReadOnly { " in this read-only server" } else { "" };
                let names = tools::names(access).join(", ");
                let message = format!("no tool {:?}{read_only}; there are {names}", request.name);
                return Err(ErrorData::invalid_params(message, None));
            }
            Some(Ok(Outcome::Data(value))) => CallToolResult::structured(value),
            Some(Ok(Outcome::Text(text))) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Some(Err(error)) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        };
        Ok(result.into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(self.subscriptions.accept(requested, |uri| self.lease(uri)))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.subscriptions.listen(context).await
    }
}

impl Server for Kcp {
    fn close(&self) {
        self.subscriptions.close();
    }
}

fn refusal(uri: &str, error: &Error) -> ErrorData {
    let data = Some(json!({"uri": uri}));
    if error.is_invalid() {
        return ErrorData::invalid_params(error.to_string(), data);
    }
    ErrorData::internal_error(error.to_string(), data)
}

fn since(value: Option<&serde_json::Value>) -> Result<Option<Since>, ErrorData> {
    let Some(value) = value else { return Ok(None) };
    serde_json::from_value(value.clone()).map(Some).map_err(|error| {
        let message = format!("_meta[{SINCE:?}] must be {{\"epoch\": string, \"seq\": unsigned integer}}: {error}");
        ErrorData::invalid_params(message, None)
    })
}
