//! The simple server: a watchable JSON object and the tool that changes it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};

use crate::serve::Server;
use crate::subscriptions::Subscriptions;

#[cfg(test)]
mod tests;

/// The one resource.
pub const NOTES: &str = "memo://notes";

const KEYS: usize = 256;
const KEY_CHARS: usize = 128;
const BYTES: usize = 64 * 1024;

/// `memo://notes`, kept in memory and shared by all connections.
#[derive(Clone, Default)]
pub struct Simple {
    notes: Arc<Mutex<BTreeMap<String, Value>>>,
    subscriptions: Subscriptions,
}

impl Simple {
    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets `key`, or removes it if `value` is null; tells who listens. False if it was so already.
    fn set(&self, key: &str, value: Value) -> Result<bool, String> {
        if key.is_empty() || key.chars().count() > KEY_CHARS {
            return Err(format!("key must have 1 to {KEY_CHARS} characters"));
        }
        let changed = {
            let mut notes = self.lock();
            if value.is_null() {
                notes.remove(key).is_some()
            } else if notes.get(key) == Some(&value) {
                false
            } else {
                room(&notes, key, &value)?;
                notes.insert(key.to_owned(), value);
                true
            }
        };
        if changed {
            self.subscriptions.changed(NOTES);
        }
        Ok(changed)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn room(notes: &BTreeMap<String, Value>, key: &str, value: &Value) -> Result<(), String> {
    let others = notes.iter().filter(|(name, _)| *name != key);
    let (count, bytes) =
        others.fold((1, weight(key, value)), |(count, bytes), (name, value)| (count + 1, bytes + weight(name, value)));
    if count > KEYS {
        return Err(format!("there are {KEYS} keys already, the most allowed; set one to null to remove it"));
    }
    if bytes > BYTES {
        return Err(format!("the notes would have {bytes} bytes; {BYTES} are allowed"));
    }
    Ok(())
}

fn weight(key: &str, value: &Value) -> usize {
    key.len() + value.to_string().len()
}

fn memo_set() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "key": {"type": "string", "description": "Name of the note."},
            "value": {"description": "Any JSON value; null removes the note."},
        },
        "required": ["key", "value"],
        "additionalProperties": false,
    });
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new("memo_set", "Sets one key of memo://notes.", schema)
        .annotate(ToolAnnotations::new().read_only(false).destructive(true).idempotent(true).open_world(false))
}

fn arguments(arguments: Option<JsonObject>) -> Result<(String, Value), String> {
    let mut arguments = arguments.unwrap_or_default();
    let key = arguments.remove("key");
    let value = arguments.remove("value");
    if let Some(unknown) = arguments.keys().next() {
        return Err(format!("unknown argument {unknown:?}; memo_set takes key and value"));
    }
    match (key, value) {
        (Some(Value::String(key)), Some(value)) => Ok((key, value)),
        (Some(Value::String(_)), None) => Err("value is missing; null removes the key".to_owned()),
        (Some(_), _) => Err("key must be a string".to_owned()),
        (None, _) => Err("key is missing".to_owned()),
    }
}

impl ServerHandler for Simple {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_resources_subscribe().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("asyncai-mcp-simple", env!("CARGO_PKG_VERSION")))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let notes = Resource::new(NOTES, "notes")
            .with_description(
                "A JSON object that memo_set changes.\n\
                 Example: await watch_start(name=\"notes\", uri=\"memo://notes\")",
            )
            .with_mime_type("application/json");
        Ok(ListResourcesResult::with_all_items(vec![notes]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != NOTES {
            let message = format!("no resource {:?}; there is {NOTES}", request.uri);
            let data = json!({"uri": request.uri});
            return Err(ErrorData::resource_not_found(message, Some(data)));
        }
        let text =
            serde_json::to_string(&*self.lock()).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let contents = ResourceContents::text(text, NOTES).with_mime_type("application/json");
        Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![memo_set()]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != "memo_set" {
            let message = format!("no tool {:?}; there is memo_set", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let outcome = arguments(request.arguments).and_then(|(key, value)| self.set(&key, value));
        let result = match outcome {
            Ok(changed) => CallToolResult::structured(json!({"changed": changed})),
            Err(message) => CallToolResult::error(vec![ContentBlock::text(message)]),
        };
        Ok(result.into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let honoured = self.subscriptions.accept(requested, |uri| (uri == NOTES).then_some(()));
        Some(honoured)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.subscriptions.listen(context).await
    }
}

impl Server for Simple {
    fn close(&self) {
        self.subscriptions.close();
    }
}
