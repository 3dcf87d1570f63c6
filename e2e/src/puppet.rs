//! An agent whose every turn a story writes: a note is its cue, the scripted model runs what the story says.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::fleet;
use crate::model::Model;
use crate::peer::Peer;
use crate::scripted_model::Recorded;
use crate::story::Story;

/// Its name.
pub const NAME: &str = "alice";

/// The agent, its model, and the server that holds its notes.
pub struct Puppet {
    /// Its model.
    pub model: Model,
    /// Its server beside kcp.
    pub peer: Peer,
    cues: usize,
}

impl Puppet {
    /// Starts the agent, which has the servers kcp and peer, and `spec` besides.
    pub async fn start(story: &Story, spec: &Value) -> Result<Self> {
        let (model, peer) = tokio::try_join!(Model::start(story, "{}"), Peer::start(story))?;
        let servers = json!([{"name": "kcp", "kcp": {"access": "ReadOnly"}},
            {"name": "peer", "http": {"url": "http://peer:8000/mcp"}}]);
        let agent = fleet::with(&fleet::asking(NAME), &json!({"mcpServers": servers}))?;
        let cue = fleet::watch("cue", NAME, "memo://notes", "debounceSeconds: 0");
        story.apply(&[fleet::with(&agent, spec)?, cue].join("\n---\n")).await?;
        story.watch("cue", "Ready", "True").await?;
        Ok(Self { model, peer, cues: 0 })
    }

    /// Lets the model run this in a turn that it then ends without a word; gives what it is told of it.
    pub async fn run(&mut self, code: &str) -> Result<String> {
        let scenario = json!({"rules": [{"times": 1, "code": code}]});
        self.model.script(&scenario.to_string()).await?;
        self.cue().await?;
        loop {
            if let Some(result) = self.model.request().await?.result() {
                return Ok(result);
            }
        }
    }

    /// As [`Puppet::run`], for what prints JSON: the value of it.
    pub async fn ask(&mut self, code: &str) -> Result<Value> {
        let told = self.run(&format!("import json\nprint('<<' + json.dumps({code}) + '>>')")).await?;
        let json = told.split_once("<<").and_then(|(_, rest)| rest.split_once(">>")).map(|(json, _)| json);
        serde_json::from_str(json.with_context(|| format!("the model was told {told}"))?).context(told)
    }

    /// Wakes it, without a word on what the model should do.
    pub async fn cue(&mut self) -> Result<()> {
        self.cues += 1;
        self.peer.set("cue", json!(self.cues)).await
    }

    /// The model's next request.
    pub async fn request(&mut self) -> Result<Recorded> {
        self.model.request().await
    }
}
