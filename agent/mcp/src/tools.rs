//! One call of a tool.

use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use crate::entry::Connection;
use crate::error::Error;
use crate::value;

/// What a tool returned.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// Whether the tool says that it failed; then `text` says why.
    pub failed: bool,
    /// Its text blocks, one after the other; other kinds are named, not carried.
    pub text: String,
    /// Its structured content.
    pub structured: Option<Value>,
    /// Its blocks, as code sees them.
    content: Value,
}

impl ToolResult {
    /// What code sees: the structured content if there is one, else text as a string, images, sounds, blobs, links
    /// and embedded resources as objects with a `type`, several of them as a list, and null for nothing at all.
    ///
    /// At most about 1 MiB; what is left out is said: a text ends in a line `[cut: …]`, an object has
    /// `truncated: true`, data becomes `{"type": "truncated", "bytes", "text"}`.
    pub fn value(&self) -> Value {
        self.structured.as_ref().map_or_else(|| self.content.clone(), value::data)
    }
}

/// Calls `tool`; telling the server to stop if the answer is not waited for.
pub(crate) async fn call(
    server: &str,
    connection: &Connection,
    tool: &str,
    arguments: Map<String, Value>,
) -> Result<ToolResult, Error> {
    let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    let calling = connection.peer.call_tool(params);
    let Ok(answer) = tokio::time::timeout(connection.timeout, calling).await else {
        let seconds = connection.timeout.as_secs_f32();
        let message = format!("tool {tool} did not answer within {seconds} s");
        return Err(Error::source(server, message));
    };
    match answer {
        Ok(result) => Ok(converted(result)),
        Err(error) => {
            let error = Error::from_service(server, &error);
            if matches!(error, Error::ServerDown { .. }) {
                connection.doubt();
            }
            Err(error)
        }
    }
}

fn converted(result: CallToolResult) -> ToolResult {
    // A value twice as large as a message may be would be kept for nothing.
    let content = if result.structured_content.is_some() { Value::Null } else { value::blocks(&result.content) };
    let texts: Vec<String> = result.content.into_iter().map(text).collect();
    ToolResult {
        failed: result.is_error == Some(true),
        text: value::text(&texts.join("\n")),
        structured: result.structured_content,
        content,
    }
}

fn text(block: ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => format!("[image, {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[audio, {}]", audio.mime_type),
        ContentBlock::ResourceLink(link) => format!("[resource {}]", link.uri),
        _ => "[embedded resource]".to_owned(),
    }
}
