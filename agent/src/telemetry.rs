//! Logs: JSON lines on stderr, since stdout carries the agent's events.

use tracing_subscriber::EnvFilter;

/// rmcp warns of each error that a peer answers with; ours say the same with the name of the server.
const DEFAULT_FILTER: &str = "info,rmcp=error";

/// Sets the logger up; `RUST_LOG` overrides the filter.
pub(crate) fn init() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    tracing_subscriber::fmt().json().flatten_event(true).with_env_filter(filter).with_writer(std::io::stderr).init();
}
