//! The operator: reconciles Agents and Watches.
//!
//! A [`scope`] follows the kinds of one namespace or of all ([`feed`]) and runs the controllers of [`agent`] and
//! [`watch`] over what changes ([`drive`]). Deciding is pure: `agent::desired`, `agent::status` and `watch::status`
//! compute from what was seen; `reconcile` fetches and writes, all of it through [`apply`].

mod agent;
mod apply;
mod args;
mod backoff;
mod client;
mod context;
mod drive;
mod error;
mod feed;
#[cfg(test)]
mod fixtures;
mod leader;
mod metrics;
mod scope;
mod serve;
mod telemetry;
mod verdict;
mod watch;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use anyhow::{Context as _, bail, ensure};
use clap::Parser;
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, Client, Config};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::{args::Args, context::Settings, leader::Leadership, metrics::Metrics, scope::Scope};

#[global_allocator]
static ALLOC: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    telemetry::init();
    let stop = CancellationToken::new();
    tokio::spawn(stop_on_signal(stop.clone())?);
    let config = Config::infer().await.context("find out how to reach the API server")?;
    let client = client::connect(&config).context("connect to the API server")?;
    let metrics = Arc::new(Metrics::new().context("register the metrics")?);
    let listener = TcpListener::bind(args.metrics_addr)
        .await
        .with_context(|| format!("listen on --metrics-addr {}", args.metrics_addr))?;
    let server = tokio::spawn(serve::serve(listener, metrics.clone(), stop.clone()));
    tracing::info!(event = "operator.started", version = env!("CARGO_PKG_VERSION"), namespaces = ?args.namespaces);

    let result = lead(args, client, metrics, stop.clone()).await;
    stop.cancel();
    server.await?.context("serve the metrics port")?;
    tracing::info!(event = "operator.stopped");
    result
}

/// Works, after waiting for the Lease if so asked.
async fn lead(args: Args, client: Client, metrics: Arc<Metrics>, stop: CancellationToken) -> anyhow::Result<()> {
    if !args.leader_elect {
        return work(args, client, metrics, stop).await;
    }
    // A replica that waits for its turn is as ready as it can be.
    metrics.set_ready();
    let identity = std::env::var("HOSTNAME").context("the environment variable HOSTNAME must tell replicas apart")?;
    let mut leadership = tokio::select! {
        () = stop.cancelled() => return Ok(()),
        leadership = Leadership::acquire(client.clone(), &identity) => leadership.context("acquire the Lease")?,
    };
    let result = tokio::select! {
        result = work(args, client, metrics, stop) => result,
        // Nothing may be written from here on, so work is not finished but dropped.
        () = leadership.lost() => bail!("another replica leads now"),
    };
    leadership.release().await;
    result
}

/// Reconciles until `stop`.
async fn work(args: Args, client: Client, metrics: Arc<Metrics>, stop: CancellationToken) -> anyhow::Result<()> {
    let settings = Arc::new(settings(&args, &client).await?);
    let namespaces = match args.namespaces.as_slice() {
        [] => vec![None],
        names => names.iter().cloned().map(Some).collect(),
    };
    let waiting = Arc::new(AtomicUsize::new(namespaces.len()));
    let mut scopes = JoinSet::new();
    for namespace in namespaces {
        let (waiting, ready) = (waiting.clone(), metrics.clone());
        let on_ready = move || {
            if waiting.fetch_sub(1, Ordering::Relaxed) == 1 {
                ready.set_ready();
            }
        };
        let (client, settings, metrics) = (client.clone(), settings.clone(), metrics.clone());
        scopes.spawn(Scope { client, namespace, settings, metrics }.run(on_ready, stop.clone()));
    }
    while let Some(ended) = scopes.join_next().await {
        ended.context("a controller panicked")?;
        ensure!(stop.is_cancelled(), "the controllers of a namespace ended");
    }
    Ok(())
}

async fn settings(args: &Args, client: &Client) -> anyhow::Result<Settings> {
    let cluster_id = match Api::<Namespace>::all(client.clone()).get("kube-system").await {
        Ok(namespace) => namespace.metadata.uid,
        // The kcp server of an agent then takes a hash of the server's address.
        Err(error) => {
            tracing::warn!(event = "cluster.unknown", %error, "the UID of namespace kube-system cannot be read");
            None
        }
    };
    let default_model_json = args.default_model.as_ref().map(serde_json::to_string).transpose()?;
    Ok(Settings {
        agent_image: args.agent_image.clone(),
        cluster_id,
        default_model: args.default_model.clone(),
        default_model_json,
    })
}

/// The task that ends the operator on SIGTERM or SIGINT.
fn stop_on_signal(stop: CancellationToken) -> std::io::Result<impl Future<Output = ()>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!(event = "operator.stopping");
        stop.cancel();
    })
}
