//! The requests this server makes of one workspace, answered with bytes that are not parsed further than needed.

#[cfg(test)]
mod tests;

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Limited};
use kube::client::Body;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

use crate::kcp::error::{Error, Status, chain};
use crate::kcp::frames::Frames;

/// The format of objects, lists and events.
pub(crate) const JSON: &str = "application/json";

/// The largest answer to one request. A page of a list has 500 objects.
const MAX_ANSWER: usize = 256 << 20;
/// The largest event of a watch; etcd holds objects of 1.5 MiB unless told otherwise.
const MAX_EVENT: usize = 16 << 20;
/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// One workspace of an API server, with credentials.
pub(crate) struct Upstream {
    client: kube::Client,
    prefix: String,
    epoch: String,
}

impl Upstream {
    /// Requests go to paths below `prefix`; `epoch` names the cluster.
    pub(crate) fn new(client: kube::Client, prefix: String, epoch: String) -> Self {
        Self { client, prefix, epoch }
    }

    /// The same workspace with other credentials.
    #[must_use]
    pub(crate) fn with_client(self, client: kube::Client) -> Self {
        Self { client, ..self }
    }

    /// Names the cluster.
    pub(crate) fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Reads a path with its query, in one of the formats of `accept`.
    pub(crate) async fn get(&self, path: &str, accept: &str) -> Result<Bytes, Error> {
        let request = Request::get(self.uri(path)).header(ACCEPT, accept);
        self.answer(request.body(Body::empty())).await
    }

    /// Sends a request whose path is that of the workspace's own API.
    pub(crate) async fn request(&self, request: Request<Vec<u8>>) -> Result<Bytes, Error> {
        let (mut parts, body) = request.into_parts();
        let uri = self.uri(&parts.uri.to_string());
        parts.uri = uri.parse().map_err(|error: http::uri::InvalidUri| Error::Connection(error.to_string()))?;
        self.answer(Ok(Request::from_parts(parts, Body::from(body)))).await
    }

    /// Reads the end of a text: at most `most` bytes, and how many more there were.
    pub(crate) async fn tail(&self, path: &str, most: usize) -> Result<(Vec<u8>, usize), Error> {
        let reading = async {
            let response = self.send(Request::get(self.uri(path)).body(Body::empty())).await?;
            let (mut body, mut kept, mut left_out) = (response.into_body(), Vec::new(), 0);
            while let Some(frame) = body.frame().await {
                let frame = frame.map_err(|error| Error::Connection(chain(&error)))?;
                kept.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
                // Not at each frame: what stays is moved.
                if kept.len() > 2 * most {
                    left_out += trim(&mut kept, most);
                }
            }
            left_out += trim(&mut kept, most);
            Ok((kept, left_out))
        };
        timeout(PATIENCE, reading).await.unwrap_or(Err(Error::Timeout { seconds: PATIENCE.as_secs() }))
    }

    /// Mints a token for a ServiceAccount of this workspace.
    pub(crate) async fn mint(&self, namespace: &str, name: &str) -> Result<String, Error> {
        #[derive(Deserialize)]
        struct Minted {
            status: Token,
        }
        #[derive(Deserialize)]
        struct Token {
            token: String,
        }
        let body = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}).to_string();
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token");
        let request = Request::post(self.uri(&path)).header(CONTENT_TYPE, JSON);
        let answer = self.answer(request.body(Body::from(body.into_bytes()))).await?;
        let minted: Minted = serde_json::from_slice(&answer)?;
        Ok(minted.status.token)
    }

    /// Opens a stream of watch events; `path` has the query of a watch.
    pub(crate) async fn watch(&self, path: &str) -> Result<Events, Error> {
        let request = Request::get(self.uri(path)).header(ACCEPT, JSON);
        let response = self.send(request.body(Body::empty())).await?;
        Ok(Events { body: response.into_body(), frames: Frames::new(MAX_EVENT) })
    }

    fn uri(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    async fn answer(&self, request: http::Result<Request<Body>>) -> Result<Bytes, Error> {
        let answer = async { collect(self.send(request).await?).await };
        timeout(PATIENCE, answer).await.unwrap_or(Err(Error::Timeout { seconds: PATIENCE.as_secs() }))
    }

    async fn send(&self, request: http::Result<Request<Body>>) -> Result<Response<Body>, Error> {
        let request = request.map_err(|error| Error::Connection(error.to_string()))?;
        let response = match timeout(PATIENCE, self.client.send(request)).await {
            Ok(sent) => sent.map_err(|error| Error::Connection(cause(&error)))?,
            Err(_) => return Err(Error::Timeout { seconds: PATIENCE.as_secs() }),
        };
        if response.status().is_success() {
            return Ok(response);
        }
        let code = response.status();
        // The code says enough if the rest of the refusal does not come.
        let body = timeout(PATIENCE, collect(response)).await.ok().and_then(Result::ok).unwrap_or_default();
        Err(Error::Api(Status::parse(code, &body)))
    }
}

/// What went wrong, without the name of the layer in which it did.
fn cause(error: &kube::Error) -> String {
    match error {
        kube::Error::Service(inner) => chain(inner.as_ref()),
        other => chain(other),
    }
}

/// Keeps the end; how much that cost.
fn trim(bytes: &mut Vec<u8>, most: usize) -> usize {
    let surplus = bytes.len().saturating_sub(most);
    bytes.drain(..surplus);
    surplus
}

async fn collect(response: Response<Body>) -> Result<Bytes, Error> {
    match Limited::new(response.into_body(), MAX_ANSWER).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(Error::TooLarge { limit: MAX_ANSWER }),
        Err(error) => Err(Error::Connection(error.to_string())),
    }
}

/// The lines of an open watch.
pub(crate) struct Events {
    body: Body,
    frames: Frames,
}

impl Events {
    /// The next line; `None` at the end of the stream. May be dropped and called again.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            if let Some(line) = self.frames.next().map_err(|_| Error::TooLarge { limit: MAX_EVENT })? {
                return Ok(Some(line));
            }
            match self.body.frame().await {
                None => return Ok(None),
                Some(Err(error)) => return Err(Error::Connection(chain(&error))),
                Some(Ok(frame)) => {
                    if let Some(chunk) = frame.data_ref() {
                        self.frames.push(chunk);
                    }
                }
            }
        }
    }
}
