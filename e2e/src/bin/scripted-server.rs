//! The scripted MCP server as a program.

use std::net::SocketAddr;

use anyhow::Context as _;
use asyncai_e2e::scripted_server::{freeze, serve};
use clap::Parser;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// An MCP server for tests: keeps to the contract of a watchable server and to no more.
#[derive(Debug, Parser)]
#[command(version, after_help = "Example: scripted-server --mcp 127.0.0.1:8000 --control 127.0.0.1:8001")]
struct Args {
    /// Where MCP is served, at /mcp
    #[arg(long, default_value = "127.0.0.1:8000")]
    mcp: SocketAddr,
    /// Where it is told what to do
    #[arg(long, default_value = "127.0.0.1:8001")]
    control: SocketAddr,
    /// Stops the server that runs beside this, as a debugger would
    #[arg(long)]
    freeze: bool,
    /// Lets it go on
    #[arg(long, conflicts_with = "freeze")]
    thaw: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    if args.freeze || args.thaw {
        return Ok(freeze(args.freeze)?);
    }
    let bind = async |address: SocketAddr| {
        TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
    };
    let (mcp, control) = (bind(args.mcp).await?, bind(args.control).await?);
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        served = serve(mcp, control) => served?,
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    Ok(())
}
