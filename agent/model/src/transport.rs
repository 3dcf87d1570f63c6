//! HTTP: the key, retries, and errors that say what the endpoint said.

use std::error::Error as _;
use std::io;
use std::time::{Duration, SystemTime};

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use bytes::Bytes;
use futures::StreamExt;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Request, Response};
use tokio::time::Instant;

use crate::config::{ApiKey, Config, Retry};
use crate::error::Error;
use crate::{retry, wire};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const KEEPALIVE: Duration = Duration::from_secs(30);
/// Far more than a model writes; a broken endpoint must not fill the memory.
const MAX_REPLY: usize = 16 << 20;
const MAX_ERROR: usize = 64 << 10;

/// Sends requests until one is answered.
#[derive(Debug, Clone)]
pub(crate) struct Transport {
    http: reqwest::Client,
    api_key: Option<ApiKey>,
    authorization: Option<HeaderValue>,
    retry: Retry,
    timeout: Duration,
}

impl Transport {
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        // The client panics without one.
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            return Err(Error::NoCryptoProvider);
        }
        let api_key = config.api_key.clone().filter(|key| !key.is_empty());
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_keepalive(KEEPALIVE)
            // A redirect would carry the key, and turn the request into a GET.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(Error::Client)?;
        let authorization = api_key.as_ref().map(ApiKey::header).transpose()?;
        Ok(Self { http, api_key, authorization, retry: config.retry.clone(), timeout: config.timeout })
    }

    /// The client below, for the library to build requests with.
    pub(crate) fn http(&self) -> reqwest::Client {
        self.http.clone()
    }

    /// An event stream. Anything else is an error.
    pub(crate) async fn send(self, factory: HttpRequestFactory) -> Result<Response, Error> {
        let deadline = Instant::now() + self.timeout;
        let mut attempt = 1;
        loop {
            let error = match self.attempt(&factory).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let Some(delay) = retry::delay(&self.retry, attempt, &error, fastrand::f64()) else { return Err(error) };
            let again = Instant::now() + delay;
            // The error tells more than the time-out that would follow.
            if again >= deadline {
                return Err(error);
            }
            tracing::warn!(attempt, delay_seconds = delay.as_secs_f64(), %error, "model request failed, trying again");
            tokio::time::sleep_until(again).await;
            attempt += 1;
        }
    }

    async fn attempt(&self, factory: &HttpRequestFactory) -> Result<Response, Error> {
        let unusable = |error: OpenAIError| Error::Unreachable(error.to_string());
        let request = self.authorize(factory.build().await.map_err(unusable)?);
        let response = self.http.execute(request).await.map_err(|error| Error::Unreachable(chain(error)))?;
        if !response.status().is_success() {
            return Err(self.status(response).await);
        }
        let content_type = header(&response);
        if !content_type.starts_with("text/event-stream") {
            return Err(self.not_a_stream(content_type, response).await);
        }
        Ok(bounded(response))
    }

    /// The library always sends a bearer token, even an empty one, and does not mark it as a secret.
    fn authorize(&self, mut request: Request) -> Request {
        let headers = request.headers_mut();
        headers.remove(AUTHORIZATION);
        if let Some(value) = &self.authorization {
            headers.insert(AUTHORIZATION, value.clone());
        }
        request
    }

    async fn status(&self, response: Response) -> Error {
        let status = response.status();
        let retry_after = retry::retry_after(response.headers(), SystemTime::now());
        let (message, code) = wire::explain(&self.body(response).await);
        Error::Status { status, message, code, retry_after }
    }

    async fn not_a_stream(&self, content_type: String, response: Response) -> Error {
        let excerpt = wire::explain(&self.body(response).await).0;
        Error::NotAStream { content_type, excerpt }
    }

    /// The body as far as it comes, and without the key.
    async fn body(&self, mut response: Response) -> String {
        let mut body = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            let room = MAX_ERROR - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() >= room {
                break;
            }
        }
        self.scrub(&String::from_utf8_lossy(&body))
    }

    /// `text` without the key.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.api_key.as_ref().map_or_else(|| text.to_owned(), |key| key.scrub(text))
    }
}

fn header(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    wire::excerpt(&String::from_utf8_lossy(value)).to_lowercase()
}

/// The response, its body cut off at [`MAX_REPLY`].
fn bounded(response: Response) -> Response {
    let mut shell = http::Response::new(());
    *shell.status_mut() = response.status();
    *shell.headers_mut() = response.headers().clone();
    let mut room = MAX_REPLY;
    let body = response.bytes_stream().map(move |chunk| -> io::Result<Bytes> {
        let chunk = chunk.map_err(|error| io::Error::other(chain(error)))?;
        room = room.checked_sub(chunk.len()).ok_or_else(|| io::Error::other("it is longer than 16 MiB"))?;
        Ok(chunk)
    });
    shell.map(|()| reqwest::Body::wrap_stream(body)).into()
}

/// An error with its causes, which reqwest's own text leaves out, and without the URL, which people
/// know and which makes the text unstable.
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
