//! The way from outside to an agent's API: its pod is found, and a port forwarded to it. The right to do that is the
//! right to talk to the agent.

use asyncai_crds::agent::AgentStatus;
use asyncai_crds::condition::{ACCEPTED, READY};
use asyncai_crds::{Agent, contract};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::Pod;
use kube::api::ListParams;
use kube::client::UpgradeConnectionError;
use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Api, Client, ResourceExt};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};

#[cfg(test)]
mod tests;

const FORBIDDEN: u16 = 403;
const UNAUTHORIZED: u16 = 401;
/// Letters in which a name may differ from what was meant.
const TYPOS: usize = 3;

/// Why an agent cannot be reached.
#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error("no kubeconfig tells where the cluster is")]
    Kubeconfig(#[source] KubeconfigError),
    #[error("there is no Agent {agent:?} in namespace {namespace:?}{}", hint(.similar, .others))]
    NoAgent { agent: String, namespace: String, similar: Vec<String>, others: Vec<String> },
    #[error("the Agent {agent:?} does not run: {reason}")]
    NotRunning { agent: String, reason: String },
    #[error(
        "you may not {what} in namespace {namespace:?}: talking to an agent takes get of agents and pods, and create of pods/portforward"
    )]
    Forbidden { what: &'static str, namespace: String },
    #[error("the cluster does not know you: the credentials of the kubeconfig were refused")]
    Unauthorized,
    #[error("cannot {what}")]
    Api { what: &'static str, source: Box<kube::Error> },
}

/// An agent that runs.
pub(crate) struct Forward {
    pods: Api<Pod>,
    pod: String,
    namespace: String,
}

impl Forward {
    /// Finds the agent by the kubeconfig; without a context or a namespace by those that it names.
    ///
    /// # Errors
    /// When there is no such agent, or it does not run, or that may not be known.
    pub(crate) async fn find(context: Option<&str>, namespace: Option<&str>, agent: &str) -> Result<Self, Error> {
        let kubeconfig = Kubeconfig::read().map_err(Error::Kubeconfig)?;
        let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
        let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await.map_err(Error::Kubeconfig)?;
        let namespace = namespace.unwrap_or(&config.default_namespace).to_owned();
        let client = Client::try_from(config).map_err(|error| refused("connect", &namespace, error))?;
        Self::of(client, namespace, agent).await
    }

    async fn of(client: Client, namespace: String, agent: &str) -> Result<Self, Error> {
        let found = get(&client, &namespace, agent).await?;
        let pods = Api::<Pod>::namespaced(client, &namespace);
        let pod = format!("{}-0", contract::child_name(agent));
        let seen = pods.get_opt(&pod).await.map_err(|error| refused("get pods", &namespace, error))?;
        if let Some(reason) = trouble(&found, seen.as_ref()) {
            return Err(Error::NotRunning { agent: agent.to_owned(), reason });
        }
        Ok(Self { pods, pod, namespace })
    }

    /// A connection to the agent's API, and what the node has to say if that does not come about.
    ///
    /// # Errors
    /// When the port cannot be forwarded.
    pub(crate) async fn open(
        &self,
    ) -> Result<(impl AsyncRead + AsyncWrite + Unpin + Send + 'static, BoxFuture<'static, Option<String>>), Error> {
        let opened = self.pods.portforward(&self.pod, &[contract::API_PORT]).await;
        let mut port = opened.map_err(|error| refused("forward a port to pods", &self.namespace, error))?;
        let closed = || Error::NotRunning { agent: self.pod.clone(), reason: "its port is closed".to_owned() };
        let said = port.take_error(contract::API_PORT).ok_or_else(closed)?;
        let stream = port.take_stream(contract::API_PORT).ok_or_else(closed)?;
        Ok((stream, said.boxed()))
    }
}

async fn get(client: &Client, namespace: &str, name: &str) -> Result<Agent, Error> {
    let agents = Api::<Agent>::namespaced(client.clone(), namespace);
    let found = agents.get_opt(name).await.map_err(|error| refused("get agents", namespace, error))?;
    if let Some(agent) = found {
        return Ok(agent);
    }
    // Who may not list them gets no hint.
    let names = agents.list_metadata(&ListParams::default()).await.map(|list| list.items).unwrap_or_default();
    let others = names.iter().map(ResourceExt::name_any).collect::<Vec<_>>();
    let similar = others.iter().filter(|other| strsim::osa_distance(other, name) <= TYPOS).cloned().collect();
    Err(Error::NoAgent { agent: name.to_owned(), namespace: namespace.to_owned(), similar, others })
}

fn hint(similar: &[String], others: &[String]) -> String {
    match (similar, others) {
        ([], []) => String::new(),
        ([], others) => format!("; there are: {}", others.join(", ")),
        (similar, _) => format!("; did you mean {}?", similar.join(" or ")),
    }
}

fn refused(what: &'static str, namespace: &str, error: kube::Error) -> Error {
    let code = match &error {
        kube::Error::Api(status) => status.code,
        kube::Error::UpgradeConnection(UpgradeConnectionError::ProtocolSwitch(status)) => status.as_u16(),
        _ => 0,
    };
    match code {
        FORBIDDEN => Error::Forbidden { what, namespace: namespace.to_owned() },
        UNAUTHORIZED => Error::Unauthorized,
        _ => Error::Api { what, source: Box::new(error) },
    }
}

/// Why the agent cannot be talked to; None if it can.
fn trouble(agent: &Agent, pod: Option<&Pod>) -> Option<String> {
    let Some(pod) = pod else {
        return Some(format!("it has no pod{}", verdict(agent.status.as_ref())));
    };
    let name = pod.name_any();
    if pod.metadata.deletion_timestamp.is_some() {
        return Some(format!("its pod {name} is ending"));
    }
    let status = pod.status.clone().unwrap_or_default();
    let containers = status.container_statuses.unwrap_or_default();
    let container = containers.iter().find(|container| container.name == contract::AGENT_CONTAINER);
    let state = container.and_then(|container| container.state.clone()).unwrap_or_default();
    if state.running.is_some() {
        return None;
    }
    let explained = |reason: Option<String>, message: Option<String>| {
        let both = [reason, message].into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        if both.is_empty() { String::new() } else { format!(": {}", both.join(": ")) }
    };
    if let Some(waiting) = state.waiting {
        return Some(format!("its pod {name} waits{}", explained(waiting.reason, waiting.message)));
    }
    if let Some(ended) = state.terminated {
        let why = explained(ended.reason, ended.message);
        return Some(format!("its pod {name} ended with status {}{why}", ended.exit_code));
    }
    let conditions = status.conditions.unwrap_or_default();
    let failed = conditions.into_iter().find(|condition| condition.status == "False");
    let why = failed.map(|condition| explained(condition.reason, condition.message)).unwrap_or_default();
    Some(format!("its pod {name} is {}{why}", status.phase.unwrap_or_else(|| "Unknown".to_owned())))
}

/// What the operator says of an agent that has no pod.
fn verdict(status: Option<&AgentStatus>) -> String {
    let conditions = status.map(|status| status.conditions.as_slice()).unwrap_or_default();
    let not = |type_: &str| conditions.iter().find(|condition| condition.type_ == type_ && condition.status != "True");
    match not(ACCEPTED).or_else(|| not(READY)) {
        Some(condition) => {
            format!(": {} is {}, {}: {}", condition.type_, condition.status, condition.reason, condition.message)
        }
        None if conditions.is_empty() => ": no operator has seen it yet".to_owned(),
        None => String::new(),
    }
}
