//! Answers as they go over the wire.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::stream;
use serde_json::{Value, json};

use super::MODEL;
use super::scenario::{Call, Ending, Reply, Usage};
use super::state::{Recorded, State};

/// Characters of a call's arguments that are streamed at a time.
const PIECE: usize = 7;

/// Anything but a completion.
pub(super) fn raw(status: u16, headers: &BTreeMap<String, String>, body: String) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, body).into_response();
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// A completion, streamed if it was asked for so.
pub(super) async fn reply(state: Arc<State>, asked: &Recorded, reply: Reply, gate: Option<String>) -> Response {
    let usage = usage(asked, &reply);
    if asked.body["stream"] == true {
        let told = asked.body["stream_options"]["include_usage"] == true;
        return streamed(state, asked.number, reply, told.then_some(usage), gate).await;
    }
    if let Some(gate) = gate {
        state.pass(&gate).await;
    }
    let mut message = json!({"role": "assistant", "content": reply.text, "reasoning_content": reply.thoughts});
    if !reply.calls.is_empty() {
        let calls = reply.calls.iter().enumerate();
        message["tool_calls"] = calls.map(|(place, call)| tool_call(asked.number, place, call, &call.text())).collect();
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": reply.finish});
    Json(json!({"id": id(asked.number), "object": "chat.completion", "created": 0, "model": MODEL, "choices": [choice], "usage": usage}))
        .into_response()
}

/// A piece of the stream.
enum Piece {
    Event(Value),
    Gate(String),
    Done,
    Break,
}

async fn streamed(
    state: Arc<State>,
    number: usize,
    reply: Reply,
    usage: Option<Value>,
    gate: Option<String>,
) -> Response {
    let mut pieces = pieces(number, reply, usage, gate);
    // A gate before the first word holds the headers too, as a busy server would.
    if let Some(Piece::Gate(gate)) = pieces.pop_front_if(|piece| matches!(piece, Piece::Gate(_))) {
        state.pass(&gate).await;
    }
    let body = stream::unfold((state, pieces), |(state, mut pieces)| async move {
        loop {
            let sent: io::Result<Bytes> = match pieces.pop_front()? {
                Piece::Gate(gate) => {
                    state.pass(&gate).await;
                    continue;
                }
                Piece::Event(event) => Ok(format!("data: {event}\n\n").into()),
                Piece::Done => Ok(Bytes::from_static(b"data: [DONE]\n\n")),
                Piece::Break => {
                    // The server writes out what it has when the body is not ready: so the words
                    // before this arrive.
                    tokio::task::yield_now().await;
                    Err(io::Error::other("the scenario breaks the stream here"))
                }
            };
            return Some((sent, (state, pieces)));
        }
    });
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(body)).into_response()
}

fn pieces(number: usize, reply: Reply, usage: Option<Value>, gate: Option<String>) -> VecDeque<Piece> {
    let event = |delta: Value, finish: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        Piece::Event(
            json!({"id": id(number), "object": "chat.completion.chunk", "created": 0, "model": MODEL, "choices": [choice]}),
        )
    };
    let mut pieces = VecDeque::from([event(json!({"role": "assistant", "content": ""}), None)]);
    pieces.extend(reply.thoughts.map(|thoughts| event(json!({"reasoning_content": thoughts}), None)));
    pieces.extend(reply.text.split_inclusive(' ').map(|word| event(json!({"content": word}), None)));
    let calls = reply.calls.iter().enumerate().flat_map(|(place, call)| call_deltas(number, place, call));
    pieces.extend(calls.map(|delta| event(json!({"tool_calls": [delta]}), None)));
    if let Some(gate) = gate {
        let before = if reply.before_gate == 0 { 0 } else { pieces.len().min(reply.before_gate + 1) };
        pieces.insert(before, Piece::Gate(gate));
    }
    match reply.ending {
        Ending::Done => {
            pieces.push_back(event(json!({}), Some(&reply.finish)));
            pieces.extend(usage.map(|usage| {
                Piece::Event(json!({"id": id(number), "object": "chat.completion.chunk", "created": 0, "model": MODEL, "choices": [], "usage": usage}))
            }));
            pieces.push_back(Piece::Done);
        }
        Ending::Silent => {}
        Ending::Error => pieces.push_back(Piece::Event(json!({"error": {"message": reply.finish, "code": 500}}))),
        Ending::Broken => pieces.push_back(Piece::Break),
    }
    pieces
}

/// A call in pieces: first its name, then its arguments.
fn call_deltas(number: usize, place: usize, call: &Call) -> Vec<Value> {
    let arguments = call.text();
    let mut first = tool_call(number, place, call, if call.whole { &arguments } else { "" });
    first["index"] = json!(place);
    let characters: Vec<char> = if call.whole { Vec::new() } else { arguments.chars().collect() };
    let piece = |piece: &[char]| json!({"index": place, "function": {"arguments": piece.iter().collect::<String>()}});
    [first].into_iter().chain(characters.chunks(PIECE).map(piece)).collect()
}

fn tool_call(number: usize, place: usize, call: &Call, arguments: &str) -> Value {
    let mut json = json!({"type": "function", "function": {"name": call.name, "arguments": arguments}});
    match call.id.as_deref() {
        Some("") => {}
        Some(id) => json["id"] = json!(id),
        None => json["id"] = json!(format!("call_{number}_{place}")),
    }
    json
}

fn usage(asked: &Recorded, reply: &Reply) -> Value {
    let words = |text: &str| u64::try_from(text.split_whitespace().count()).unwrap_or(u64::MAX);
    let counted = || Usage {
        prompt: asked.messages().iter().map(|(_, content)| words(content)).sum(),
        completion: words(&reply.text) + reply.calls.iter().map(|call| words(&call.text())).sum::<u64>(),
    };
    let Usage { prompt, completion } = reply.usage.unwrap_or_else(counted);
    json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion})
}

fn id(number: usize) -> String {
    format!("chatcmpl-{number}")
}
