//! Logs: one JSON object a line on stderr.

use tracing_subscriber::EnvFilter;

/// Sends logs to stderr; `RUST_LOG` chooses them, else `info`.
pub(crate) fn init() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}
