//! The cluster that `KUBECONFIG` names, and the programs with which people use it.

use std::ffi::OsString;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use kube::Client;
use tokio::process::Command;

/// A cluster to run stories on.
pub struct Cluster {
    /// Talks to its API server as `KUBECONFIG` says.
    pub client: Client,
}

impl Cluster {
    /// Connects to the cluster that `KUBECONFIG` names; `None` without that variable, so that nobody's default cluster
    /// is written to by accident.
    pub async fn connect() -> Result<Option<Self>> {
        if std::env::var_os("KUBECONFIG").is_none_or(|path| path.is_empty()) {
            return Ok(None);
        }
        // The second of two stories in one process finds it installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::try_default().await.context("KUBECONFIG is set but cannot be used")?;
        client.apiserver_version().await.context("the cluster that KUBECONFIG names does not answer")?;
        Ok(Some(Self { client }))
    }

    /// Runs kubectl: its stdout, or an error with its stderr.
    pub async fn kubectl(&self, args: &[&str]) -> Result<String> {
        run(program("kubectl").args(args)).await
    }

    /// Runs kubectl with this on its stdin.
    pub async fn kubectl_reading(&self, input: &str, args: &[&str]) -> Result<String> {
        let mut file = tempfile::tempfile().context("no temporary file")?;
        file.write_all(input.as_bytes())?;
        file.rewind()?;
        run(program("kubectl").args(args).stdin(file)).await
    }

    /// Runs helm: its stdout, or an error with its stderr.
    pub async fn helm(&self, args: &[&str]) -> Result<String> {
        run(program("helm").args(args)).await
    }
}

/// The root of the repository.
#[must_use]
pub fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A program in the repository's root, with the embedded cluster's kubectl and helm at hand where `PATH` has none.
#[must_use]
pub fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.current_dir(repository()).stdin(Stdio::null()).kill_on_drop(true);
    if let Some(path) = search_path() {
        command.env("PATH", path);
    }
    command
}

/// The API server's audit log, if the embedded cluster keeps one.
#[must_use]
pub fn audit_log() -> Option<PathBuf> {
    let state = variable("ASYNCAI_STATE").or_else(|| Some(cache()?.join("cluster/state")))?;
    Some(state.join("audit.log")).filter(|log| log.exists())
}

async fn run(command: &mut Command) -> Result<String> {
    let called = command.as_std();
    let name = called.get_program().to_string_lossy().into_owned();
    let args = called.get_args().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let output = command
        .output()
        .await
        .with_context(|| format!("cannot run {name}: put it into PATH, or let `make cluster-up` build it"))?;
    if !output.status.success() {
        bail!("{name} {args} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `PATH`, and after it the folder where the embedded cluster keeps what it built.
fn search_path() -> Option<OsString> {
    let own = cache()?.join("cluster/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::env::split_paths(&path).chain([own])).ok()
}

fn cache() -> Option<PathBuf> {
    variable("ASYNCAI_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("asyncai")))
        .or_else(|| Some(variable("HOME")?.join(".cache/asyncai")))
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
