//! What the operator sets and the agent relies on: names, labels, environment, paths and ports.

use crate::{
    SecretKeyRef,
    agent::{AgentSpec, Channel, Header, McpServer, StdioEnv},
};

/// The API group of both kinds.
pub const GROUP: &str = "asyncai.dev";
/// The API version of both kinds, as it stands in manifests.
pub const API_VERSION: &str = "asyncai.dev/v1alpha1";

/// Field manager of what the operator applies.
pub const OPERATOR_MANAGER: &str = "asyncai-operator";
/// Field manager of what an agent applies.
pub const AGENT_MANAGER: &str = "asyncai-agent";

/// Label that names the Agent to which an object of the operator belongs.
pub const AGENT_LABEL: &str = "asyncai.dev/agent";
/// Label that tells who made a Watch: [`ORIGIN_MODEL`] or [`ORIGIN_DECLARED`]; without it, people did.
pub const ORIGIN_LABEL: &str = "asyncai.dev/origin";
/// The model made the Watch, and may replace and delete it.
pub const ORIGIN_MODEL: &str = "model";
/// People made the Watch or took it over; the model leaves it alone.
pub const ORIGIN_DECLARED: &str = "declared";

/// The program of the agent in the image.
pub const AGENT_PROGRAM: &str = "/asyncai";
/// The program of the operator in the image.
pub const OPERATOR_PROGRAM: &str = "/asyncai-operator";
/// Name of the agent's container in its pod.
pub const AGENT_CONTAINER: &str = "agent";
/// Names of volumes that begin with this are the operator's, those of an Agent's `pod.volumes` do not.
pub const VOLUME_PREFIX: &str = "asyncai-";

/// Environment variable with the name of the Agent.
pub const AGENT_NAME_ENV: &str = "ASYNCAI_AGENT_NAME";
/// Environment variable with the namespace of the Agent.
pub const AGENT_NAMESPACE_ENV: &str = "ASYNCAI_AGENT_NAMESPACE";
/// Environment variable with the UID of the namespace kube-system, which tells clusters apart.
pub const CLUSTER_ID_ENV: &str = "ASYNCAI_CLUSTER_ID";
/// Environment variable with the operator's default [`Model`](crate::agent::Model) as JSON, if the Agent names none.
pub const DEFAULT_MODEL_ENV: &str = "ASYNCAI_DEFAULT_MODEL";

/// Directory under which the Secret keys that an Agent refers to are mounted: `SECRET/KEY`, absent while there is none.
pub const SECRETS_DIR: &str = "/var/run/secrets/asyncai";
/// Directory with `token`, `ca.crt` and `namespace`, where every Kubernetes client looks for them.
pub const SERVICE_ACCOUNT_DIR: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Directory in which the session is kept, if the Agent has a volume for it.
pub const SESSION_DIR: &str = "/var/lib/asyncai/session";

/// Port on which an agent serves [`HEALTH_PATH`], [`READY_PATH`] and [`METRICS_PATH`].
pub const HTTP_PORT: u16 = 8080;
/// Name of that port in the pod.
pub const HTTP_PORT_NAME: &str = "http";
/// Answers 200 while the program works.
pub const HEALTH_PATH: &str = "/healthz";
/// Answers 200 when the agent has read its Agent and its Watches.
pub const READY_PATH: &str = "/readyz";
/// Metrics in the text format of Prometheus.
pub const METRICS_PATH: &str = "/metrics";

/// Port on which an agent serves [`API_PATH`] to its own pod alone; it is reached by forwarding a port.
pub const API_PORT: u16 = 8081;
/// Takes a message for the agent: `{"text": …}`.
pub const API_PATH: &str = "/v1/messages";

/// Name of the ValidatingAdmissionPolicy, and of its binding, that confine agents to their own Watches.
pub const ADMISSION_POLICY: &str = "asyncai-agents-own-watches";

/// Time that an agent has to end, in seconds: last reads, last statuses.
pub const TERMINATION_GRACE_SECONDS: u32 = 30;

/// Name of the ServiceAccount, Role, RoleBinding and StatefulSet of an Agent.
pub fn child_name(agent: &str) -> String {
    format!("asyncai-agent-{agent}")
}

/// Name of the Watch that the model of `agent` calls `watch`.
pub fn model_watch_name(agent: &str, watch: &str) -> String {
    format!("{agent}.{watch}")
}

/// What the model of `agent` calls the Watch `name`: [`model_watch_name`] undone, any other name as it is.
pub fn watch_alias<'a>(agent: &str, name: &'a str) -> &'a str {
    name.strip_prefix(agent).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
}

/// A Secret key to which an Agent refers, and where it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRef<'a> {
    /// The key.
    pub secret: &'a SecretKeyRef,
    /// The field, such as `spec.model.apiKeySecretRef`.
    pub field: String,
}

/// The Secret keys to which an Agent refers, in the order of its fields; the same key twice if it refers to it twice.
/// The operator's default model is not among them, unless it was put in the place of an absent `model` before.
pub fn secret_refs(spec: &AgentSpec) -> Vec<SecretRef<'_>> {
    let model = spec.model.as_ref().and_then(|model| {
        let secret = model.api_key_secret_ref.as_ref()?;
        Some(SecretRef { secret, field: "spec.model.apiKeySecretRef".to_owned() })
    });
    let servers = spec.mcp_servers.iter().flat_map(server_refs);
    let channels = spec.channels.iter().flat_map(channel_refs);
    model.into_iter().chain(servers).chain(channels).collect()
}

fn server_refs(server: &McpServer) -> Vec<SecretRef<'_>> {
    let at = |field: &str| format!("spec.mcpServers[{}].{field}", server.name);
    let kcp = server.kcp.iter().filter_map(|kcp| kcp.kubeconfig_secret_ref.as_ref());
    let mark = server.mark.iter().filter_map(|mark| mark.token_secret_ref.as_ref());
    let headers = server.http.iter().flat_map(|http| &http.headers);
    let env = server.stdio.iter().flat_map(|stdio| &stdio.env);
    let header = |header: &'_ Header| format!("http.headers[{}].valueSecretRef", header.name);
    let variable = |env: &'_ StdioEnv| format!("stdio.env[{}].valueSecretRef", env.name);
    kcp.map(|secret| (secret, "kcp.kubeconfigSecretRef".to_owned()))
        .chain(mark.map(|secret| (secret, "mark.tokenSecretRef".to_owned())))
        .chain(headers.filter_map(|h| Some((h.value_secret_ref.as_ref()?, header(h)))))
        .chain(env.filter_map(|e| Some((e.value_secret_ref.as_ref()?, variable(e)))))
        .map(|(secret, field)| SecretRef { secret, field: at(&field) })
        .collect()
}

fn channel_refs(channel: &Channel) -> Vec<SecretRef<'_>> {
    let irc = channel.irc.iter().filter_map(|irc| irc.password_secret_ref.as_ref());
    let webhook = channel.webhook.iter().map(|webhook| &webhook.url_secret_ref);
    irc.map(|secret| (secret, "irc.passwordSecretRef"))
        .chain(webhook.map(|secret| (secret, "webhook.urlSecretRef")))
        .map(|(secret, field)| SecretRef { secret, field: format!("spec.channels[{}].{field}", channel.name) })
        .collect()
}

#[cfg(test)]
mod tests;
