//! The tool that reads what a container wrote.

use kube::api::LogParams;
use kube::core::Request;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::kcp::error::Error;
use crate::kcp::source::Source;
use crate::kcp::tools::{Place, bounded, hint, local, parse};
use crate::kcp::uri::object_name;

const LINES: u32 = 100;
const MAX_LINES: u32 = 10_000;
/// A year; the API server has no use for more.
const MAX_SECONDS: u32 = 366 * 24 * 60 * 60;
/// The most that is shown, in bytes.
const SHOWN: usize = 256 << 10;

pub(super) const LOGS: &str = "Reads the last lines that a container of a pod wrote, as text. At most 256 KiB: what \
     is left out at the beginning is said in the first line.";

/// Whose log, and how much of it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Logs {
    /// The workspace, such as root:app, or local for the cluster of the kubeconfig.
    #[serde(default = "local")]
    workspace: String,
    /// The pod's name.
    pod: String,
    /// The pod's namespace; default if left out.
    namespace: Option<String>,
    /// The container, if the pod has several.
    container: Option<String>,
    /// How many lines of the end, up to 10000; 100 if left out.
    #[schemars(range(min = 1, max = 10000))]
    tail_lines: Option<u32>,
    /// Those of the container before its last restart.
    #[serde(default)]
    previous: bool,
    /// Only lines not older than so many seconds.
    #[schemars(range(min = 1))]
    since_seconds: Option<u32>,
}

pub(super) async fn logs(source: &Source, arguments: Option<JsonObject>) -> Result<String, Error> {
    let arguments: Logs = parse(arguments)?;
    let lines = bounded("tailLines", arguments.tail_lines, LINES, MAX_LINES)?;
    let since =
        arguments.since_seconds.map(|since| bounded("sinceSeconds", Some(since), 1, MAX_SECONDS)).transpose()?;
    let container = arguments.container.as_deref().map(object_name).transpose()?;
    let names = (arguments.workspace.as_str(), "pods", arguments.pod.as_str());
    let place = Place::find(source, names, arguments.namespace.as_deref(), "get").await?;
    let params = LogParams {
        container: container.map(str::to_owned),
        previous: arguments.previous,
        since_seconds: since.map(i64::from),
        tail_lines: Some(i64::from(lines)),
        ..LogParams::default()
    };
    let request = Request::new(place.collection()).logs(&place.name, &params).map_err(Error::request)?;
    match source.clients.tail(&place.workspace, &request.uri().to_string(), SHOWN).await {
        Ok((bytes, left_out)) => Ok(text(&bytes, left_out)),
        Err(error) => Err(hint::explain(source, &place, error).await),
    }
}

/// The log as text; begins with a whole line unless that one is all there is.
fn text(bytes: &[u8], left_out: usize) -> String {
    if left_out == 0 {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let begin = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let begin = if begin == bytes.len() { 0 } else { begin };
    let shown = String::from_utf8_lossy(&bytes[begin..]);
    format!("[the first {} bytes of these lines are left out]\n{shown}", left_out + begin)
}
