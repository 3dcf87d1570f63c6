//! What several subcommands start with.

use std::env;
use std::io;

use anyhow::{Context as _, Result};
use asyncai_crds::agent::Model;
use asyncai_crds::contract;
use asyncai_mcp::Servers;
use futures::FutureExt as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::event::Event;

/// Completes at SIGTERM or SIGINT.
///
/// # Errors
/// When the handlers cannot be set up.
pub(super) fn stop_signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move { futures::future::select(terminate.recv().boxed(), interrupt.recv().boxed()).map(drop).await })
}

/// An empty set of servers whose changes reach the loop.
pub(super) fn servers(events: &mpsc::Sender<Event>) -> Servers {
    let (sender, mut changes) = mpsc::channel(1);
    let events = events.clone();
    tokio::spawn(async move { while changes.recv().await.is_some() && events.send(Event::Servers).await.is_ok() {} });
    Servers::new(sender)
}

/// The first signal ends the agent in order.
pub(super) fn forward_stop(stop: impl Future<Output = ()> + Send + 'static, events: mpsc::Sender<Event>) {
    tokio::spawn(async move {
        stop.await;
        let _ = events.send(Event::Stop).await;
    });
}

/// The operator's default model.
pub(super) fn default_model() -> Result<Option<Model>> {
    let Ok(json) = env::var(contract::DEFAULT_MODEL_ENV) else { return Ok(None) };
    serde_json::from_str(&json).with_context(|| format!("{} holds no model", contract::DEFAULT_MODEL_ENV)).map(Some)
}
