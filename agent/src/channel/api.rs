//! `POST /v1/messages`: a message for the agent by HTTP, answered by its turn as it goes, one JSON object a line.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use asyncai_crds::contract;
use asyncai_orchestrator as turns;
use axum::body::Body;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use futures::{StreamExt as _, stream};
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tracing::error;

use crate::channel::Incoming;
use crate::channel::api::requests::Requests;
use crate::event::Event;

pub(crate) use self::requests::WAITING;

mod requests;
#[cfg(test)]
mod tests;

/// Name of the channel, before the number of the request.
pub(crate) const NAME: &str = "api";
/// Longest body of a request.
const BODY: usize = 256 * 1024;

/// The open requests: the loop tells them of their turns.
#[derive(Clone)]
pub(crate) struct Api(Requests);

impl Api {
    /// Listens in this pod alone: whoever may forward a port to it may talk to the agent.
    ///
    /// # Errors
    /// When the port is taken.
    pub(crate) async fn bind() -> io::Result<TcpListener> {
        TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, contract::API_PORT))).await
    }

    /// Serves until the process ends; messages go to `events`.
    pub(crate) fn serve(listener: TcpListener, agent: &str, events: mpsc::Sender<Event>) -> Self {
        let requests = Requests::new(agent);
        let app = Router::new()
            .route(contract::API_PATH, post(message))
            .layer(DefaultBodyLimit::max(BODY))
            .layer(middleware::from_fn(local))
            .with_state((requests.clone(), events));
        tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, app).await {
                error!(%error, "the server of the API ended");
            }
        });
        Self(requests)
    }

    /// Gives the reply to the requests that it answers; false if it is for none.
    pub(super) fn publish(&self, run: Option<u64>, channel: &str, text: &str) -> bool {
        self.0.publish(run, number(channel), text)
    }

    /// Tells the requests of a run what the model says.
    pub(super) fn delta(&self, run: u64, text: &str) {
        self.0.delta(run, text);
    }

    /// Tells the requests what the turn engine tells the log.
    pub(super) fn observe(&self, event: &turns::Event) {
        if let turns::Event::InputStream { channel } = event {
            self.0.taken(number(channel));
        } else {
            self.0.observe(event);
        }
    }
}

/// The request of a channel such as `api/7`.
fn number(channel: &str) -> Option<u64> {
    channel.strip_prefix(NAME)?.strip_prefix('/')?.parse().ok()
}

/// A message for the agent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    text: String,
}

async fn message(
    State((requests, events)): State<(Requests, mpsc::Sender<Event>)>,
    message: Result<Json<Message>, JsonRejection>,
) -> Response {
    let text = match message {
        Ok(Json(message)) if message.text.trim().is_empty() => {
            return refuse(StatusCode::BAD_REQUEST, "text is empty; write {\"text\": \"…\"}");
        }
        Ok(Json(message)) => message.text.trim().to_owned(),
        Err(rejection) => return refuse(rejection.status(), &rejection.body_text()),
    };
    let Some((number, lines)) = requests.open() else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "too many requests are open; try again when one has ended");
    };
    let message = Incoming { channel: format!("{NAME}/{number}"), from: None, text };
    if events.send(Event::Incoming(message)).await.is_err() {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "the agent is ending");
    }
    let lines = stream::unfold(lines, async |mut lines| Some((Ok::<_, io::Error>(lines.recv().await?), lines)));
    ([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines.boxed())).into_response()
}

/// Lets through only what was addressed to this host and comes from no web page.
async fn local(request: Request, next: Next) -> Response {
    match foreign(request.headers()) {
        Some(what) => refuse(StatusCode::FORBIDDEN, what),
        None => next.run(request).await,
    }
}

fn foreign(headers: &HeaderMap) -> Option<&'static str> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    if headers.contains_key(ORIGIN) {
        return Some("requests of web pages are refused: there is an Origin");
    }
    let own = ["localhost", "127.0.0.1", "[::1]"].iter().any(|own| name.eq_ignore_ascii_case(own));
    (!own).then_some("the Host must be localhost, 127.0.0.1 or [::1]")
}

fn refuse(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": message }))).into_response()
}
