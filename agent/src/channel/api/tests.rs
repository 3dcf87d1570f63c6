//! Tests of the API, by real HTTP.

use std::time::Duration;

use reqwest::Client;
use serde_json::Value;
use tokio::time::timeout;

use super::*;

const LIMIT: Duration = Duration::from_secs(30);

/// The API, and the loop's end of it.
struct Served {
    api: Api,
    events: mpsc::Receiver<Event>,
    url: String,
    client: Client,
}

impl Served {
    async fn start() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}{}", listener.local_addr().unwrap(), contract::API_PATH);
        let (sender, events) = mpsc::channel(16);
        Self { api: Api::serve(listener, "alice", sender), events, url, client: Client::new() }
    }

    /// Asks, and returns the channel of the request and its answer.
    async fn ask(&mut self, text: &str) -> (String, Answer) {
        let request = self.client.post(&self.url).json(&json!({ "text": text })).send();
        let answered = tokio::spawn(request);
        let Some(Event::Incoming(message)) = timeout(LIMIT, self.events.recv()).await.unwrap() else { panic!("none") };
        assert_eq!((message.text.as_str(), message.from), (text, None));
        let response = answered.await.unwrap().unwrap();
        assert_eq!(response.headers()[CONTENT_TYPE], "application/x-ndjson");
        (message.channel, Answer { response, rest: String::new() })
    }

    fn taken(&self, channel: &str) {
        self.api.observe(&turns::Event::InputStream { channel: channel.to_owned() });
    }

    fn run(&self, run: u64) {
        let (channel, notices) = (None, Vec::new());
        self.api.observe(&turns::Event::RunCreated { run, channel, inputs: 1, notices });
    }

    async fn refused(&self, request: reqwest::RequestBuilder) -> (u16, String) {
        let response = timeout(LIMIT, request.send()).await.unwrap().unwrap();
        let status = response.status().as_u16();
        assert_ne!(status, 200, "it is taken");
        let body: Value = response.json().await.unwrap();
        (status, body["error"].as_str().unwrap().to_owned())
    }
}

struct Answer {
    response: reqwest::Response,
    rest: String,
}

impl Answer {
    /// The event and the text of the next line; None at the end.
    async fn next(&mut self) -> Option<(String, String)> {
        while !self.rest.contains('\n') {
            let chunk = timeout(LIMIT, self.response.chunk()).await.unwrap().unwrap()?;
            self.rest += std::str::from_utf8(&chunk).unwrap();
        }
        let (line, rest) = self.rest.split_once('\n').unwrap();
        let line: Value = serde_json::from_str(line).unwrap();
        self.rest = rest.to_owned();
        assert_eq!(line["agent"], "alice");
        line["ts"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
        let word = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
        Some((word("event"), word("text")))
    }

    async fn all(mut self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        while let Some(line) = self.next().await {
            all.push(line);
        }
        all
    }
}

fn lines(lines: &[(&str, &str)]) -> Vec<(String, String)> {
    lines.iter().map(|(event, text)| ((*event).to_owned(), (*text).to_owned())).collect()
}

#[tokio::test]
async fn a_turn_is_told_as_it_goes_until_its_reply() {
    let mut served = Served::start().await;
    let (channel, answer) = served.ask("how are you?").await;
    served.taken(&channel);
    served.run(3);
    served.api.delta(2, "of another run");
    served.api.delta(3, "I am ");
    served.api.delta(3, "well.");
    assert!(served.api.publish(Some(3), &channel, "I am well."));
    let told = lines(&[
        ("main.system.input_stream", ""),
        ("new_thread_run_created", ""),
        ("run.delta", "I am "),
        ("run.delta", "well."),
        ("reply.published", "I am well."),
    ]);
    assert_eq!(answer.all().await, told);
    assert!(!served.api.publish(Some(4), &channel, "news"), "what comes later goes elsewhere");
}

#[tokio::test]
async fn a_reply_ends_all_requests_of_its_run_and_no_other() {
    let mut served = Served::start().await;
    let (first, one) = served.ask("one").await;
    let (second, two) = served.ask("two").await;
    served.taken(&first);
    served.taken(&second);
    served.run(1);
    let (third, three) = served.ask("three").await;
    served.taken(&third);
    assert!(served.api.publish(Some(1), &second, "both"));
    assert_eq!(one.all().await.last(), Some(&("reply.published".to_owned(), "both".to_owned())));
    assert_eq!(two.all().await.last(), Some(&("reply.published".to_owned(), "both".to_owned())));
    served.run(2);
    served.api.observe(&turns::Event::ReplySuppressed { run: 2 });
    assert_eq!(three.all().await.last(), Some(&("reply.suppressed".to_owned(), String::new())));
}

#[tokio::test]
async fn a_request_has_the_number_of_none_before_a_restart() {
    let mut before = Served::start().await;
    let (old, _) = before.ask("one").await;
    let (next, _) = before.ask("two").await;
    let mut served = Served::start().await;
    let (channel, answer) = served.ask("three").await;
    assert!(![&old, &next].contains(&&channel), "{old} {next} {channel}");
    assert!(!served.api.publish(Some(1), &old, "for one"), "it is nobody's here");
    assert!(served.api.publish(None, &channel, "for three"));
    assert_eq!(answer.all().await, lines(&[("reply.published", "for three")]));
}

#[tokio::test]
async fn a_run_that_is_tried_again_does_not_end_the_request() {
    let mut served = Served::start().await;
    let (channel, answer) = served.ask("hi").await;
    served.taken(&channel);
    served.run(1);
    let failed = turns::Event::RunFailed { run: 1, message: "busy".to_owned(), attempt: 1, delay_seconds: 1 };
    served.api.observe(&failed);
    assert!(served.api.publish(Some(1), &channel, "I keep trying"));
    served.run(2);
    assert!(served.api.publish(Some(2), &channel, "hello"));
    let events = answer.all().await.into_iter().map(|(event, _)| event).collect::<Vec<_>>();
    assert_eq!(events[2..], ["run.failed", "message.waiting", "new_thread_run_created", "reply.published"]);
}

#[tokio::test]
async fn an_answer_without_a_run_ends_a_message_that_never_became_one() {
    let mut served = Served::start().await;
    let (channel, answer) = served.ask("hi").await;
    assert!(served.api.publish(None, &channel, "there is no model"));
    assert_eq!(answer.all().await, lines(&[("reply.published", "there is no model")]));
}

#[tokio::test]
async fn the_reply_for_one_who_left_is_nobody_elses() {
    let mut served = Served::start().await;
    let (channel, answer) = served.ask("hi").await;
    drop(answer);
    served.taken(&channel);
    served.run(1);
    assert!(served.api.publish(Some(1), &channel, "hello"));
    assert!(!served.api.publish(Some(2), &channel, "news"));
}

#[tokio::test]
async fn a_foreign_host_and_any_origin_are_refused() {
    let served = Served::start().await;
    let post = || served.client.post(&served.url).json(&json!({"text": "hi"}));
    for (header, value) in [(HOST, "evil.example"), (HOST, "localhost.evil.example:80"), (ORIGIN, "http://localhost")] {
        let (status, _) = served.refused(post().header(&header, value)).await;
        assert_eq!(status, 403, "{header}: {value}");
    }
    let (status, _) = served.refused(served.client.get(&served.url).header(HOST, "evil.example")).await;
    assert_eq!(status, 403, "whatever is asked");
}

#[tokio::test]
async fn what_is_no_message_is_refused_with_what_is_wrong() {
    let served = Served::start().await;
    let post = || served.client.post(&served.url);
    for (request, status, says) in [
        (post().body("{}"), 415, "application/json"),
        (post().json(&json!({})), 422, "missing field `text`"),
        (post().json(&json!({"text": " "})), 400, "text is empty"),
        (post().json(&json!({"text": "a", "to": "b"})), 422, "unknown field `to`"),
        (post().json(&json!({"text": "a".repeat(BODY)})), 413, "length limit"),
    ] {
        let (code, message) = served.refused(request).await;
        assert_eq!(code, status, "{message}");
        assert!(message.contains(says), "{message}");
    }
}
