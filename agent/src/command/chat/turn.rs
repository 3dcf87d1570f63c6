//! A turn of an agent, as its API tells it.

use std::collections::VecDeque;

use anyhow::{Context as _, Result, bail};
use asyncai_crds::contract;
use asyncai_orchestrator::event;
use http::header::{CONTENT_TYPE, HOST};
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::channel::api;
use crate::channel::console::Screen;

#[cfg(test)]
mod tests;

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With a reply.
    Replied,
    /// The agent had nothing to say.
    Silent,
    /// The agent ended.
    Cut,
}

/// A turn that is under way.
pub(super) struct Turn {
    body: Incoming,
    /// What came of a line that is not complete.
    rest: Vec<u8>,
    lines: VecDeque<Value>,
}

impl Turn {
    /// Sends `text` over a connection to the API.
    pub(super) async fn begin(
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        text: &str,
    ) -> Result<Self> {
        let (mut client, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let body = Full::new(Bytes::from(json!({ "text": text }).to_string()));
        let request = Request::builder().method(Method::POST).uri(contract::API_PATH);
        let request = request.header(HOST, "localhost").header(CONTENT_TYPE, "application/json").body(body)?;
        let response = client.send_request(request).await?;
        let status = response.status();
        if !status.is_success() {
            let body = response.into_body().collect().await?.to_bytes();
            let said = serde_json::from_slice::<Value>(&body).ok();
            let said = said.as_ref().and_then(|said| said["error"].as_str()).unwrap_or_default();
            bail!("it answered {status}: {said}");
        }
        Ok(Self { body: response.into_body(), rest: Vec::new(), lines: VecDeque::new() })
    }

    /// Shows it on `screen` as it goes.
    pub(super) async fn show(mut self, screen: &Screen) -> Result<End> {
        while let Some(line) = self.next().await? {
            let text = line["text"].as_str().unwrap_or_default();
            match line["event"].as_str().unwrap_or_default() {
                event::RUN_DELTA => screen.delta(line["run"].as_u64().unwrap_or_default(), text),
                event::REPLY_PUBLISHED => {
                    screen.reply(text);
                    return Ok(End::Replied);
                }
                event::REPLY_SUPPRESSED => return Ok(End::Silent),
                api::WAITING => screen.reply(&format!("# {text}")),
                other => screen.observe(other),
            }
        }
        Ok(End::Cut)
    }

    /// The next line; None when the agent has ended.
    async fn next(&mut self) -> Result<Option<Value>> {
        while self.lines.is_empty() {
            let Some(frame) = self.body.frame().await else { return Ok(None) };
            let Ok(data) = frame?.into_data() else { continue };
            self.rest.extend_from_slice(&data);
            while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line = self.rest.drain(..=end).collect::<Vec<_>>();
                self.lines.push_back(serde_json::from_slice(&line).context("it said what is no JSON")?);
            }
        }
        Ok(self.lines.pop_front())
    }
}
