//! One read of a resource.

use asyncai_eventlog::SINCE;
use rmcp::model::{
    ClientRequest, ReadResourceRequest, ReadResourceRequestParams, RequestMetaObject, ResourceContents, ServerResult,
};
use rmcp::service::PeerRequestOptions;
use serde_json::{Value, json};

use crate::entry::Connection;
use crate::error::Error;
use crate::value;

/// What a resource holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The name of the server that answered.
    pub server: String,
    /// The MIME type, if the server says.
    pub mime: Option<String>,
    /// The text; empty if the server left it out; base64 if it is binary.
    pub text: String,
    /// Whether it is binary.
    pub blob: bool,
}

impl Contents {
    /// What code sees: JSON as data, other text as a string, something binary as an object with `type` `blob`; bounded
    /// as [`ToolResult::value`](crate::ToolResult::value) is.
    pub fn value(&self) -> Value {
        if self.blob {
            return value::blob("blob", None, self.mime.as_deref(), &self.text);
        }
        serde_json::from_str(&self.text).map_or_else(|_| value::text(&self.text).into(), |data| value::data(&data))
    }
}

/// Reads `uri`, with the cursor if there is one.
pub(crate) async fn read(
    server: &str,
    connection: &Connection,
    uri: &str,
    since: Option<(&str, u64)>,
) -> Result<Contents, Error> {
    let answer = ask(server, connection, uri, since).await?;
    let parts = match answer {
        ServerResult::ReadResourceResult(result) => result.contents.into_iter().map(part).collect(),
        ServerResult::CustomResult(result) => {
            lenient(&result.0).ok_or_else(|| Error::source(server, "the answer to the read has no contents"))?
        }
        ServerResult::InputRequiredResult(_) => {
            return Err(Error::source(server, "the read asks for input, which nobody can give"));
        }
        _ => return Err(Error::source(server, "the answer to the read has no contents")),
    };
    let Part { mime, text, blob, .. } = choose(uri, parts).map_err(|message| Error::source(server, message))?;
    Ok(Contents { server: server.to_owned(), mime, text, blob })
}

async fn ask(
    server: &str,
    connection: &Connection,
    uri: &str,
    since: Option<(&str, u64)>,
) -> Result<ServerResult, Error> {
    let mut params = ReadResourceRequestParams::new(uri);
    if let Some((epoch, seq)) = since {
        let mut meta = RequestMetaObject::default();
        meta.insert(SINCE.to_owned(), json!({"epoch": epoch, "seq": seq}));
        params = params.with_meta(meta);
    }
    let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params));
    let options = PeerRequestOptions::with_timeout(connection.timeout);
    // Not the library's own read: that one fails on contents without a text, which some servers
    // send for an empty resource.
    let answer = match connection.peer.send_request_with_option(request, options).await {
        Ok(handle) => handle.await_response().await,
        Err(error) => Err(error),
    };
    answer.map_err(|error| {
        let error = Error::from_service(server, &error);
        if matches!(error, Error::ServerDown { .. }) {
            connection.doubt();
        }
        error
    })
}

/// One block of an answer.
#[derive(Default)]
struct Part {
    uri: String,
    mime: Option<String>,
    /// Base64 if it is binary.
    text: String,
    blob: bool,
}

fn part(contents: ResourceContents) -> Part {
    match contents {
        ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
            Part { uri, mime: mime_type, text, blob: false }
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            Part { uri, mime: mime_type, text: blob, blob: true }
        }
        _ => Part::default(),
    }
}

/// Reads an answer in which an empty text was left out.
fn lenient(answer: &Value) -> Option<Vec<Part>> {
    let contents = answer.get("contents")?.as_array()?;
    let parts = contents.iter().map(|block| {
        let text = |key| Some(block.get(key)?.as_str()?.to_owned());
        let blob = text("blob").filter(|_| block.get("text").is_none());
        Some(Part {
            uri: text("uri")?,
            mime: text("mimeType"),
            blob: blob.is_some(),
            text: blob.or_else(|| text("text")).unwrap_or_default(),
        })
    });
    parts.collect()
}

/// The block that is asked for: the one with the URI, or the only one.
fn choose(uri: &str, parts: Vec<Part>) -> Result<Part, String> {
    let count = parts.len();
    let mut parts = parts.into_iter();
    let chosen = match count {
        0 => return Err(format!("the read of {uri} returned no contents")),
        1 => parts.next(),
        _ => parts.find(|part| part.uri == uri),
    };
    chosen.ok_or_else(|| format!("the read returned {count} contents, none of which is {uri}"))
}
