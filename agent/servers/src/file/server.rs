//! The MCP side: what is offered, who subscribes, what is read.

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceTemplate,
    ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::json;

use crate::file::contents::{self, Contents};
use crate::file::error::Error;
use crate::file::roots::{Located, Roots};
use crate::file::watches::{Lease, Watches};
use crate::file::{tools, uri};
use crate::serve::Server;
use crate::subscriptions::Subscriptions;

/// Files and directories below given roots, shared by all connections.
#[derive(Clone)]
pub struct Files {
    roots: Arc<Roots>,
    watches: Watches,
    subscriptions: Subscriptions<Held>,
}

/// What a subscription holds: nothing for a URI that is refused when it is read.
type Held = Option<Lease>;

impl Files {
    /// Serves what is at and below `roots`, and nothing else. One that does not exist yet may come later.
    pub fn new(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let subscriptions: Subscriptions<Held> = Subscriptions::new();
        let listeners = subscriptions.clone();
        let watches = Watches::new(move |uri| listeners.changed(uri));
        Self { roots: Arc::new(Roots::new(roots)), watches, subscriptions }
    }

    /// Whether every root can be opened now.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Result<(), Error> {
        self.roots.check()
    }

    fn locate(&self, uri: &str) -> Result<Located, Error> {
        self.roots.locate(&uri::parse(uri)?)
    }

    /// A mistaken URI is accepted as well: the read that follows says what is wrong with it, a refusal here could not.
    fn lease(&self, uri: &str) -> Option<Held> {
        match self.locate(uri) {
            Ok(located) => self.watches.lease(uri, located).map(Some),
            Err(_) => uri.starts_with(uri::SCHEME).then_some(None),
        }
    }

    async fn read(&self, uri: &str) -> Result<Contents, Error> {
        let located = self.locate(uri)?;
        let watched = self.watches.check(uri)?;
        match blocking(move || contents::read(&located)).await {
            Err(Error::Missing { .. }) if watched => Ok(Contents::nothing()),
            read => read,
        }
    }
}

/// File systems wait for disks and networks.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(Error::Io { path: PathBuf::from("a file"), source: std::io::Error::other(error) }),
    }
}

impl ServerHandler for Files {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_resources_subscribe().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("asyncai-mcp-file", env!("CARGO_PKG_VERSION")))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.roots.all().iter().map(|root| {
            let uri = uri::of(root);
            let description = format!(
                "What is served at this path: a file's text, or a directory's entries as a list of \
                 {{name, type, size, modified}}.\nExample: await watch_start(name=\"files\", uri=\"{uri}\")"
            );
            Resource::new(uri, root.display().to_string()).with_description(description)
        });
        Ok(ListResourcesResult::with_all_items(resources.collect()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let example = self.roots.all().first().map_or_else(|| "/data".into(), |root| root.join("settings.json"));
        let description = format!(
            "A file or a directory by its absolute path, percent-encoded. A watched file need not exist yet; while it \
             does not, it is null.\nExample: await watch_start(name=\"settings\", uri=\"{}\")",
            uri::of(&example)
        );
        let template = ResourceTemplate::new(uri::TEMPLATE, "path").with_description(description);
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let contents = self.read(&uri).await.map_err(|error| refusal(&uri, &error))?.answer(uri);
        Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(self.roots.all())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let roots = Arc::clone(&self.roots);
        let Some(called) = tools::call(roots, &request.name, request.arguments).await else {
            let message = format!("no tool {:?}; there are {}", request.name, tools::NAMES.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        Ok(called.unwrap_or_else(|error| CallToolResult::error(vec![ContentBlock::text(error.to_string())])).into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(self.subscriptions.accept(requested, |uri| self.lease(uri)))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.subscriptions.listen(context).await
    }
}

impl Server for Files {
    fn close(&self) {
        self.subscriptions.close();
    }
}

fn refusal(uri: &str, error: &Error) -> ErrorData {
    let data = Some(json!({"uri": uri}));
    match error {
        Error::Missing { .. } | Error::Outside { .. } => ErrorData::resource_not_found(error.to_string(), data),
        Error::Invalid { .. } | Error::Escapes { .. } => ErrorData::invalid_params(error.to_string(), data),
        _ => ErrorData::internal_error(error.to_string(), data),
    }
}
