//! The routes.

use std::sync::Arc;

use axum::extract::{Path, Query, State as Shared};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response as HttpResponse};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::scenario::{Response, Scenario};
use super::state::{Recorded, State};
use super::{MODEL, answer};

/// The server's routes over `state`.
pub fn router(state: Arc<State>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/v1/models", get(models))
        .route("/requests", get(requests))
        .route("/scenario", put(scenario))
        .route("/gates/{name}", post(open))
        .route("/healthz", get(|| async { "ok" }))
        .with_state(state)
}

async fn complete(Shared(state): Shared<Arc<State>>, headers: HeaderMap, Json(body): Json<Value>) -> HttpResponse {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (recorded, rule) = state.ask(authorization, body);
    log(&recorded);
    match rule.response {
        Response::Reply(reply) => answer::reply(state, &recorded, reply, rule.gate).await,
        Response::Raw { status, headers, body } => {
            if let Some(gate) = rule.gate {
                state.pass(&gate).await;
            }
            answer::raw(status, &headers, body)
        }
    }
}

/// One line on standard output, so that the log of a pod is the record.
#[expect(clippy::print_stdout, reason = "it is this program's output")]
fn log(recorded: &Recorded) {
    println!("{}", json!(recorded));
}

async fn models() -> Json<Value> {
    Json(json!({"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "asyncai"}]}))
}

#[derive(Debug, Deserialize)]
struct Wait {
    wait: Option<usize>,
}

async fn requests(Shared(state): Shared<Arc<State>>, Query(query): Query<Wait>) -> Json<Vec<Recorded>> {
    Json(state.wait_for(query.wait.unwrap_or(0)).await)
}

async fn scenario(Shared(state): Shared<Arc<State>>, yaml: String) -> HttpResponse {
    match yaml.parse::<Scenario>() {
        Ok(scenario) => {
            state.script(scenario);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    }
}

async fn open(Shared(state): Shared<Arc<State>>, Path(name): Path<String>) -> StatusCode {
    state.open(&name);
    StatusCode::NO_CONTENT
}
