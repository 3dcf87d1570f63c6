//! The tools: single looks at files and directories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rmcp::handler::server::common::schema_for_type;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::file::contents::{self, Contents, LARGEST};
use crate::file::error::Error;
use crate::file::roots::{Located, Roots};
use crate::file::server::blocking;
use crate::file::uri;

/// What is offered.
pub(crate) const NAMES: [&str; 2] = ["read_file", "list_dir"];

/// Which file, and which part of it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadFile {
    /// An absolute path, or a file:// URI.
    path: String,
    /// Where to begin, in bytes; a negative one counts from the end. Parts of a text hold whole characters.
    offset: Option<i64>,
    /// How many bytes, up to 1048576.
    #[schemars(range(min = 1, max = 1_048_576))]
    length: Option<u64>,
}

/// Which directory.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListDir {
    /// An absolute path, or a file:// URI.
    path: String,
}

/// The tools, with examples below the first root.
pub(crate) fn list(roots: &[PathBuf]) -> Vec<Tool> {
    let root = roots.first().map_or_else(|| "/data".to_owned(), |root| root.display().to_string());
    let annotations = ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    let file = format!(
        "Reads a file of at most 1 MiB, or a part of a larger one.\n\
         Example: await read_file(path=\"{root}/app.log\", offset=-2000)"
    );
    let dir = format!(
        "Lists a directory: {{\"entries\": [{{name, type, size, modified}}]}}.\n\
         Example: await list_dir(path=\"{root}\")"
    );
    vec![
        Tool::new(NAMES[0], file, schema_for_type::<ReadFile>()).annotate(annotations.clone()),
        Tool::new(NAMES[1], dir, schema_for_type::<ListDir>()).annotate(annotations),
    ]
}

/// Calls a tool; `None` if there is none of that name.
pub(crate) async fn call(
    roots: Arc<Roots>,
    name: &str,
    arguments: Option<JsonObject>,
) -> Option<Result<CallToolResult, Error>> {
    let arguments = Value::Object(arguments.unwrap_or_default());
    match name {
        "read_file" => Some(blocking(move || read_file(&roots, arguments)).await),
        "list_dir" => Some(blocking(move || list_dir(&roots, arguments)).await),
        _ => None,
    }
}

fn read_file(roots: &Roots, arguments: Value) -> Result<CallToolResult, Error> {
    let arguments: ReadFile = parse(arguments)?;
    let located = locate(roots, &arguments.path)?;
    let length = arguments.length.unwrap_or(LARGEST);
    if !(1..=LARGEST).contains(&length) {
        return Err(Error::invalid("length", format!("is {length}, must be 1 to {LARGEST}")));
    }
    let whole = arguments.offset.is_none() && arguments.length.is_none();
    let part = (!whole).then_some((arguments.offset.unwrap_or(0), length));
    let block = match contents::read_file(&located, part)? {
        Contents::Text(_, text) => ContentBlock::text(text),
        blob @ Contents::Blob(..) => ContentBlock::resource(blob.answer(uri::of(&located.path()))),
    };
    Ok(CallToolResult::success(vec![block]))
}

fn list_dir(roots: &Roots, arguments: Value) -> Result<CallToolResult, Error> {
    let arguments: ListDir = parse(arguments)?;
    let entries = contents::list(&locate(roots, &arguments.path)?)?;
    Ok(CallToolResult::structured(json!({"entries": entries})))
}

fn parse<T: serde::de::DeserializeOwned>(arguments: Value) -> Result<T, Error> {
    serde_json::from_value(arguments).map_err(|error| Error::invalid("arguments", error.to_string()))
}

fn locate(roots: &Roots, path: &str) -> Result<Located, Error> {
    let path = if path.starts_with(uri::SCHEME) { uri::parse(path)? } else { uri::path(Path::new(path))? };
    roots.locate(&path)
}
