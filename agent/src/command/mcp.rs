//! `asyncai mcp`: the reference MCP servers, and the check of foreign ones.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, bail};
use asyncai_mcp::{Source, Timeouts, check};
use asyncai_servers::file::Files;
use asyncai_servers::kcp::{self, Kcp};
use asyncai_servers::serve::{self, Server};
use asyncai_servers::simple::Simple;
use futures::StreamExt as _;
use tokio_util::sync::CancellationToken;

use super::setup;
use crate::args::{Access, KcpArgs, Listen, Mcp};

/// For one answer of a checked server.
const CHECK_TIMEOUT: Duration = Duration::from_secs(30);

/// Serves until stdin ends, or a signal.
pub(crate) async fn run(command: Mcp) -> Result<u8> {
    match command {
        Mcp::Simple(listen) => serve(Simple::new(), listen).await,
        Mcp::Kcp(args) => {
            let listen = args.listen.clone();
            loopback(&listen)?;
            serve(kcp(args)?, listen).await
        }
        Mcp::File(args) => {
            loopback(&args.listen)?;
            let files = Files::new(args.root);
            files.check()?;
            serve(files, args.listen).await
        }
        Mcp::Check { target } => check(target).await,
    }
}

/// Whoever reaches a server that authenticates nobody sees all that it sees.
fn loopback(listen: &Listen) -> Result<()> {
    if let Some(address) = listen.http.as_deref()
        && !serve::address(address)?.ip().is_loopback()
    {
        bail!("--http {address}: this server does not authenticate its clients, so the address must be loopback");
    }
    Ok(())
}

fn kcp(args: KcpArgs) -> Result<Kcp> {
    Ok(Kcp::new(kcp::Options {
        credentials: args.kubeconfig.map_or(kcp::Credentials::Inferred, kcp::Credentials::Kubeconfig),
        access: match args.access {
            Access::ReadOnly => kcp::Access::ReadOnly,
            Access::ReadWrite => kcp::Access::ReadWrite,
        },
        epoch: None,
        name: args.name,
        service_account: args.service_account.map(|account| account.parse()).transpose()?,
    }))
}

async fn serve<S: Server>(server: S, listen: Listen) -> Result<u8> {
    let cancel = CancellationToken::new();
    let mut stop = setup::stop_signals()?;
    let on_stop = cancel.clone();
    tokio::spawn(async move {
        stop.next().await;
        on_stop.cancel();
    });
    match listen.http {
        None => serve::stdio(server, cancel).await?,
        Some(address) => {
            let http = serve::Http::bind(serve::address(&address)?, &listen.allow_host).await?;
            eprintln!("serving http://{}{}", http.addr()?, serve::PATH);
            http.serve(server, cancel).await?;
        }
    }
    Ok(0)
}

async fn check(target: Vec<String>) -> Result<u8> {
    let url = target.first().filter(|first| first.starts_with("http://") || first.starts_with("https://")).cloned();
    let source = match url {
        Some(url) => Source::Http { url, headers: Vec::new(), timeout: CHECK_TIMEOUT },
        None => Source::Stdio { command: target, env: BTreeMap::new() },
    };
    let report = check::check(&source, &Timeouts::default()).await;
    println!("{report}");
    Ok(u8::from(!report.watchable()))
}
