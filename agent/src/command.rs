//! The subcommands. Each returns the exit status, or an error for status 1.

pub(crate) mod agent;
pub(crate) mod check;
pub(crate) mod mcp;
pub(crate) mod run;

use std::io;

use futures::FutureExt as _;
use tokio::signal::unix::{SignalKind, signal};

/// The command line names something that is not there.
pub(crate) const USAGE: u8 = 2;

/// Completes at SIGTERM or SIGINT.
///
/// # Errors
/// When the handlers cannot be set up.
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move { futures::future::select(terminate.recv().boxed(), interrupt.recv().boxed()).map(drop).await })
}
