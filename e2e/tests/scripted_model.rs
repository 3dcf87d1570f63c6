//! The scripted model server, over HTTP.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::time::Duration;

use asyncai_e2e::scripted_model::ScriptedModel;
use serde_json::{Value, json};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(10);

struct Peer {
    server: ScriptedModel,
    http: reqwest::Client,
}

impl Peer {
    async fn new(scenario: &str) -> Self {
        // Another test of this program may have been first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { server: ScriptedModel::start(scenario).await.unwrap(), http: reqwest::Client::new() }
    }

    fn url(&self, path: &str) -> String {
        self.server.base_url().replace("/v1", path)
    }

    async fn ask(&self, text: &str, stream: bool) -> reqwest::Response {
        let body = json!({
            "model": "any",
            "stream": stream,
            "stream_options": {"include_usage": true},
            "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": text}],
        });
        let asked = self.http.post(self.url("/v1/chat/completions")).json(&body).send();
        timeout(PATIENCE, asked).await.unwrap().unwrap()
    }

    async fn get(&self, path: &str) -> Value {
        timeout(PATIENCE, async { self.http.get(self.url(path)).send().await.unwrap().json().await.unwrap() })
            .await
            .unwrap()
    }
}

#[tokio::test]
async fn a_reply_is_whole_if_no_stream_is_asked_for() {
    let peer = Peer::new("rules: [{contains: hello, reply: {text: good day, thoughts: hm}}]").await;
    let body: Value = peer.ask("hello there", false).await.json().await.unwrap();
    let message = json!({"role": "assistant", "content": "good day", "reasoning_content": "hm"});
    assert_eq!(body["choices"], json!([{"index": 0, "message": message, "finish_reason": "stop"}]));
    assert_eq!(body["usage"], json!({"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6}));
}

#[tokio::test]
async fn a_stream_is_one_event_a_word() {
    let peer = Peer::new("rules: [{reply: good day}]").await;
    let response = peer.ask("hello", true).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let body = response.text().await.unwrap();
    let words: Vec<Value> = body
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok())
        .filter_map(|event| event["choices"][0]["delta"].get("content").cloned())
        .collect();
    assert_eq!(words, ["", "good ", "day"]);
    assert!(body.ends_with("data: [DONE]\n\n"), "{body}");
}

#[tokio::test]
async fn a_function_is_called_whole_if_no_stream_is_asked_for() {
    let peer = Peer::new("rules: [{code: print(1)}]").await;
    let body: Value = peer.ask("go", false).await.json().await.unwrap();
    let function = json!({"name": "run_code", "arguments": r#"{"code":"print(1)"}"#});
    let choice = &body["choices"][0];
    assert_eq!(choice["message"]["tool_calls"], json!([{"id": "call_1_0", "type": "function", "function": function}]));
    assert_eq!(choice["finish_reason"], "tool_calls");
}

#[tokio::test]
async fn a_call_is_streamed_in_pieces() {
    let scenario = "rules: [{reply: {text: One moment., calls: [{name: a, arguments: {list: [1, 2, 3]}}, {name: b, arguments: '{', id: '', whole: true}]}}]";
    let peer = Peer::new(scenario).await;
    let body = peer.ask("go", true).await.text().await.unwrap();
    let events: Vec<Value> =
        body.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect();
    let deltas: Vec<&Value> = events.iter().map(|event| &event["choices"][0]["delta"]["tool_calls"][0]).collect();
    let (first, second): (Vec<_>, Vec<_>) =
        deltas.into_iter().filter(|delta| delta.is_object()).partition(|delta| delta["index"] == 0);
    assert_eq!(
        *first[0],
        json!({"index": 0, "id": "call_1_0", "type": "function", "function": {"name": "a", "arguments": ""}})
    );
    let arguments: String = first.iter().filter_map(|delta| delta["function"]["arguments"].as_str()).collect();
    assert_eq!((arguments.as_str(), first.len()), (r#"{"list":[1,2,3]}"#, 4));
    assert_eq!(second, [&json!({"index": 1, "type": "function", "function": {"name": "b", "arguments": "{"}})]);
    assert!(events.iter().any(|event| event["choices"][0]["finish_reason"] == "tool_calls"), "{body}");
}

#[tokio::test]
async fn results_are_answered_by_their_own_rules() {
    let peer = Peer::new("rules: [{contains: go, code: f()}, {result: 'line 1', reply: fixed}]").await;
    for (content, answer) in [("Error: line 1", "fixed"), ("None", "NO_REPLY")] {
        let messages = json!([{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": []},
            {"role": "tool", "tool_call_id": "call_1_0", "content": content}]);
        let asked = peer.http.post(peer.url("/v1/chat/completions")).json(&json!({"messages": messages}));
        let body: Value = timeout(PATIENCE, asked.send()).await.unwrap().unwrap().json().await.unwrap();
        assert_eq!(body["choices"][0]["message"]["content"], answer);
    }
    assert_eq!(peer.server.requests()[0].result().as_deref(), Some("Error: line 1"));
}

#[tokio::test]
async fn rules_answer_in_order_and_are_used_up() {
    let peer = Peer::new("rules: [{name: once, times: 1, reply: one}, {contains: two, reply: two}]").await;
    for text in ["two", "two", "three"] {
        peer.ask(text, false).await;
    }
    let rules: Vec<String> = peer.server.requests().into_iter().map(|recorded| recorded.rule).collect();
    assert_eq!(rules, ["once", "1", "default"]);
}

#[tokio::test]
async fn the_record_can_be_waited_for() {
    let peer = Peer::new("{}").await;
    let (recorded, _, _) = tokio::join!(peer.get("/requests?wait=2"), peer.ask("a", false), peer.ask("b", true));
    assert_eq!(recorded.as_array().unwrap().len(), 2);
    assert_eq!(recorded, peer.get("/requests").await);
    assert_eq!(recorded[0]["body"]["messages"][0]["content"], "be brief");
}

#[tokio::test]
async fn a_scenario_can_be_replaced_but_not_by_nonsense() {
    let peer = Peer::new("{}").await;
    let put = |body: &'static str| peer.http.put(peer.url("/scenario")).body(body).send();
    assert_eq!(put("rules: [{reply: new}]").await.unwrap().status(), 204);
    let refused = put("rules: [{}]").await.unwrap();
    assert_eq!(refused.status(), 400);
    assert!(refused.text().await.unwrap().contains("exactly one of reply, code and status"));
    let body: Value = peer.ask("a", false).await.json().await.unwrap();
    assert_eq!(body["choices"][0]["message"]["content"], "new");
}

#[tokio::test]
async fn a_gate_holds_an_answer_and_lets_one_through() {
    let peer = Peer::new("rules: [{contains: slow, gate: g, reply: done}, {reply: quick}]").await;
    let slow = peer.ask("slow", false);
    let others = async {
        peer.server.wait_for(1).await;
        // The answer to this one overtakes the first.
        let quick: Value = peer.ask("quick", false).await.json().await.unwrap();
        let opened = peer.http.post(peer.url("/gates/g")).send().await.unwrap();
        (quick, opened.status())
    };
    let (slow, (quick, opened)) = tokio::join!(slow, others);
    assert_eq!(quick["choices"][0]["message"]["content"], "quick");
    assert_eq!(opened, 204);
    assert_eq!(slow.json::<Value>().await.unwrap()["choices"][0]["message"]["content"], "done");
}

#[tokio::test]
async fn models_are_listed() {
    let peer = Peer::new("{}").await;
    assert_eq!(peer.get("/v1/models").await["data"][0]["id"], "scripted");
}
