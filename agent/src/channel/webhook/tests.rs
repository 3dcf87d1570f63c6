//! Tests of posting to a webhook, with a real server at the other end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use tokio::net::TcpListener;

use super::*;
use crate::channel::spec::Secret;
use crate::channel::state::{States, Status};

const LIMIT: Duration = Duration::from_secs(30);

/// What the server answers, in order; afterwards it is content.
type Answers = Arc<Mutex<VecDeque<(u16, &'static str, &'static str)>>>;

/// A webhook under `/secret/…`, which tells what it is sent.
struct Hook {
    answers: Answers,
    bodies: mpsc::UnboundedReceiver<String>,
    url: String,
}

impl Hook {
    async fn start(answers: &[(u16, &'static str, &'static str)]) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let answers: Answers = Arc::new(Mutex::new(answers.iter().copied().collect()));
        let (sender, bodies) = mpsc::unbounded_channel();
        let app = Router::new().route("/secret/T0KEN", post(answer)).with_state((answers.clone(), sender));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/secret/T0KEN", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { answers, bodies, url }
    }

    async fn body(&mut self) -> String {
        tokio::time::timeout(LIMIT, self.bodies.recv()).await.unwrap().unwrap()
    }
}

async fn answer(
    State((answers, bodies)): State<(Answers, mpsc::UnboundedSender<String>)>,
    body: String,
) -> (StatusCode, HeaderMap, &'static str) {
    bodies.send(body).unwrap();
    let (status, retry_after, said) = answers.lock().unwrap().pop_front().unwrap_or((200, "", "ok"));
    let mut headers = HeaderMap::new();
    if !retry_after.is_empty() {
        headers.insert(RETRY_AFTER, retry_after.parse().unwrap());
    }
    (StatusCode::from_u16(status).unwrap(), headers, said)
}

/// A channel that posts there.
struct Posting {
    settings: watch::Sender<Config>,
    posts: mpsc::Sender<Post>,
    states: States,
    changes: mpsc::Receiver<()>,
}

impl Posting {
    fn start(url: Resolved) -> Self {
        let (told, changes) = mpsc::channel(1);
        let states = States::new(told);
        let reporter = Reporter::new(&states, "hook");
        let (settings, config) = watch::channel(Config { url });
        let (posts, queue) = mpsc::channel(16);
        tokio::spawn(run(config, queue, reporter));
        Self { settings, posts, states, changes }
    }

    async fn post(&self, text: &str) {
        self.posts.send(Post { to: None, text: text.to_owned() }).await.unwrap();
    }

    /// Waits until the status says `connected`, and then what it says.
    async fn status(&mut self, connected: bool) -> Option<String> {
        loop {
            if let [Status { connected: now, message, .. }] = self.states.status().as_slice()
                && *now == connected
                && (*now || message.is_some())
            {
                return message.clone();
            }
            tokio::time::timeout(LIMIT, self.changes.recv()).await.unwrap().unwrap();
        }
    }
}

fn url(text: &str) -> Secret {
    Secret(text.to_owned())
}

#[tokio::test]
async fn replies_are_posted_in_order_and_again_when_the_endpoint_is_busy() {
    let mut hook = Hook::start(&[(429, "0", "slow down"), (503, "", "")]).await;
    let posting = Posting::start(Ok(url(&hook.url)));
    posting.post("one \"quoted\"\nline").await;
    posting.post("two").await;
    for _ in 0..3 {
        assert_eq!(hook.body().await, r#"{"text":"one \"quoted\"\nline"}"#);
    }
    assert_eq!(hook.body().await, r#"{"text":"two"}"#);
    assert!(hook.answers.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_reply_mentions_nobody_and_makes_no_link() {
    let mut hook = Hook::start(&[]).await;
    let posting = Posting::start(Ok(url(&hook.url)));
    posting.post("<!channel> a && b; &lt; <https://evil.example|here>").await;
    let expected = r#"{"text":"&lt;!channel&gt; a &amp;&amp; b; &amp;lt; &lt;https://evil.example|here&gt;"}"#;
    assert_eq!(hook.body().await, expected);
}

#[tokio::test]
async fn a_private_reply_is_not_posted() {
    let mut hook = Hook::start(&[]).await;
    let posting = Posting::start(Ok(url(&hook.url)));
    posting.posts.send(Post { to: Some("bob".to_owned()), text: "psst".to_owned() }).await.unwrap();
    posting.post("for all").await;
    assert_eq!(hook.body().await, r#"{"text":"for all"}"#);
}

#[tokio::test]
async fn a_refused_post_is_said_without_the_url_and_not_tried_again() {
    let mut hook = Hook::start(&[(404, "", "no_team at /secret/T0KEN"), (400, "", "invalid_payload")]).await;
    let mut posting = Posting::start(Ok(url(&hook.url)));
    posting.status(true).await;
    posting.post("one").await;
    hook.body().await;
    let said = posting.status(false).await.unwrap();
    assert_eq!(said, "the webhook answered 404 Not Found", "what quotes the URL is not told");
    posting.post("two").await;
    assert_eq!(hook.body().await, r#"{"text":"two"}"#);
}

#[tokio::test]
async fn an_endpoint_that_is_down_is_said_without_the_url() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    let mut posting = Posting::start(Ok(url(&format!("http://{address}/secret/T0KEN"))));
    posting.status(true).await;
    posting.post("one").await;
    let said = posting.status(false).await.unwrap();
    assert!(said.contains("refused") && !said.contains("T0KEN") && !said.contains("secret"), "{said}");
}

#[tokio::test]
async fn a_missing_url_is_said_and_the_reply_waits_for_it() {
    let mut hook = Hook::start(&[]).await;
    let mut posting = Posting::start(Err("no key \"url\" in a Secret \"slack\"".to_owned()));
    posting.post("one").await;
    assert_eq!(posting.status(false).await.unwrap(), "no key \"url\" in a Secret \"slack\"");
    posting.settings.send(Config { url: Ok(url(&hook.url)) }).unwrap();
    assert_eq!(hook.body().await, r#"{"text":"one"}"#);
    assert_eq!(posting.status(true).await, None);
}

#[tokio::test]
async fn the_next_post_goes_to_a_rotated_url() {
    let (mut old, mut new) = (Hook::start(&[]).await, Hook::start(&[]).await);
    let posting = Posting::start(Ok(url(&old.url)));
    posting.post("one").await;
    old.body().await;
    posting.settings.send(Config { url: Ok(url(&new.url)) }).unwrap();
    posting.post("two").await;
    assert_eq!(new.body().await, r#"{"text":"two"}"#);
}

#[tokio::test]
async fn a_url_that_is_none_is_no_reason_to_try_again() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut posting = Posting::start(Ok(url("hooks.slack.com/T0KEN")));
    posting.status(true).await;
    posting.post("one").await;
    let said = posting.status(false).await.unwrap();
    assert!(!said.contains("T0KEN"), "{said}");
}

#[test]
fn an_endpoint_may_ask_to_be_left_alone_in_seconds_or_until_a_date() {
    let response = |value: &str| {
        let response = axum::http::Response::builder().header(RETRY_AFTER, value).body("").unwrap();
        retry_after(&response.into(), SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
    };
    assert_eq!(response("7"), Some(Duration::from_secs(7)));
    assert_eq!(response("Sun, 09 Sep 2001 01:46:45 GMT"), Some(Duration::from_secs(5)));
    assert_eq!(response("99999999"), Some(LONGEST));
    assert_eq!(response("soon"), None);
}

/// What is logged, all of it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_url_is_in_no_log() {
    let log = Log::default();
    let writer = log.clone();
    let logger = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone());
    let _guard = tracing::subscriber::set_default(logger.finish());
    let mut hook = Hook::start(&[(500, "0", "no"), (404, "", "T0KEN"), (302, "", "")]).await;
    let mut posting = Posting::start(Ok(url(&hook.url)));
    posting.post("one").await;
    hook.body().await;
    hook.body().await;
    posting.status(false).await;
    posting.post("two").await;
    hook.body().await;
    posting.post("three").await;
    hook.body().await;
    posting.status(true).await;
    posting.settings.send(Config { url: Ok(url("http://127.0.0.1:1/secret/T0KEN")) }).unwrap();
    posting.post("four").await;
    posting.status(false).await;
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("a reply is in the log alone"), "{log}");
    let leak = log.lines().find(|line| line.contains("T0KEN") || line.contains("secret/"));
    assert_eq!(leak, None);
}
