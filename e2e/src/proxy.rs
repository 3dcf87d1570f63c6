//! HTTP to a pod of the story, by way of the API server.

use anyhow::{Context, Result};
use axum::http::Request;

use crate::story::Story;

/// A port of a pod.
#[derive(Clone)]
pub struct Proxy {
    client: kube::Client,
    path: String,
}

impl Proxy {
    /// A port of a pod in the story's namespace, which should be ready.
    #[must_use]
    pub fn new(story: &Story, pod: &str, port: u16) -> Self {
        let path = format!("/api/v1/namespaces/{}/pods/{pod}:{port}/proxy", story.namespace);
        Self { client: story.cluster.client.clone(), path }
    }

    /// Asks for a path, which begins with a slash, and gives the body.
    pub async fn get(&self, path: &str) -> Result<String> {
        self.send("GET", path, String::new()).await
    }

    /// Sends something to a path, and gives the body of the answer.
    pub async fn send(&self, method: &str, path: &str, body: String) -> Result<String> {
        let uri = format!("{}{path}", self.path);
        let request = Request::builder()
            .method(method)
            .uri(uri)
            .header("content-type", "application/json")
            .body(body.into_bytes())?;
        self.client.request_text(request).await.with_context(|| format!("{method} {path} of {}", self.path))
    }
}
