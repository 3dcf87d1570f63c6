//! What becomes of answers that do not end.

use std::convert::Infallible;

use futures::stream;

use super::*;

/// An API server that refuses everything and never ends to say so.
fn endless_refusal() -> Upstream {
    let service = tower::service_fn(|_: Request<Body>| async {
        let mut response = Response::new(axum::body::Body::from_stream(stream::pending::<Result<Bytes, Infallible>>()));
        *response.status_mut() = http::StatusCode::UNAUTHORIZED;
        Ok::<_, Infallible>(response)
    });
    Upstream::new(kube::Client::new(service, "default"), String::new(), String::new())
}

#[tokio::test(start_paused = true)]
async fn a_watch_does_not_wait_for_the_end_of_a_refusal() {
    let opened =
        timeout(PATIENCE * 3, endless_refusal().watch("/api/v1/configmaps?watch=true")).await.expect("an answer");
    assert!(opened.is_err_and(|error| error.is_unauthorized()));
}
