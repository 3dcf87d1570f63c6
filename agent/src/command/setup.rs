//! What several subcommands start with.

use std::env;
use std::io;

use anyhow::{Context as _, Result};
use asyncai_crds::agent::Model;
use asyncai_crds::contract;
use futures::stream::{self, Stream, StreamExt as _};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::event::Event;

/// Yields at each SIGTERM and SIGINT.
///
/// # Errors
/// When the handlers cannot be set up.
pub(super) fn stop_signals() -> io::Result<impl Stream<Item = ()> + Send + Unpin + 'static> {
    let terminate = signal(SignalKind::terminate())?;
    let interrupt = signal(SignalKind::interrupt())?;
    Ok(stream::select(signals(terminate), signals(interrupt)))
}

fn signals(signal: Signal) -> impl Stream<Item = ()> + Send + Unpin + 'static {
    stream::unfold(signal, async |mut signal| signal.recv().await.map(|()| ((), signal))).boxed()
}

/// A channel that holds one change, of which each is told to the loop as `event`: what finds no room would say the same.
pub(super) fn changes<T: Send + 'static>(events: &mpsc::Sender<Event>, event: fn() -> Event) -> mpsc::Sender<T> {
    let (sender, mut changes) = mpsc::channel(1);
    let events = events.clone();
    tokio::spawn(async move { while changes.recv().await.is_some() && events.send(event()).await.is_ok() {} });
    sender
}

/// The first signal ends the agent in order, the next one at once.
pub(super) fn forward_stop(mut stop: impl Stream<Item = ()> + Send + Unpin + 'static, events: mpsc::Sender<Event>) {
    tokio::spawn(async move { while stop.next().await.is_some() && events.send(Event::Stop).await.is_ok() {} });
}

/// The operator's default model.
pub(super) fn default_model() -> Result<Option<Model>> {
    let Ok(json) = env::var(contract::DEFAULT_MODEL_ENV) else { return Ok(None) };
    serde_json::from_str(&json).with_context(|| format!("{} holds no model", contract::DEFAULT_MODEL_ENV)).map(Some)
}
