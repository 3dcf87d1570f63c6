//! The Agent: a language model with tools and channels that is woken by what it watches.

pub mod channel;
pub mod limits;
pub mod mcp_server;
pub mod model;
pub mod pod;
pub mod status;

use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

pub use self::channel::{Channel, ChannelKind, Irc, Mailbox, Webhook};
pub use self::limits::{Limits, ModelManaged, Watches};
pub use self::mcp_server::{
    Access, Container, File, Header, Http, Kcp, Mark, McpServer, Simple, Source, Stdio, StdioEnv,
};
pub use self::model::{Model, Prompt, Provider};
pub use self::pod::{
    EnvVar, PersistentVolumeClaim, Pod, Resources, Session, TaintEffect, Toleration, TolerationOperator, Volume,
};
pub use self::status::{AgentStatus, McpServerStatus, Usage};

/// What an Agent is to be.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "asyncai.dev",
    version = "v1alpha1",
    kind = "Agent",
    plural = "agents",
    namespaced,
    status = "AgentStatus",
    derive = "PartialEq",
    derive = "Default",
    shortname = "agt",
    category = "asyncai",
    doc = "An Agent is a language model with tools and channels that runs in a pod of its own and is woken by what its Watches report.",
    printcolumn(name = "Ready", type_ = "string", json_path = r#".status.conditions[?(@.type=="Ready")].status"#),
    printcolumn(name = "Model", type_ = "string", json_path = ".spec.model.name"),
    printcolumn(name = "Watches", type_ = "integer", json_path = ".status.watchCount"),
    printcolumn(name = "Turns", type_ = "integer", json_path = ".status.usage.turns"),
    printcolumn(name = "Last-Turn", type_ = "date", json_path = ".status.lastTurnTime"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].reason"#,
        priority = 1
    ),
    validation = Rule::new(
        "size(self.metadata.name) <= 38 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')"
    )
    .message("metadata.name must be a DNS label (lower-case letters, digits and '-') of at most 38 characters"),
)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("!(has(self.prompt) && has(self.systemPrompt))")
        .message("must set at most one of prompt, systemPrompt"),
    validation = Rule::new(
        "!has(self.channels) || self.channels.all(c, !has(c.mailbox) || (has(self.mcpServers) && \
         self.mcpServers.exists(s, s.name == c.mailbox.server && has(s.mark))))"
    )
    .message("mailbox.server must name an entry of mcpServers whose source is mark")
    .field_path(".channels"),
)]
pub struct AgentSpec {
    /// What the agent is for, in a sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub description: Option<String>,
    /// The language model. Omitted: the operator's default model, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
    // The definition takes the description of an optional enum from the enum.
    /// A built-in system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Prompt>,
    /// Your own system prompt, instead of a built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 65536))]
    pub system_prompt: Option<String>,
    /// The message of the agent's first turn, such as what to set up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 16384))]
    pub on_start: Option<String>,
    /// MCP servers that the agent can watch and whose tools it can call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub mcp_servers: Vec<McpServer>,
    /// Where input comes from and replies go; the first is the default. None: replies are only logged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub channels: Vec<Channel>,
    /// How many Watches the agent serves, and who may create them.
    #[serde(default)]
    pub watches: Watches,
    /// How much the agent may use its model.
    #[serde(default)]
    pub limits: Limits,
    /// Where the agent keeps its conversation. Omitted: in memory, lost when the pod ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
    /// Stops the agent; what happened meanwhile is told when it resumes.
    #[serde(default)]
    pub suspend: bool,
    /// Settings of the agent's pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<Pod>,
}

#[cfg(test)]
mod tests;
