//! What the port answers.

use std::{sync::Arc, time::Duration};

use axum::body::Body;
use http::{Request, StatusCode};
use tower::ServiceExt;

use super::router;
use crate::metrics::Metrics;

async fn get(metrics: &Arc<Metrics>, path: &str) -> (StatusCode, String) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = router(metrics.clone()).oneshot(request).await.unwrap();
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn it_is_ready_once_the_caches_are_full() {
    let metrics = Arc::new(Metrics::new().unwrap());
    assert_eq!(get(&metrics, "/healthz").await.0, StatusCode::OK);
    assert_eq!(get(&metrics, "/readyz").await.0, StatusCode::SERVICE_UNAVAILABLE);
    metrics.set_ready();
    assert_eq!(get(&metrics, "/readyz").await.0, StatusCode::OK);
    assert_eq!(get(&metrics, "/secrets").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn metrics_are_in_the_text_format() {
    let metrics = Arc::new(Metrics::new().unwrap());
    metrics.wrote("Role");
    metrics.reconciled("Agent", "ok", Duration::from_millis(3));
    let (status, text) = get(&metrics, "/metrics").await;
    assert_eq!(status, StatusCode::OK);
    for line in [
        "# TYPE asyncai_operator_writes_total counter",
        r#"asyncai_operator_writes_total{kind="Role"} 1"#,
        r#"asyncai_operator_reconciles_total{kind="Agent",result="ok"} 1"#,
        r#"asyncai_operator_reconcile_seconds_bucket{kind="Agent",le="0.005"} 1"#,
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
}
