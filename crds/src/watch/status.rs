//! The status of a Watch, written by the operator and by the agent, each its own part.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::{self, pattern};

/// What became of a Watch, and where it stands.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct WatchStatus {
    /// Generation of the spec that the operator has acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = i64::MAX))]
    pub observed_generation: Option<i64>,
    /// Accepted, ResolvedRefs, Subscribed and Ready; and while they hold Reconciling, Stalled, Suspended,
    /// FilterFailing, Throttled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::conditions")]
    pub conditions: Vec<Condition>,
    /// EventLog or State: what the resource turned out to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// The MCP server that is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63), regex(pattern = pattern::DNS_LABEL))]
    pub server: Option<String>,
    /// URI of the resource of which shape, server, cursor and baseline speak.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2048))]
    pub uri: Option<String>,
    /// Up to where events have been told or dropped; those of a state are numbered by the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = Rule::new("self.epoch != oldSelf.epoch || self.seq >= oldSelf.seq")
        .message("seq must not go back within an epoch"))]
    pub cursor: Option<Cursor>,
    /// Of a state: what of it has been told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// What has happened since the Watch was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// When the last event came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::time")]
    pub last_event_time: Option<Time>,
    /// When the last notice was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::time")]
    pub last_notice_time: Option<Time>,
}

/// EventLog or State: what the watched resource turned out to be.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A log of numbered events.
    EventLog,
    /// A state that is compared with the one before.
    State,
}

/// A position in an event log.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The life of the log in which seq counts.
    #[schemars(length(max = 128))]
    pub epoch: String,
    /// Sequence number of the last event that was told or dropped.
    #[schemars(range(min = 0, max = i64::MAX))]
    pub seq: u64,
}

/// What has been told of a state.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// Hash of the whole.
    #[schemars(length(max = 64))]
    pub hash: String,
    /// Number of items or keys.
    #[schemars(range(min = 0, max = i32::MAX))]
    pub items: u32,
    /// Short hashes of the items, to tell after a restart which have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 8192))]
    pub digests: Option<String>,
    /// Whether there were too many items for digests; a change over a restart is then told as a gap.
    #[serde(default)]
    pub truncated: bool,
}

/// What has happened since a Watch was created.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Events that came.
    #[serde(default)]
    #[schemars(range(min = 0, max = i64::MAX))]
    pub events: u64,
    /// Events that were dropped by the filter or as repeats.
    #[serde(default)]
    #[schemars(range(min = 0, max = i64::MAX))]
    pub dropped: u64,
    /// Notices that were sent to the agent.
    #[serde(default)]
    #[schemars(range(min = 0, max = i64::MAX))]
    pub notices: u64,
    /// Holes in what the source could tell.
    #[serde(default)]
    #[schemars(range(min = 0, max = i64::MAX))]
    pub gaps: u64,
    /// Times that the subscription ended and was made anew.
    #[serde(default)]
    #[schemars(range(min = 0, max = i64::MAX))]
    pub resubscribes: u64,
    /// Failures of the filter.
    #[serde(default)]
    #[schemars(range(min = 0, max = i64::MAX))]
    pub filter_errors: u64,
}
