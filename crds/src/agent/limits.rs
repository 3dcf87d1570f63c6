//! How much an Agent may watch and spend.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many Watches the agent serves, and who may create them.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Watches {
    /// Most Watches served at a time; the oldest win, the others wait with reason TooManyWatches.
    #[serde(default = "default_max")]
    #[schemars(range(min = 0, max = 100))]
    pub max: u32,
    /// Allow or Deny: whether the model may start and stop watches of its own.
    #[serde(default)]
    pub model_managed: ModelManaged,
}

impl Default for Watches {
    fn default() -> Self {
        Self { max: default_max(), model_managed: ModelManaged::default() }
    }
}

/// Whether the model may start and stop watches of its own.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelManaged {
    /// It may, where the cluster's admission policy confines it to its own.
    #[default]
    Allow,
    /// It may not.
    Deny,
}

/// How much the agent may use its model.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Most turns in any hour; what comes beyond waits and is told together.
    #[serde(default = "default_max_turns_per_hour")]
    #[schemars(range(min = 1, max = 3600))]
    pub max_turns_per_hour: u32,
    /// Most tokens, read and written, in a day (UTC).
    #[serde(default = "default_max_tokens_per_day")]
    #[schemars(range(min = 1, max = 1_000_000_000_000_i64))]
    pub max_tokens_per_day: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_turns_per_hour: default_max_turns_per_hour(), max_tokens_per_day: default_max_tokens_per_day() }
    }
}

fn default_max() -> u32 {
    5
}

fn default_max_turns_per_hour() -> u32 {
    60
}

fn default_max_tokens_per_day() -> u64 {
    2_000_000
}
