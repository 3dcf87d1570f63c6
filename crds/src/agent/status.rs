//! The status of an Agent, written by the operator and by the agent itself, each its own part.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::{self, pattern};

/// What became of an Agent.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct AgentStatus {
    /// Generation of the spec that the operator has acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = i64::MAX))]
    pub observed_generation: Option<i64>,
    /// Accepted, ResolvedRefs and Ready; and while they hold Reconciling, Stalled, Suspended and Throttled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::conditions")]
    pub conditions: Vec<Condition>,
    /// Number of Watches that refer to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = i32::MAX))]
    pub watch_count: Option<u32>,
    /// When the last turn ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::time")]
    pub last_turn_time: Option<Time>,
    /// What the agent has spent today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The MCP servers as the agent sees them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub mcp_servers: Vec<McpServerStatus>,
}

/// What an Agent has spent in a day.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The day (UTC), such as 2026-11-30.
    #[schemars(length(max = 10), regex(pattern = pattern::DAY))]
    pub day: String,
    /// Turns on that day.
    #[schemars(range(min = 0, max = i64::MAX))]
    pub turns: u64,
    /// Tokens read and written on that day.
    #[schemars(range(min = 0, max = i64::MAX))]
    pub tokens: u64,
}

/// An MCP server as the agent sees it.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct McpServerStatus {
    /// Name of the server in spec.mcpServers.
    #[schemars(length(min = 1, max = 63), regex(pattern = pattern::DNS_LABEL))]
    pub name: String,
    /// Whether the agent is connected to it.
    pub ready: bool,
    /// Version of MCP that was agreed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 32))]
    pub protocol_version: Option<String>,
    /// Whether its resources can be watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribable: Option<bool>,
    /// Number of its tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = i32::MAX))]
    pub tool_count: Option<u32>,
    /// What is wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub message: Option<String>,
}
