//! What stories tell the server, and ask it.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::world::{Seen, World};

pub(super) fn router(world: Arc<World>) -> Router {
    Router::new()
        .route("/notes/{key}", put(set))
        .route("/events", post(append))
        .route("/restart", post(restart))
        .route("/down", post(down))
        .route("/up", post(up))
        .route("/seen", get(seen))
        .with_state(world)
}

async fn set(State(world): State<Arc<World>>, Path(key): Path<String>, Json(value): Json<Value>) -> StatusCode {
    world.set(key, value);
    StatusCode::NO_CONTENT
}

#[derive(Debug, Deserialize)]
struct How {
    #[serde(default)]
    each: bool,
}

async fn append(
    State(world): State<Arc<World>>,
    Query(how): Query<How>,
    Json(events): Json<Vec<Map<String, Value>>>,
) -> StatusCode {
    if !how.each {
        world.append(events);
        return StatusCode::NO_CONTENT;
    }
    for event in events {
        world.append(vec![event]);
        // Those who listen hear of each.
        tokio::task::yield_now().await;
    }
    StatusCode::NO_CONTENT
}

async fn restart(State(world): State<Arc<World>>) -> StatusCode {
    world.restart();
    StatusCode::NO_CONTENT
}

async fn down(State(world): State<Arc<World>>) -> StatusCode {
    world.down(true);
    StatusCode::NO_CONTENT
}

async fn up(State(world): State<Arc<World>>) -> StatusCode {
    world.down(false);
    StatusCode::NO_CONTENT
}

#[derive(Debug, Deserialize)]
struct Enough {
    #[serde(default)]
    attempts: usize,
    #[serde(default)]
    listens: usize,
}

async fn seen(State(world): State<Arc<World>>, Query(enough): Query<Enough>) -> Json<Seen> {
    Json(world.seen(enough.attempts, enough.listens).await)
}
