//! Logs, on stderr, since stdout carries the agent's events.

use tracing_subscriber::EnvFilter;

/// rmcp reports what a peer does wrong in its own words; ours say the same with the name of the server.
const DEFAULT_FILTER: &str = "info,rmcp=off";

/// Sets the logger up, with JSON lines or with lines for people; `RUST_LOG` overrides the filter.
pub(crate) fn init(json: bool) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    let logger = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if json {
        logger.json().flatten_event(true).init();
    } else {
        logger.without_time().with_target(false).with_ansi(false).init();
    }
}
