//! Stands in for kcp: serves a real API server as the workspace `root:app`, and can break.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use futures::StreamExt as _;
use http::{HeaderName, StatusCode, header};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const WORKSPACE: &str = "/clusters/root:app";

/// A running proxy; stops when dropped.
pub(crate) struct Proxy {
    addr: SocketAddr,
    shared: Arc<Shared>,
    stop: CancellationToken,
}

struct Shared {
    client: kube::Client,
    state: Mutex<Broken>,
}

#[derive(Default)]
struct Broken {
    open: CancellationToken,
    refusal: Option<StatusCode>,
    plain_discovery: bool,
    tokens: Vec<String>,
}

impl Proxy {
    pub(crate) async fn start(client: kube::Client) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared { client, state: Mutex::default() });
        let stop = CancellationToken::new();
        let router = Router::new().fallback(forward).with_state(Arc::clone(&shared));
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(async move {
            tokio::select! {
                served = async { axum::serve(listener, router).await } => served.expect("the proxy"),
                () = stopped => {}
            }
        });
        Self { addr, shared, stop }
    }

    /// A kubeconfig for another workspace of the same server, with `token`.
    pub(crate) fn kubeconfig(&self, token: &str) -> String {
        let addr = self.addr;
        format!(
            "{{apiVersion: v1, kind: Config, current-context: c, contexts: [{{name: c, context: {{cluster: c, user: u}}}}], \
             clusters: [{{name: c, cluster: {{server: \"http://{addr}/clusters/root\"}}}}], users: [{{name: u, user: {{token: {token}}}}}]}}"
        )
    }

    /// Breaks every response that is still being sent.
    pub(crate) fn cut(&self) {
        std::mem::take(&mut self.shared.state.lock().expect("the state").open).cancel();
    }

    /// Answers every request with this, or with the truth again.
    pub(crate) fn refuse(&self, refusal: Option<StatusCode>) {
        self.shared.state.lock().expect("the state").refusal = refusal;
    }

    /// Pretends to be a server without aggregated discovery.
    pub(crate) fn without_aggregated_discovery(&self) {
        self.shared.state.lock().expect("the state").plain_discovery = true;
    }

    /// The different tokens it was shown, in order.
    pub(crate) fn tokens(&self) -> Vec<String> {
        self.shared.state.lock().expect("the state").tokens.clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop.cancel();
        self.cut();
    }
}

async fn forward(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let (open, refusal, plain) = {
        let mut state = shared.state.lock().expect("the state");
        let token = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if state.tokens.last().is_none_or(|last| last != token) {
            state.tokens.push(token.to_owned());
        }
        (state.open.clone(), state.refusal, state.plain_discovery)
    };
    if let Some(code) = refusal {
        return refuse(code, "the proxy refuses");
    }
    let Some(path) = parts.uri.path_and_query().and_then(|path| path.as_str().strip_prefix(WORKSPACE)) else {
        return refuse(StatusCode::FORBIDDEN, "no such workspace");
    };
    let body = axum::body::to_bytes(body, 1 << 20).await.expect("a small body");
    let mut forwarded = http::Request::builder().method(parts.method).uri(path);
    let pass = |name: &HeaderName| *name == header::CONTENT_TYPE || (*name == header::ACCEPT && !plain);
    for (name, value) in parts.headers.iter().filter(|(name, _)| pass(name)) {
        forwarded = forwarded.header(name, value);
    }
    let forwarded = forwarded.body(kube::client::Body::from(body.to_vec())).expect("a request");
    let answer = shared.client.send(forwarded).await.expect("an answer");
    let (parts, body) = answer.into_parts();
    let stream = Body::new(body).into_data_stream().take_until(open.cancelled_owned());
    let mut response = Response::new(Body::from_stream(stream));
    *response.status_mut() = parts.status;
    response
}

fn refuse(code: StatusCode, message: &str) -> Response {
    let body = serde_json::json!({"kind": "Status", "code": code.as_u16(), "reason": "Proxy", "message": message});
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = code;
    response
}
