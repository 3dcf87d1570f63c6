//! The command line.

use std::net::SocketAddr;

use asyncai_crds::agent::Model;
use clap::Parser;

/// Reconciles Agents and Watches.
///
/// Each Agent becomes a ServiceAccount, a Role, a RoleBinding and a StatefulSet; Agents and Watches tell in their
/// conditions what became of them.
#[derive(Parser, Debug)]
#[command(version, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Namespaces to serve, separated by commas; all of them if there is none.
    #[arg(long, env = "ASYNCAI_NAMESPACES", value_delimiter = ',', value_name = "A,B")]
    pub(crate) namespaces: Vec<String>,

    /// Work only while holding the Lease `asyncai-operator` in the operator's own namespace.
    #[arg(long, env = "ASYNCAI_LEADER_ELECT")]
    pub(crate) leader_elect: bool,

    /// Where /healthz, /readyz and /metrics are served.
    #[arg(long, env = "ASYNCAI_METRICS_ADDR", default_value = "0.0.0.0:8080", value_name = "ADDR")]
    pub(crate) metrics_addr: SocketAddr,

    /// Image of the agents whose spec names none.
    #[arg(long, env = "ASYNCAI_AGENT_IMAGE", value_name = "IMAGE")]
    pub(crate) agent_image: String,

    /// Model of the Agents whose spec names none, as JSON in the form of an Agent's spec.model.
    #[arg(long, env = "ASYNCAI_DEFAULT_MODEL", value_parser = model, value_name = "JSON")]
    pub(crate) default_model: Option<Model>,
}

const EXAMPLES: &str = "Examples:
  asyncai-operator --agent-image ghcr.io/example/asyncai:0.1.0
  asyncai-operator --agent-image localhost/asyncai:dev --namespaces team-a,team-b --leader-elect
  asyncai-operator --agent-image localhost/asyncai:dev --default-model '{\"provider\": \"Relay\"}'";

fn model(json: &str) -> Result<Model, String> {
    serde_json::from_str(json).map_err(|e| format!("must be an Agent's spec.model as JSON: {e}"))
}

#[cfg(test)]
mod tests;
