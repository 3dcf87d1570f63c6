//! The operator's own HTTP port: /healthz, /readyz, /metrics.

use std::sync::Arc;

use axum::{Router, extract::State, http::StatusCode, routing::get};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;

/// Serves until `stop`.
pub(crate) async fn serve(
    listener: TcpListener,
    metrics: Arc<Metrics>,
    stop: CancellationToken,
) -> std::io::Result<()> {
    tracing::info!(event = "http.listening", addr = %listener.local_addr()?);
    axum::serve(listener, router(metrics)).with_graceful_shutdown(stop.cancelled_owned()).await
}

fn router(metrics: Arc<Metrics>) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(|State(m): State<Arc<Metrics>>| async move { m.render() }))
        .with_state(metrics)
}

/// Ready as soon as every cache is filled, or while another replica leads.
async fn ready(State(metrics): State<Arc<Metrics>>) -> (StatusCode, &'static str) {
    if metrics.is_ready() {
        (StatusCode::OK, "ok\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "caches are filling\n")
    }
}

#[cfg(test)]
mod tests;
