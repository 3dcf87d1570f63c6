//! The client against an endpoint on the loopback that answers what a test says and keeps what it was sent.

#![expect(clippy::unwrap_used, reason = "a test may panic, in its helpers too")]

use std::time::Duration;

use asyncai_model::{Config, Error, Finish, Kind, Message, Model, Retry, Tool, ToolCall, Usage};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// An endpoint that gives `answers`, one a connection; its end gives the requests' bodies.
async fn endpoint(answers: Vec<String>) -> (Model, JoinHandle<Vec<Value>>) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let retry = Retry { first_delay: Duration::from_millis(1), ..Retry::default() };
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let config = Config { retry, timeout: Duration::from_secs(30), ..Config::new(url, "qwen") };
    let serving = tokio::spawn(async move {
        let mut requests = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            requests.push(request(&mut stream).await);
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
        requests
    });
    (Model::new(config).unwrap(), serving)
}

async fn request(stream: &mut TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).await.unwrap();
        match line.trim().to_lowercase().split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse().unwrap(),
            Some(_) => {}
            None if line.trim().is_empty() => break,
            None => assert!(line.starts_with("POST /v1/chat/completions "), "{line}"),
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.unwrap();
    serde_json::from_slice(&body).unwrap()
}

fn stream(events: &[&str]) -> String {
    let body = [events, &["[DONE]"]].concat().join("\n\ndata: ");
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: {body}\n\n")
}

fn refusal(status: &str, header: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{header}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

fn run_code() -> Tool {
    let parameters = json!({"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]});
    let Value::Object(parameters) = parameters else { unreachable!() };
    Tool { name: "run_code".into(), description: "Runs Python.".into(), parameters }
}

const ANSWER: &str = r#"{"choices": [{"delta": {"content": "Done."}, "finish_reason": "stop"}]}"#;

#[tokio::test]
async fn calls_and_results_go_over_the_wire_as_the_api_has_them() {
    let call = r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "b", "type": "function", "function": {"name": "run_code", "arguments": "{\"code\": \"1\"}"}}]}, "finish_reason": "tool_calls"}]}"#;
    let usage = r#"{"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}"#;
    let (model, serving) = endpoint(vec![stream(&[call, usage])]).await;
    let before = ToolCall { id: "a".into(), name: "run_code".into(), arguments: r#"{"code":"x"}"#.into() };
    let messages = [
        Message::System("Be brief.".into()),
        Message::User("How many?".into()),
        Message::Assistant { text: String::new(), calls: vec![before] },
        Message::Tool { call: "a".into(), text: "3".into() },
        Message::Assistant { text: "Three.".into(), calls: Vec::new() },
        Message::User("Sure?".into()),
    ];
    let reply = model.complete(&messages, &[run_code()], |_| {}).await.unwrap();
    let call = ToolCall { id: "b".into(), name: "run_code".into(), arguments: r#"{"code": "1"}"#.into() };
    assert_eq!(
        (reply.calls, reply.finish, reply.usage),
        (vec![call], Finish::Stop, Some(Usage { prompt: 9, completion: 4 }))
    );
    let expected = json!({
        "model": "qwen",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How many?"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "run_code", "arguments": "{\"code\":\"x\"}"}}
            ]},
            {"role": "tool", "tool_call_id": "a", "content": "3"},
            {"role": "assistant", "content": "Three."},
            {"role": "user", "content": "Sure?"},
        ],
        "tools": [{"type": "function", "function": {
            "name": "run_code",
            "description": "Runs Python.",
            "parameters": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
        }}],
        "max_tokens": 8192,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    assert_eq!(serving.await.unwrap(), [expected]);
}

#[tokio::test]
async fn an_overloaded_endpoint_is_asked_again_and_without_tools_none_are_offered() {
    let overloaded = refusal("529 Overloaded", "", r#"{"type": "error", "error": {"type": "overloaded_error"}}"#);
    let limited = refusal("429 Too Many Requests", "Retry-After: 0\r\n", "slow down");
    let (model, serving) = endpoint(vec![limited, overloaded, stream(&[ANSWER])]).await;
    let reply = model.complete(&[Message::User("Hi.".into())], &[], |_| {}).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.calls.len()), ("Done.", 0));
    let requests = serving.await.unwrap();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|request| request.get("tools").is_none()));
}

#[tokio::test]
async fn an_endpoint_that_asks_for_longer_than_we_wait_hands_that_to_the_caller() {
    let limited = refusal("429 Too Many Requests", "Retry-After: 700\r\n", r#"{"error": {"message": "limit"}}"#);
    let (model, serving) = endpoint(vec![limited]).await;
    let error = model.complete(&[Message::User("Hi.".into())], &[], |_| {}).await.unwrap_err();
    assert_eq!((error.kind(), error.retry_after()), (Kind::Transient, Some(Duration::from_secs(700))));
    assert_eq!(serving.await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_call_that_breaks_off_is_no_reply() {
    let half = r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "b", "function": {"name": "run_code", "arguments": "{\"co"}}]}}]}"#;
    let answer = stream(&[half]).replace("data: [DONE]\n\n", "");
    let (model, _serving) = endpoint(vec![answer]).await;
    let error = model.complete(&[Message::User("Hi.".into())], &[run_code()], |_| {}).await.unwrap_err();
    assert!(matches!(error, Error::BrokenOff { .. }), "{error}");
}

#[tokio::test]
async fn the_newer_name_of_the_output_limit_is_learned() {
    let refused = refusal("400 Bad Request", "", r#"{"error": {"message": "Use 'max_completion_tokens' instead."}}"#);
    let (model, serving) = endpoint(vec![refused, stream(&[ANSWER])]).await;
    model.complete(&[Message::User("Hi.".into())], &[], |_| {}).await.unwrap();
    let requests = serving.await.unwrap();
    assert_eq!((&requests[0]["max_tokens"], &requests[1]["max_completion_tokens"]), (&json!(8192), &json!(8192)));
}
