//! Installs the chart once for all stories of a process, and lets one story at a time have it to itself.

use anyhow::{Context, Result};
use tokio::sync::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::cluster::Cluster;

/// Name of the Helm release.
pub const RELEASE: &str = "asyncai";
/// Name of the operator's Deployment and account.
pub const OPERATOR: &str = "asyncai-operator";
/// Selects the operator's pods.
pub const OPERATOR_PODS: &str = "app.kubernetes.io/name=asyncai-operator,app.kubernetes.io/instance=asyncai";
/// Namespace of the operator.
pub const NAMESPACE: &str = "asyncai-system";

/// Held while a story is told: by many at a time, or by one that takes the operator away.
static TURN: RwLock<()> = RwLock::const_new(());
/// Whether the chart of this tree is known to be installed.
static INSTALLED: Mutex<bool> = Mutex::const_new(false);

/// A turn beside others.
pub struct Shared(#[expect(dead_code, reason = "held, not read")] RwLockReadGuard<'static, ()>);

/// A turn while no other story is told.
pub struct Exclusive(#[expect(dead_code, reason = "held, not read")] RwLockWriteGuard<'static, ()>);

/// Waits for a turn beside others, with the chart installed.
pub async fn shared(cluster: &Cluster) -> Result<Shared> {
    let turn = TURN.read().await;
    ensure_installed(cluster).await?;
    Ok(Shared(turn))
}

/// Waits until no other story is told, with the chart installed.
pub async fn exclusive(cluster: &Cluster) -> Result<Exclusive> {
    let turn = TURN.write().await;
    ensure_installed(cluster).await?;
    Ok(Exclusive(turn))
}

impl Exclusive {
    /// Uninstalls the chart as a user does, and gives what Helm says.
    pub async fn uninstall(&mut self, cluster: &Cluster) -> Result<String> {
        *INSTALLED.lock().await = false;
        cluster.helm(&["uninstall", RELEASE, "--namespace", NAMESPACE, "--wait", "--timeout", "2m"]).await
    }

    /// Installs it again.
    pub async fn install(&mut self, cluster: &Cluster) -> Result<()> {
        ensure_installed(cluster).await
    }
}

async fn ensure_installed(cluster: &Cluster) -> Result<()> {
    let mut installed = INSTALLED.lock().await;
    if !*installed {
        install(cluster).await?;
        *installed = true;
    }
    Ok(())
}

async fn install(cluster: &Cluster) -> Result<()> {
    let fresh = cluster.helm(&["status", RELEASE, "--namespace", NAMESPACE]).await.is_err();
    let mut args = vec!["upgrade", "--install", RELEASE, "charts/asyncai", "--namespace", NAMESPACE];
    args.extend(["--create-namespace", "--wait", "--timeout", "3m"]);
    // Whatever was installed before, and by whom: stories are told of this tree's chart with its defaults.
    args.extend(["--reset-values", "--take-ownership"]);
    let mut installed = cluster.helm(&args).await;
    if installed.is_ok() && !fresh {
        installed = restart(cluster).await;
    }
    if installed.is_err() {
        let pods = cluster.kubectl(&["-n", NAMESPACE, "describe", "pods"]).await;
        eprintln!("{}", pods.unwrap_or_else(|error| format!("{error:#}")));
    }
    installed.context("the chart cannot be installed")?;
    Ok(())
}

/// An image may have been loaded anew under the same name, of which neither Helm nor Kubernetes knows.
async fn restart(cluster: &Cluster) -> Result<String> {
    let operator = format!("deployment/{OPERATOR}");
    cluster.kubectl(&["-n", NAMESPACE, "rollout", "restart", &operator]).await?;
    cluster.kubectl(&["-n", NAMESPACE, "rollout", "status", &operator, "--timeout=2m"]).await
}
