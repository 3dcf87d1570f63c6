//! The scripted model as a program: one line of JSON for each completion asked for.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use asyncai_e2e::scripted_model::{State, router};
use clap::Parser;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// A model server for tests: answers by a scenario, records every request.
#[derive(Debug, Parser)]
#[command(version, after_help = "Example: scripted-model --addr 127.0.0.1:8000 --scenario scenario.yaml")]
struct Args {
    /// Where to listen; port 0 takes any, and the log says which
    #[arg(long, default_value = "127.0.0.1:8000")]
    addr: SocketAddr,
    /// The scenario, YAML; without, every reply is NO_REPLY
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let scenario = match &args.scenario {
        Some(path) => std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?
            .parse()
            .with_context(|| format!("cannot use {}", path.display()))?,
        None => "{}".parse()?,
    };
    let listener = TcpListener::bind(args.addr).await.with_context(|| format!("cannot listen on {}", args.addr))?;
    tracing::info!(address = %listener.local_addr()?, "listening");
    let mut terminate = signal(SignalKind::terminate())?;
    // Held requests would keep a graceful shutdown waiting for ever.
    tokio::select! {
        served = axum::serve(listener, router(Arc::new(State::new(scenario)))) => served?,
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    Ok(())
}
