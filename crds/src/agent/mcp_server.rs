//! The MCP servers of an Agent: what it can watch and whose tools it can call.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{SecretKeyRef, schema::pattern};

/// An MCP server, by a name and exactly one source.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
    "(has(self.kcp) ? 1 : 0) + (has(self.simple) ? 1 : 0) + (has(self.file) ? 1 : 0) + \
     (has(self.mark) ? 1 : 0) + (has(self.http) ? 1 : 0) + (has(self.container) ? 1 : 0) + \
     (has(self.stdio) ? 1 : 0) == 1"
).message("must set exactly one of kcp, simple, file, mark, http, container, stdio"))]
pub struct McpServer {
    /// Name by which Watches and the model refer to the server.
    #[schemars(length(min = 1, max = 63), regex(pattern = pattern::DNS_LABEL))]
    pub name: String,
    /// Objects of a Kubernetes cluster or of kcp workspaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kcp: Option<Kcp>,
    /// Notes in memory, to try things out: write {}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simple: Option<Simple>,
    /// Files and directories of the pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<File>,
    /// Documents of a blackboard server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// A server reached over Streamable HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<Http>,
    /// A server that runs as a sidecar of the agent and speaks Streamable HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<Container>,
    /// A program of the pod's image that speaks MCP on its standard input and output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdio: Option<Stdio>,
}

/// The one source of an [`McpServer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// `kcp`.
    Kcp(&'a Kcp),
    /// `simple`.
    Simple(&'a Simple),
    /// `file`.
    File(&'a File),
    /// `mark`.
    Mark(&'a Mark),
    /// `http`.
    Http(&'a Http),
    /// `container`.
    Container(&'a Container),
    /// `stdio`.
    Stdio(&'a Stdio),
}

impl McpServer {
    /// The source that is set; `None` if none or several are, which the API server refuses.
    pub fn source(&self) -> Option<Source<'_>> {
        let mut set = [
            self.kcp.as_ref().map(Source::Kcp),
            self.simple.as_ref().map(Source::Simple),
            self.file.as_ref().map(Source::File),
            self.mark.as_ref().map(Source::Mark),
            self.http.as_ref().map(Source::Http),
            self.container.as_ref().map(Source::Container),
            self.stdio.as_ref().map(Source::Stdio),
        ]
        .into_iter()
        .flatten();
        set.next().filter(|_| set.next().is_none())
    }
}

/// Objects of a Kubernetes cluster or of kcp workspaces.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Kcp {
    /// ReadOnly or ReadWrite: which tools the server offers. What they reach is up to RBAC.
    #[serde(default)]
    pub access: Access,
    /// Secret key that holds a kubeconfig. Omitted: the pod's own cluster, as its ServiceAccount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubeconfig_secret_ref: Option<SecretKeyRef>,
}

/// What the tools of a kcp server may do.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Read and watch.
    #[default]
    ReadOnly,
    /// Read, watch and change.
    ReadWrite,
}

/// Notes in memory; it has no settings.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simple {}

/// Files and directories of the pod.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Absolute paths of the files and directories that are served, and nothing outside them.
    #[schemars(length(min = 1, max = 16), inner(length(max = 4096), regex(pattern = pattern::ABSOLUTE_PATH)))]
    pub paths: Vec<String>,
}

/// Documents of a blackboard server.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Mark {
    /// URL of the server, such as mark://board.asyncai.svc.
    #[schemars(length(max = 2048), regex(pattern = pattern::MARK_URL))]
    pub url: String,
    /// Secret key that holds the token. Omitted: no token is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_secret_ref: Option<SecretKeyRef>,
}

/// A server reached over Streamable HTTP.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Http {
    /// URL of the MCP endpoint.
    #[schemars(length(max = 2048), regex(pattern = pattern::HTTP_URL))]
    pub url: String,
    /// Headers of every request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub headers: Vec<Header>,
    /// Longest time that a request may take, in seconds; subscriptions have none.
    #[serde(default = "default_timeout_seconds")]
    #[schemars(range(min = 1, max = 600))]
    pub timeout_seconds: u32,
}

/// A header of each request to an HTTP server.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.value) != has(self.valueSecretRef)")
    .message("must set exactly one of value, valueSecretRef"))]
pub struct Header {
    /// Name of the header.
    #[schemars(length(min = 1, max = 256), regex(pattern = pattern::HEADER_NAME))]
    pub name: String,
    /// Value of the header, if it is no secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 4096), regex(pattern = pattern::HEADER_VALUE))]
    pub value: Option<String>,
    /// Secret key that holds the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_secret_ref: Option<SecretKeyRef>,
}

/// A server that runs as a sidecar of the agent and speaks Streamable HTTP. It gets no token of the cluster.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    /// Image of the server.
    #[schemars(length(min = 1, max = 1024))]
    pub image: String,
    /// Arguments to the image's entry point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(max = 4096)))]
    pub args: Vec<String>,
    /// Port on which the server listens.
    #[serde(default = "default_port")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: u16,
    /// Path of the MCP endpoint.
    #[serde(default = "default_path")]
    #[schemars(length(max = 1024), regex(pattern = pattern::ABSOLUTE_PATH))]
    pub path: String,
}

/// A program of the pod's image that speaks MCP on its standard input and output. It runs as the agent's user.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Stdio {
    /// The program and its arguments; no shell is involved.
    #[schemars(length(min = 1, max = 64), inner(length(min = 1, max = 4096)))]
    pub command: Vec<String>,
    /// Environment of the program, beside PATH and HOME; nothing else of the agent's own environment is passed on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub env: Vec<StdioEnv>,
}

/// An environment variable of a stdio server.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.value) != has(self.valueSecretRef)")
    .message("must set exactly one of value, valueSecretRef"))]
pub struct StdioEnv {
    /// Name of the variable.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::ENV_NAME))]
    pub name: String,
    /// Value of the variable, if it is no secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 4096))]
    pub value: Option<String>,
    /// Secret key that holds the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_secret_ref: Option<SecretKeyRef>,
}

fn default_timeout_seconds() -> u32 {
    60
}

fn default_port() -> u16 {
    8080
}

fn default_path() -> String {
    "/mcp".into()
}
