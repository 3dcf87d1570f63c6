//! Connections to API servers: whose credentials, which workspace, made anew when they may have changed.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::uri::{InvalidUri, PathAndQuery};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::Config;
use kube::client::ConfigExt as _;
use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;
use tower::{BoxError, ServiceBuilder};

use crate::kcp::error::{Error, chain};
use crate::kcp::upstream::Upstream;
use crate::kcp::uri::{Invalid, LOCAL, Workspace};

/// A dead peer is noticed after 30 + 3 * 10 s, without which an idle watch would wait for ever.
const KEEPALIVE: Duration = Duration::from_secs(30);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVE_RETRIES: u32 = 3;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections kept for the next request; a watch holds its own.
const MAX_KEPT: usize = 64;

/// Where the API server and the right to use it come from.
#[derive(Clone)]
pub enum Credentials {
    /// `KUBECONFIG`, `~/.kube/config`, or else the pod's own ServiceAccount.
    Inferred,
    /// The pod's own ServiceAccount.
    InCluster,
    /// A file, read again at each reconnect.
    Kubeconfig(PathBuf),
    /// A ready client, for tests.
    Client(kube::Client),
}

impl Credentials {
    /// A workspace to give as an example: one that there is, as far as a kubeconfig tells.
    pub(crate) fn example_workspace(&self) -> &'static str {
        let kubeconfig = match self {
            Self::Inferred => Kubeconfig::read().ok(),
            Self::Kubeconfig(path) => Kubeconfig::read_from(path).ok(),
            Self::InCluster | Self::Client(_) => None,
        };
        let clusters = kubeconfig.into_iter().flat_map(|file| file.clusters);
        let mut servers = clusters.filter_map(|named| named.cluster?.server);
        if servers.any(|server| server.contains("/clusters/")) { "root:app" } else { LOCAL }
    }
}

/// A ServiceAccount as whom to act, with a token minted at each reconnect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceAccount {
    namespace: String,
    name: String,
}

impl FromStr for ServiceAccount {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let label = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c))
        };
        match text.split_once('/') {
            Some((namespace, name)) if label(namespace) && label(name) && !namespace.contains('.') => {
                Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() })
            }
            _ => Err(Invalid::new("service account", format!("{text:?} must be NAMESPACE/NAME"))),
        }
    }
}

/// The connection to one workspace; none before it is first asked for. Locked while it is made, so that it is made once.
type Slot = Arc<Mutex<Option<Arc<Upstream>>>>;

/// The connections of one server, by workspace.
pub(crate) struct Clients {
    credentials: Credentials,
    service_account: Option<ServiceAccount>,
    epoch: Option<String>,
    /// Locked to find a slot only: a workspace that does not answer holds up nobody else.
    slots: std::sync::Mutex<HashMap<Workspace, Slot>>,
}

impl Clients {
    /// Nothing is connected yet. `epoch` names the cluster if its identity is known better than by address.
    pub(crate) fn new(
        credentials: Credentials,
        service_account: Option<ServiceAccount>,
        epoch: Option<String>,
    ) -> Self {
        Self { credentials, service_account, epoch, slots: std::sync::Mutex::default() }
    }

    /// The connection to a workspace.
    pub(crate) async fn get(&self, workspace: &Workspace) -> Result<Arc<Upstream>, Error> {
        self.fill(workspace, &mut *self.slot(workspace).lock().await).await
    }

    /// A connection other than `failed`: with the credentials as they are now.
    pub(crate) async fn renew(&self, workspace: &Workspace, failed: &Arc<Upstream>) -> Result<Arc<Upstream>, Error> {
        let slot = self.slot(workspace);
        let mut kept = slot.lock().await;
        if kept.as_ref().is_some_and(|upstream| Arc::ptr_eq(upstream, failed)) {
            *kept = None;
        }
        self.fill(workspace, &mut kept).await
    }

    fn slot(&self, workspace: &Workspace) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.get(workspace) {
            return Arc::clone(slot);
        }
        if slots.len() >= MAX_KEPT {
            slots.clear();
        }
        Arc::clone(slots.entry(workspace.clone()).or_default())
    }

    async fn fill(&self, workspace: &Workspace, kept: &mut Option<Arc<Upstream>>) -> Result<Arc<Upstream>, Error> {
        if let Some(upstream) = kept {
            return Ok(Arc::clone(upstream));
        }
        let upstream = Arc::new(self.connect(workspace).await?);
        *kept = Some(Arc::clone(&upstream));
        Ok(upstream)
    }

    /// Reads a path of a workspace.
    pub(crate) async fn ask(&self, workspace: &Workspace, path: &str, accept: &str) -> Result<Bytes, Error> {
        self.authorized(workspace, |upstream| async move { upstream.get(path, accept).await }).await
    }

    /// Sends a request to a workspace.
    pub(crate) async fn send(&self, workspace: &Workspace, request: &http::Request<Vec<u8>>) -> Result<Bytes, Error> {
        self.authorized(workspace, |upstream| async move { upstream.request(request.clone()).await }).await
    }

    /// Reads the end of a text: at most so many bytes, and how many more there were.
    pub(crate) async fn tail(&self, workspace: &Workspace, path: &str, most: usize) -> Result<(Vec<u8>, usize), Error> {
        self.authorized(workspace, |upstream| async move { upstream.tail(path, most).await }).await
    }

    /// Makes a request; once more if the credentials of a kept connection have expired, since nothing came of it then.
    async fn authorized<T, F: Future<Output = Result<T, Error>>>(
        &self,
        workspace: &Workspace,
        request: impl Fn(Arc<Upstream>) -> F,
    ) -> Result<T, Error> {
        let upstream = self.get(workspace).await?;
        match request(Arc::clone(&upstream)).await {
            Err(error) if error.is_unauthorized() => request(self.renew(workspace, &upstream).await?).await,
            answered => answered,
        }
    }

    async fn connect(&self, workspace: &Workspace) -> Result<Upstream, Error> {
        let prefix = workspace.path();
        let config = match &self.credentials {
            Credentials::Client(client) => {
                return Ok(Upstream::new(client.clone(), prefix, self.epoch.clone().unwrap_or_default()));
            }
            Credentials::Inferred => Config::infer().await.map_err(credentials)?,
            Credentials::InCluster => Config::incluster().map_err(credentials)?,
            Credentials::Kubeconfig(path) => {
                let file = Kubeconfig::read_from(path).map_err(credentials)?;
                Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.map_err(credentials)?
            }
        };
        let epoch = self.epoch.clone().unwrap_or_else(|| identity(&config));
        let mut config = config;
        if !workspace.is_local() {
            config.cluster_url = without_workspace(&config.cluster_url)?;
        }
        let upstream = Upstream::new(client(&config)?, prefix, epoch);
        let Some(account) = &self.service_account else { return Ok(upstream) };
        let token = upstream.mint(&account.namespace, &account.name).await?;
        config.auth_info = AuthInfo { token: Some(token.into()), ..AuthInfo::default() };
        Ok(upstream.with_client(client(&config)?))
    }
}

fn credentials<E: std::error::Error>(error: E) -> Error {
    Error::Credentials(chain(&error))
}

/// A client of the API server that notices a dead peer on an idle watch and retries nothing by itself: kube's own
/// stack has no keepalive, and hides what a caller must see at once.
pub fn client(config: &Config) -> Result<kube::Client, Error> {
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
    connector.set_keepalive(Some(KEEPALIVE));
    connector.set_keepalive_interval(Some(KEEPALIVE_INTERVAL));
    connector.set_keepalive_retries(Some(KEEPALIVE_RETRIES));
    let https = config.rustls_https_connector_with_connector(connector).map_err(credentials)?;
    let http = legacy::Client::builder(TokioExecutor::new()).build(https);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer().map_err(credentials)?)
        .layer(config.extra_headers_layer().map_err(credentials)?)
        .map_err(BoxError::from)
        .service(http);
    Ok(kube::Client::new(service, config.default_namespace.clone()))
}

/// Names a cluster by its address and certificate authority.
fn identity(config: &Config) -> String {
    let mut digest = Sha256::new();
    digest.update(config.cluster_url.to_string());
    for certificate in config.root_cert.iter().flatten() {
        digest.update(certificate);
    }
    let mut short = [0; 8];
    short.copy_from_slice(&digest.finalize()[..8]);
    format!("{:016x}", u64::from_be_bytes(short))
}

/// The address of the kcp server of which a kubeconfig may name a workspace.
fn without_workspace(url: &http::Uri) -> Result<http::Uri, Error> {
    let path = url.path().split("/clusters/").next().unwrap_or_default().trim_end_matches('/');
    let path: PathAndQuery = if path.is_empty() { "/" } else { path }.parse().map_err(credentials::<InvalidUri>)?;
    let mut parts = url.clone().into_parts();
    parts.path_and_query = Some(path);
    http::Uri::from_parts(parts).map_err(credentials)
}
