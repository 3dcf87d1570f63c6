//! The protocol, MCP 2026-07-28 over Streamable HTTP, as far as watching and calling need it.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use futures::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::world::{EVENTS, Facts, NOTES, World};

const VERSION: &str = "2026-07-28";
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;

pub(super) fn router(world: Arc<World>) -> Router {
    Router::new().route("/mcp", post(message)).with_state(world)
}

async fn message(State(world): State<Arc<World>>, Json(message): Json<Value>) -> Response {
    if message["id"].is_null() {
        return StatusCode::ACCEPTED.into_response(); // a notification
    }
    let params = &message["params"];
    let answer = match message["method"].as_str().unwrap_or_default() {
        "server/discover" => Ok(json!({"supportedVersions": [VERSION],
            "capabilities": {"resources": {"subscribe": true}, "tools": {}}, "serverInfo": {"name": "scripted", "version": "1"}})),
        "resources/list" => Ok(json!({"resources": resources()})),
        "resources/templates/list" => Ok(json!({"resourceTemplates": []})),
        "tools/list" => Ok(json!({"tools": tools()})),
        "resources/read" => read(&world, text(&params["uri"])),
        "tools/call" => call(&world, text(&params["name"]), &params["arguments"]),
        "subscriptions/listen" => return listen(world, &message),
        other => Err((METHOD_NOT_FOUND, format!("no method {other}"))),
    };
    Json(match answer {
        Ok(mut result) => {
            for (key, value) in
                [("resultType", json!("complete")), ("ttlMs", json!(0)), ("cacheScope", json!("private"))]
            {
                result[key] = value;
            }
            json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
        }
        Err((code, text)) => json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": text}}),
    })
    .into_response()
}

fn resources() -> Value {
    let resource = |uri: &str, name: &str, mime: &str| {
        let description = format!("The {name}.\nExample: await watch_start(name=\"{name}\", uri=\"{uri}\")");
        json!({"uri": uri, "name": name, "description": description, "mimeType": mime})
    };
    json!([
        resource(NOTES, "notes", "application/json"),
        resource(EVENTS, "events", "application/vnd.asyncai.events+json")
    ])
}

fn tools() -> Value {
    let key = json!({"type": "string", "description": "Name of the note."});
    json!([
        {"name": "look", "description": "Gives one note.", "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "properties": {"key": key}, "required": ["key"]}},
        {"name": "memo_set", "description": "Sets one note.",
            "inputSchema": {"type": "object", "properties": {"key": key, "value": {}}, "required": ["key", "value"]}},
    ])
}

fn read(world: &World, uri: &str) -> Result<Value, (i32, String)> {
    let (mime, body) = world.read(uri).ok_or_else(|| (INVALID_PARAMS, format!("no resource {uri}")))?;
    Ok(json!({"contents": [{"uri": uri, "mimeType": mime, "text": body}]}))
}

fn call(world: &World, tool: &str, arguments: &Value) -> Result<Value, (i32, String)> {
    world.called(tool, arguments);
    let data = match tool {
        "look" => world.note(text(&arguments["key"])),
        "memo_set" => {
            world.set(text(&arguments["key"]).to_owned(), arguments["value"].clone());
            Value::Null
        }
        _ => return Err((INVALID_PARAMS, format!("no tool {tool}"))),
    };
    Ok(json!({"content": [{"type": "text", "text": data.to_string()}], "structuredContent": {"value": data}}))
}

/// Takes one subscription off the count when the client has gone.
struct Listening(Arc<World>);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.listens(-1);
    }
}

/// Acknowledges what there is, then tells of each change until the server's life ends.
fn listen(world: Arc<World>, message: &Value) -> Response {
    let wanted = message["params"]["notifications"]["resourceSubscriptions"].as_array().cloned().unwrap_or_default();
    let honoured: Vec<&'static str> = [NOTES, EVENTS].into_iter().filter(|uri| wanted.contains(&json!(uri))).collect();
    let meta = json!({"io.modelcontextprotocol/subscriptionId": message["id"]});
    let acknowledged = notification(
        "notifications/subscriptions/acknowledged",
        &json!({"_meta": meta, "notifications": {"resourceSubscriptions": honoured}}),
    );
    let mut facts = world.subscribe();
    let known = honoured.iter().map(|uri| facts.borrow_and_update().state(uri)).collect::<Vec<_>>();
    world.listens(1);
    let listening = Listening(world);
    let news = stream::unfold((facts, known, listening), move |(mut facts, mut known, listening)| {
        let (honoured, meta) = (honoured.clone(), meta.clone());
        async move {
            let uri = next(&mut facts, &honoured, &mut known).await?;
            let event = notification("notifications/resources/updated", &json!({"_meta": meta, "uri": uri}));
            Some((event, (facts, known, listening)))
        }
    });
    let events = stream::once(async { acknowledged }).chain(news).map(Ok::<_, Infallible>);
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

/// The next of the resources that has changed; none when the server's life has ended.
async fn next(
    facts: &mut watch::Receiver<Facts>,
    honoured: &[&'static str],
    known: &mut [(u64, u64)],
) -> Option<&'static str> {
    loop {
        let now: Vec<(u64, u64)> = honoured.iter().map(|uri| facts.borrow_and_update().state(uri)).collect();
        for ((uri, known), now) in honoured.iter().zip(known.iter_mut()).zip(now) {
            if known.0 != now.0 {
                return None;
            }
            if *known != now {
                *known = now;
                return Some(uri);
            }
        }
        facts.changed().await.ok()?;
    }
}

fn notification(method: &str, params: &Value) -> Event {
    Event::default().data(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
