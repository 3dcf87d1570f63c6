//! The scripted MCP server in a pod of the story's namespace: `http://peer:8000/mcp`.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::proxy::Proxy;
use crate::scripted_server::Seen;
use crate::story::Story;
use crate::wait::within;

const MANIFEST: &str = "
apiVersion: v1
kind: Pod
metadata: {name: peer, labels: {app: peer}}
spec:
  automountServiceAccountToken: false
  shareProcessNamespace: true # the first process of a namespace cannot be stopped
  terminationGracePeriodSeconds: 1
  securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: peer
    image: localhost/asyncai-e2e:dev
    command: [/scripted-server, --mcp, '0.0.0.0:8000', --control, '0.0.0.0:8001']
    securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
    ports: [{containerPort: 8000}, {containerPort: 8001}]
    readinessProbe: {tcpSocket: {port: 8001}, periodSeconds: 1}
---
apiVersion: v1
kind: Service
metadata: {name: peer}
spec: {selector: {app: peer}, ports: [{port: 8000}]}
";

/// Its entry among an agent's `mcpServers`.
pub const ENTRY: &str = "{name: peer, http: {url: 'http://peer:8000/mcp'}}";

/// A scripted MCP server.
pub struct Peer {
    control: Proxy,
}

impl Peer {
    /// Starts the server and waits until it serves.
    pub async fn start(story: &Story) -> Result<Self> {
        story.apply(MANIFEST).await?;
        story.pod_ready("peer").await?;
        Ok(Self { control: Proxy::new(story, "peer", 8001) })
    }

    /// Sets a note; null removes it.
    pub async fn set(&self, key: &str, value: Value) -> Result<()> {
        self.control.send("PUT", &format!("/notes/{key}"), value.to_string()).await.map(drop)
    }

    /// Appends events, which need a `type`, as one update.
    pub async fn append(&self, events: &[Value]) -> Result<()> {
        self.control.send("POST", "/events", json!(events).to_string()).await.map(drop)
    }

    /// Appends events as fast as it can, each as an update of its own.
    pub async fn pour(&self, events: &[Value]) -> Result<()> {
        self.control.send("POST", "/events?each=true", json!(events).to_string()).await.map(drop)
    }

    /// Stops its process, so that nothing comes from it any more, or lets it go on.
    pub async fn freeze(&self, story: &Story, frozen: bool) -> Result<()> {
        let how = if frozen { "--freeze" } else { "--thaw" };
        story.kubectl(&["exec", "peer", "--", "/scripted-server", how]).await.map(drop)
    }

    /// Lets it begin anew: its `seq` starts from 1.
    pub async fn restart(&self) -> Result<()> {
        self.control.send("POST", "/restart", String::new()).await.map(drop)
    }

    /// Breaks off every connection from now on, or no longer.
    pub async fn down(&self, down: bool) -> Result<()> {
        self.control.send("POST", if down { "/down" } else { "/up" }, String::new()).await.map(drop)
    }

    /// What it has seen.
    pub async fn seen(&self) -> Result<Seen> {
        self.seen_once("").await
    }

    /// What it has seen, once so many connections were broken off.
    pub async fn attempted(&self, attempts: usize) -> Result<Seen> {
        within(&format!("{attempts} attempts to connect"), self.seen_once(&format!("?attempts={attempts}"))).await
    }

    /// What it has seen, once there are so many subscriptions.
    pub async fn listened(&self, listens: usize) -> Result<Seen> {
        within(&format!("{listens} subscriptions"), self.seen_once(&format!("?listens={listens}"))).await
    }

    async fn seen_once(&self, query: &str) -> Result<Seen> {
        let seen = self.control.get(&format!("/seen{query}")).await?;
        serde_json::from_str(&seen).with_context(|| format!("the peer has seen {seen}"))
    }
}
