//! The log of a container, followed as it is written.

use std::pin::Pin;

use anyhow::{Context, Result, anyhow};
use futures::{AsyncBufReadExt, Stream, TryStreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::LogParams;
use serde_json::Value;

use crate::wait;

/// A log that is read from its start, each line once.
pub struct Log {
    pod: String,
    lines: Pin<Box<dyn Stream<Item = std::io::Result<String>> + Send>>,
}

impl Log {
    /// Follows the log of a pod's only container, which must have started.
    pub async fn follow(pods: &Api<Pod>, pod: &str) -> Result<Self> {
        let params = LogParams { follow: true, ..LogParams::default() };
        let stream = pods.log_stream(pod, &params).await.with_context(|| format!("cannot follow the log of {pod}"))?;
        Ok(Self { pod: pod.to_owned(), lines: Box::pin(stream.lines()) })
    }

    /// The next line that is a JSON object of which `wanted` says yes; what comes before it is passed over.
    /// `what` completes "waited for …".
    pub async fn find(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        let pod = self.pod.clone();
        wait::within(&format!("{what} in the log of {pod}"), async {
            while let Some(line) = self.lines.try_next().await? {
                match serde_json::from_str::<Value>(&line) {
                    Ok(value) if value.is_object() && wanted(&value) => return Ok(value),
                    Ok(_) | Err(_) => {}
                }
            }
            Err(anyhow!("the log ended"))
        })
        .await
    }

    /// The next event of this name in an agent's NDJSON.
    pub async fn event(&mut self, name: &str) -> Result<Value> {
        self.find(name, |line| line["event"] == name).await
    }

    /// Waits until the container has ended, and its log with it.
    pub async fn ended(mut self) -> Result<()> {
        wait::within(&format!("the log of {} to end", self.pod), async {
            // An error is an end as well: of the connection to a node that has nothing more to send.
            while let Ok(Some(_)) = self.lines.try_next().await {}
            Ok(())
        })
        .await
    }
}
