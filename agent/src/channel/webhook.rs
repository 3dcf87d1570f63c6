//! An incoming webhook, such as Slack's: each reply is posted to a URL, which is a secret.

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tracing::warn;

use crate::channel::Post;
use crate::channel::backoff::Backoff;
use crate::channel::spec::Resolved;
use crate::channel::state::Reporter;

#[cfg(test)]
mod tests;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(30);
/// Tries before a reply is given up: over two minutes.
const ATTEMPTS: u32 = 8;
/// Longest that an endpoint may ask to be left alone.
const LONGEST: Duration = Duration::from_mins(10);
/// As much of an answer as is told.
const EXCERPT: usize = 200;

/// Where to post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// Why it is missing, or the URL.
    pub(super) url: Resolved,
}

/// A post that did not arrive.
#[derive(Debug, PartialEq, Eq)]
struct Failure {
    message: String,
    /// It may work later, at the earliest after this time.
    again: Option<Duration>,
}

/// Posts one reply after another until `posts` ends.
pub(super) async fn run(mut config: watch::Receiver<Config>, mut posts: mpsc::Receiver<Post>, reporter: Reporter) {
    let client = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(TIMEOUT)
        // The reply is for this URL alone.
        .redirect(Policy::none())
        .build();
    let client = match client {
        Ok(client) => client,
        Err(error) => return reporter.set(false, Some(chain(error))),
    };
    report(&mut config, &reporter);
    loop {
        tokio::select! {
            // Without the sender of the settings there is none of posts either.
            Ok(()) = config.changed() => report(&mut config, &reporter),
            post = posts.recv() => match post {
                Some(Post { to: Some(_), .. }) => {
                    // Its channel was of another kind when it was asked for.
                    warn!(channel = reporter.name(), "a webhook is public; a private reply is in the log alone");
                }
                Some(post) => deliver(&client, &mut config, &post.text, &reporter).await,
                None => return,
            }
        }
    }
}

/// Whether there is a URL; whether it works shows with the next post.
fn report(config: &mut watch::Receiver<Config>, reporter: &Reporter) {
    let missing = config.borrow_and_update().url.as_ref().err().cloned();
    reporter.set(missing.is_none(), missing);
}

/// Posts `text` until it arrives or there is no hope; with new settings there is some again.
async fn deliver(client: &Client, config: &mut watch::Receiver<Config>, text: &str, reporter: &Reporter) {
    let mut backoff = Backoff::default();
    let mut attempt = 1;
    loop {
        let url = config.borrow_and_update().url.clone();
        let sent = match url {
            Ok(url) => send(client, &url.0, text).await,
            Err(missing) => {
                reporter.set(false, Some(missing));
                if config.changed().await.is_err() {
                    warn!(channel = reporter.name(), "closed without a URL; a reply is in the log alone");
                    return;
                }
                continue;
            }
        };
        let Err(failure) = sent else { return reporter.set(true, None) };
        reporter.set(false, Some(failure.message.clone()));
        let Some(asked) = failure.again.filter(|_| attempt < ATTEMPTS) else {
            warn!(channel = reporter.name(), attempt, "a reply is in the log alone: {}", failure.message);
            return;
        };
        let delay = backoff.failed().max(asked);
        attempt += 1;
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            Ok(()) = config.changed() => attempt = 1,
        }
    }
}

async fn send(client: &Client, url: &str, text: &str) -> Result<(), Failure> {
    let response = client.post(url).json(&json!({ "text": escape(text) })).send().await.map_err(|error| {
        let hopeless = error.is_builder();
        Failure { message: chain(error), again: (!hopeless).then_some(Duration::ZERO) }
    })?;
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    let again = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let again = again.then(|| retry_after(&response, SystemTime::now()).unwrap_or_default());
    // An endpoint may quote the URL, or its secret part.
    let said = excerpt(response).await.filter(|said| !quotes(said, url));
    let said = said.map(|said| format!(": {said}")).unwrap_or_default();
    Err(Failure { message: format!("the webhook answered {status}{said}"), again })
}

/// In Slack's markup these three begin mentions and links, such as `<!channel>`, which no reply may make.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn retry_after(response: &Response, now: SystemTime) -> Option<Duration> {
    let value = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim();
    let asked = match value.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => httpdate::parse_http_date(value).ok()?.duration_since(now).unwrap_or_default(),
    };
    Some(asked.min(LONGEST))
}

/// The beginning of the answer, if it is text.
async fn excerpt(mut response: Response) -> Option<String> {
    let chunk = response.chunk().await.ok()??;
    let text = String::from_utf8_lossy(&chunk[..chunk.len().min(EXCERPT)]);
    let text = text.split(|c: char| c.is_control()).collect::<Vec<_>>().join(" ");
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Whether `text` holds a part of the path or the query of `url`, where such URLs have their secrets.
fn quotes(text: &str, url: &str) -> bool {
    let after_host = url.splitn(4, '/').nth(3).unwrap_or_default();
    after_host.split(['/', '?', '&', '=']).any(|part| part.len() > 3 && text.contains(part))
}

/// An error with its causes, and without the URL.
fn chain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
