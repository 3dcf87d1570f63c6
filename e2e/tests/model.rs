//! The model client against the scripted server: what users of real endpoints met.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use asyncai_e2e::scripted_model::ScriptedModel;
use asyncai_model::{Config, Error, Finish, Kind, Message, Model, Reply, Retry, Usage};
use tokio::sync::mpsc;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(10);
const KEY: &str = "sk-canary-1234";

fn config(server: &ScriptedModel) -> Config {
    // Another test of this program may have been first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let retry = Retry { first_delay: Duration::from_millis(1), ..Retry::default() };
    Config { api_key: Some(KEY.into()), retry, ..Config::new(server.base_url(), "qwen") }
}

fn question(text: &str) -> Vec<Message> {
    vec![Message::System("Be brief.".into()), Message::User(text.into())]
}

async fn ask(model: &Model) -> Result<Reply, Error> {
    timeout(PATIENCE, model.complete(&question("hello"), &[], |_| {})).await.expect("an end")
}

/// Asks under `scenario`: the outcome, and how many requests it took.
async fn outcome(scenario: &str) -> (Result<Reply, Error>, usize) {
    let server = ScriptedModel::start(scenario).await.unwrap();
    let result = ask(&Model::new(config(&server)).unwrap()).await;
    (result, server.requests().len())
}

/// Asks under `scenario`, where it must fail: the error and its kind, and how many requests it took.
async fn failure(scenario: &str) -> (String, Kind, usize) {
    let (result, requests) = outcome(scenario).await;
    let error = result.expect_err("a failure");
    assert!(!format!("{error} {error:?}").contains(KEY), "the key is in {error:?}");
    (error.to_string(), error.kind(), requests)
}

#[tokio::test]
async fn a_reply_comes_in_pieces_and_whole() {
    let scenario = "rules: [{reply: {text: all is well, thoughts: let me see, usage: {prompt: 12, completion: 3}}}]";
    let server = ScriptedModel::start(scenario).await.unwrap();
    let model = Model::new(config(&server)).unwrap();
    let pieces = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&pieces);
    let on_delta = move |piece: &str| sink.lock().unwrap().push(piece.to_owned());
    let reply = timeout(PATIENCE, model.complete(&question("hello"), &[], on_delta)).await.unwrap().unwrap();
    let usage = Some(Usage { prompt: 12, completion: 3 });
    assert_eq!(reply, Reply { text: "all is well".into(), calls: Vec::new(), finish: Finish::Stop, usage });
    assert_eq!(*pieces.lock().unwrap(), ["all ", "is ", "well"]);
}

#[tokio::test]
async fn the_request_is_what_endpoints_expect() {
    let server = ScriptedModel::start("{}").await.unwrap();
    ask(&Model::new(config(&server)).unwrap()).await.unwrap();
    let asked = server.requests().remove(0);
    assert_eq!(asked.authorization.as_deref(), Some("Bearer sk-canary-1234"));
    assert_eq!(
        asked.body,
        serde_json::json!({
            "model": "qwen",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}],
            "max_tokens": 8192,
            "stream": true,
            "stream_options": {"include_usage": true},
        })
    );
}

#[tokio::test]
async fn without_a_key_there_is_no_authorization() {
    let server = ScriptedModel::start("{}").await.unwrap();
    for api_key in [None, Some("\n".into())] {
        ask(&Model::new(Config { api_key, ..config(&server) }).unwrap()).await.unwrap();
    }
    assert!(server.requests().iter().all(|asked| asked.authorization.is_none()));
}

#[tokio::test]
async fn a_key_from_a_file_may_end_in_a_line_break() {
    let server = ScriptedModel::start("{}").await.unwrap();
    ask(&Model::new(Config { api_key: Some("token\r\n".into()), ..config(&server) }).unwrap()).await.unwrap();
    assert_eq!(server.requests()[0].authorization.as_deref(), Some("Bearer token"));
}

#[tokio::test]
async fn a_piece_is_seen_before_the_reply_ends() {
    let scenario = "rules: [{gate: rest, reply: {text: first second third, beforeGate: 2}}]";
    let server = ScriptedModel::start(scenario).await.unwrap();
    let model = Model::new(config(&server)).unwrap();
    let (sender, mut pieces) = mpsc::unbounded_channel();
    let call = tokio::spawn(async move {
        model.complete(&question("hello"), &[], move |piece| sender.send(piece.to_owned()).unwrap()).await
    });
    for expected in ["first ", "second "] {
        assert_eq!(timeout(PATIENCE, pieces.recv()).await.unwrap().as_deref(), Some(expected));
    }
    assert!(pieces.try_recv().is_err());
    server.open("rest");
    let reply = timeout(PATIENCE, call).await.unwrap().unwrap().unwrap();
    assert_eq!(reply.text, "first second third");
}

/// Case C14: a busy endpoint, an overloaded one, then a reply that is cut.
#[tokio::test]
async fn busy_and_overloaded_endpoints_are_asked_again() {
    let scenario = r#"rules:
      - {times: 1, status: 429, headers: {retry-after: "0"}, body: slow down}
      - {times: 1, status: 529, headers: {retry-after: "Sun, 06 Nov 1994 08:49:37 GMT"}, body: '{"error": "overloaded"}'}
      - {reply: {text: the report begins, finish: length}}"#;
    let (result, requests) = outcome(scenario).await;
    let reply = result.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("the report begins", Finish::Length));
    assert_eq!(requests, 3);
}

#[tokio::test]
async fn attempts_are_bounded() {
    let (error, kind, requests) = failure("rules: [{status: 503, body: <html>no  backend</html>}]").await;
    assert_eq!(error, "model endpoint answered 503 Service Unavailable: <html>no backend</html>");
    assert_eq!((kind, requests), (Kind::Transient, 4));
}

#[tokio::test]
async fn a_long_wait_is_left_to_the_caller() {
    let scenario = r#"rules: [{status: 429, headers: {retry-after: "3600"}}]"#;
    let (result, requests) = outcome(scenario).await;
    let error = result.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_hours(1)));
    assert_eq!(error.to_string(), "model endpoint answered 429 Too Many Requests: no explanation");
    assert_eq!((error.kind(), requests), (Kind::Transient, 1));
}

#[tokio::test]
async fn a_wait_that_would_not_end_in_time_is_not_begun() {
    let server = ScriptedModel::start(r#"rules: [{status: 429, headers: {retry-after: "50"}}]"#).await.unwrap();
    let model = Model::new(Config { timeout: Duration::from_secs(20), ..config(&server) }).unwrap();
    let error = ask(&model).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(50)));
}

#[tokio::test]
async fn a_wrong_key_is_refused_and_not_repeated() {
    let body = r#"{"error": {"message": "Incorrect API key provided: sk-canary-1234.", "code": "invalid_api_key"}}"#;
    let (error, kind, requests) = failure(&format!("rules: [{{status: 401, body: '{body}'}}]")).await;
    assert_eq!(error, "model endpoint answered 401 Unauthorized: Incorrect API key provided: [API key].");
    assert_eq!((kind, requests), (Kind::Refused, 1));
}

#[tokio::test]
async fn an_empty_account_is_not_a_busy_endpoint() {
    let body = r#"{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}"#;
    let (_, kind, requests) = failure(&format!("rules: [{{status: 429, body: '{body}'}}]")).await;
    assert_eq!((kind, requests), (Kind::Refused, 1));
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_told_apart() {
    let body =
        r#"{"object": "error", "message": "This model has a maximum context length of 4096 tokens", "code": 400}"#;
    let (error, kind, requests) = failure(&format!("rules: [{{status: 400, body: '{body}'}}]")).await;
    assert!(error.ends_with("This model has a maximum context length of 4096 tokens"), "{error}");
    assert_eq!((kind, requests), (Kind::ContextTooLong, 1));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (error, kind, requests) = failure("rules: [{status: 307, headers: {location: 'http://127.0.0.1:1/'}}]").await;
    assert_eq!(error, "model endpoint answered 307 Temporary Redirect: no explanation");
    assert_eq!((kind, requests), (Kind::Refused, 1));
}

#[tokio::test]
async fn an_answer_that_is_no_stream_is_shown() {
    let scenario = "rules: [{status: 200, headers: {content-type: text/html}, body: <h1>Welcome to the proxy</h1>}]";
    let (error, kind, _) = failure(scenario).await;
    let expected =
        r#"model endpoint answered with "text/html" instead of an event stream: <h1>Welcome to the proxy</h1>"#;
    assert_eq!((error.as_str(), kind), (expected, Kind::Refused));
}

#[tokio::test]
async fn an_event_that_is_not_understood_is_shown() {
    let scenario = r#"rules: [{status: 200, headers: {content-type: text/event-stream}, body: "data: {nope\n\n"}]"#;
    let (error, kind, _) = failure(scenario).await;
    assert!(error.starts_with("model endpoint sent an event that is not understood"), "{error}");
    assert!(error.ends_with(": {nope"), "{error}");
    assert_eq!(kind, Kind::Transient);
}

#[tokio::test]
async fn a_reply_that_breaks_off_is_an_error_and_not_asked_for_again() {
    for ending in ["broken", "silent"] {
        let scenario = format!("rules: [{{reply: {{text: half a, ending: {ending}}}}}]");
        let (error, kind, requests) = failure(&scenario).await;
        assert!(error.starts_with("the reply broke off after 6 bytes: "), "{error}");
        assert_eq!((kind, requests), (Kind::Transient, 1), "{ending}");
    }
}

#[tokio::test]
async fn an_error_in_mid_reply_is_an_error() {
    let scenario = "rules: [{reply: {text: half a, finish: worker sk-canary-1234 died, ending: error}}]";
    let (error, kind, requests) = failure(scenario).await;
    assert_eq!(error, "model endpoint failed in mid-reply: worker [API key] died");
    assert_eq!((kind, requests), (Kind::Transient, 1));
}

#[tokio::test]
async fn nobody_at_home() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let server = ScriptedModel::start("{}").await.unwrap();
    let error = ask(&Model::new(Config { base_url, ..config(&server) }).unwrap()).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Transient);
    let text = error.to_string();
    assert!(text.starts_with("cannot reach the model endpoint: ") && text.contains("Connection refused"), "{text}");
}

#[tokio::test]
async fn a_silent_endpoint_is_not_waited_for_for_ever() {
    let server = ScriptedModel::start("rules: [{gate: never, reply: late}]").await.unwrap();
    let model = Model::new(Config { timeout: Duration::from_millis(50), ..config(&server) }).unwrap();
    assert!(matches!(ask(&model).await, Err(Error::Timeout(_))));
}

#[tokio::test]
async fn the_newer_name_of_the_output_limit_is_learned() {
    let body = r#"{"error": {"message": "Unsupported parameter: max_tokens. Use max_completion_tokens instead."}}"#;
    let server = ScriptedModel::start(&format!("rules: [{{times: 1, status: 400, body: '{body}'}}]")).await.unwrap();
    let model = Model::new(config(&server)).unwrap();
    ask(&model).await.unwrap();
    ask(&model).await.unwrap();
    let limits: Vec<(bool, bool)> = server
        .requests()
        .iter()
        .map(|asked| (asked.body.get("max_tokens").is_some(), asked.body["max_completion_tokens"] == 8192))
        .collect();
    assert_eq!(limits, [(true, false), (false, true), (false, true)]);
}

#[tokio::test]
async fn unusable_settings_are_refused_at_once() {
    let server = ScriptedModel::start("{}").await.unwrap();
    let error = |base_url: &str, key: &str| {
        let config = Config { base_url: base_url.into(), api_key: Some(key.into()), ..config(&server) };
        Model::new(config).expect_err("unusable").to_string()
    };
    let allowed = "; allowed is http(s)://HOST[:PORT][/PATH]";
    assert_eq!(error("llm:8000/v1", KEY), format!(r#"invalid model URL "llm:8000/v1": the scheme is llm{allowed}"#));
    assert_eq!(error("/v1", KEY), format!(r#"invalid model URL "/v1": relative URL without a base{allowed}"#));
    assert!(!error("http://me:sk-canary-1234@llm/v1", KEY).contains("canary"));
    assert!(error("http://llm/v1?version=1", KEY).contains("it has a query"));
    assert!(error("http://llm/v1", "two\nlines").starts_with("invalid API key: "));
}
