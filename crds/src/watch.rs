//! The Watch: what an Agent watches, and what of it the Agent is told.

pub mod status;

use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::status::{Baseline, Counts, Cursor, Shape, WatchStatus};
use crate::schema::pattern;

/// What an Agent is to watch.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[kube(
    group = "asyncai.dev",
    version = "v1alpha1",
    kind = "Watch",
    plural = "watches",
    namespaced,
    status = "WatchStatus",
    derive = "PartialEq",
    shortname = "wat",
    category = "asyncai",
    selectable = ".spec.agentRef.name",
    doc = "A Watch tells an Agent of its namespace which MCP resource to watch; the agent is woken when it changes.",
    printcolumn(name = "Agent", type_ = "string", json_path = ".spec.agentRef.name"),
    printcolumn(name = "Ready", type_ = "string", json_path = r#".status.conditions[?(@.type=="Ready")].status"#),
    printcolumn(name = "Events", type_ = "integer", json_path = ".status.counts.events"),
    printcolumn(name = "Notices", type_ = "integer", json_path = ".status.counts.notices"),
    printcolumn(name = "Last-Notice", type_ = "date", json_path = ".status.lastNoticeTime"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "URI", type_ = "string", json_path = ".spec.uri", priority = 1),
    printcolumn(name = "Shape", type_ = "string", json_path = ".status.shape", priority = 1),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].reason"#,
        priority = 1
    ),
    validation = Rule::new("size(self.metadata.name) <= 104").message("metadata.name must be at most 104 characters"),
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("self.debounceSeconds <= self.maxWaitSeconds")
    .message("maxWaitSeconds must be at least debounceSeconds")
    .field_path(".maxWaitSeconds"))]
pub struct WatchSpec {
    /// The Agent that watches. It cannot be changed.
    #[x_kube(validation = Rule::new("self == oldSelf").message("agentRef must not be changed")
        .reason(Reason::FieldValueForbidden))]
    pub agent_ref: AgentRef,
    /// The entry of the Agent's mcpServers to ask. Omitted: the server that lists the URI, else the one with a
    /// template that matches it, else the first that can be watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63), regex(pattern = pattern::DNS_LABEL))]
    pub server: Option<String>,
    /// URI of the MCP resource, such as kcp-events://watch/local/configmaps?namespace=*.
    #[schemars(length(min = 3, max = 2048), regex(pattern = pattern::URI))]
    pub uri: String,
    /// Python that is run for each event, in the variable event, to filter and to word it: the value is told as a
    /// line, None drops the event. Omitted: every event is told in a standard line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 16384))]
    pub on_event: Option<String>,
    /// What the agent is to do about a notice; it is told with each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 4096))]
    pub instructions: Option<String>,
    /// Skip or Deliver: whether what exists when the watch starts is told as if it were new.
    #[serde(default)]
    pub initial: Initial,
    /// A notice is sent when nothing has come for so long, in seconds.
    #[serde(default = "default_debounce_seconds")]
    #[schemars(range(min = 0, max = 3600))]
    pub debounce_seconds: u32,
    /// A notice is sent at the latest so long after its first line, in seconds.
    #[serde(default = "default_max_wait_seconds")]
    #[schemars(range(min = 0, max = 3600))]
    pub max_wait_seconds: u32,
    /// Most notices in any hour; what comes beyond waits and is told together.
    #[serde(default = "default_max_notices_per_hour")]
    #[schemars(range(min = 1, max = 3600))]
    pub max_notices_per_hour: u32,
    /// Stops the watch; what happened meanwhile is told when it resumes.
    #[serde(default)]
    pub suspend: bool,
}

impl WatchSpec {
    /// What `agent` is to watch, all else at its defaults.
    pub fn new(agent: &str, uri: &str) -> Self {
        Self {
            agent_ref: AgentRef { name: agent.to_owned() },
            server: None,
            uri: uri.to_owned(),
            on_event: None,
            instructions: None,
            initial: Initial::default(),
            debounce_seconds: default_debounce_seconds(),
            max_wait_seconds: default_max_wait_seconds(),
            max_notices_per_hour: default_max_notices_per_hour(),
            suspend: false,
        }
    }
}

/// An Agent in the namespace of the Watch.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentRef {
    /// Name of the Agent.
    #[schemars(length(min = 1, max = 38), regex(pattern = pattern::DNS_LABEL))]
    pub name: String,
}

/// What is told of that which exists when the watch starts.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Initial {
    /// Nothing.
    #[default]
    Skip,
    /// Everything, as if it were new.
    Deliver,
}

fn default_debounce_seconds() -> u32 {
    3
}

fn default_max_wait_seconds() -> u32 {
    15
}

fn default_max_notices_per_hour() -> u32 {
    60
}
