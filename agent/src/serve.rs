//! `/healthz`, `/readyz` and `/metrics` of the agent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use tokio::net::TcpListener;
use tracing::error;

use crate::metrics::Metrics;

/// Whether the agent has its configuration and its first view of its watches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readiness(Arc<AtomicBool>);

impl Readiness {
    pub(crate) fn set(&self, ready: bool) {
        self.0.store(ready, Ordering::Relaxed);
    }

    fn status(&self) -> StatusCode {
        if self.0.load(Ordering::Relaxed) { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }
    }
}

/// Serves until the process ends.
pub(crate) fn spawn(listener: TcpListener, readiness: Readiness, metrics: Metrics) {
    let app = Router::new()
        .route("/healthz", get(StatusCode::OK))
        .route("/readyz", get(|State(ready): State<Readiness>| async move { ready.status() }))
        .with_state(readiness)
        .route(
            "/metrics",
            get(move || async move { metrics.text().map_err(|e| (StatusCode::INTERNAL_SERVER_ERROR, e.to_string())) }),
        );
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, app).await {
            error!(%error, "the health and metrics server ended");
        }
    });
}
