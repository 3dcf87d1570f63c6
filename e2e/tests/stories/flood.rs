//! A thousand updates in a moment, then a server from which nothing comes any more: no event is lost, nothing is asked
//! without need.

use anyhow::Result;
use asyncai_crds::Watch;
use asyncai_e2e::fleet::{self, relay};
use asyncai_e2e::peer::Peer;
use asyncai_e2e::story::story;
use asyncai_e2e::wait;
use serde_json::{Value, json};

const UPDATES: u64 = 1000;

/// Case C20.
#[tokio::test]
async fn a_flood_and_a_frozen_server_lose_nothing() -> Result<()> {
    story("flood", async |story| {
        let peer = Peer::start(story).await?;
        let servers = json!([{"name": "peer", "http": {"url": "http://peer:8000/mcp", "timeoutSeconds": 5}}]);
        let agent = fleet::with(&relay("alice"), &json!({"mcpServers": servers}))?;
        let watch = fleet::watch("log", "alice", "log://events", "debounceSeconds: 1");
        story.apply(&[agent, watch].join("\n---\n")).await?;
        story.watch("log", "Ready", "True").await?;
        let mut log = story.agent_log("alice").await?;
        let before = peer.seen().await?.reads;

        let events: Vec<Value> = (0..UPDATES).map(|number| event(&number.to_string())).collect();
        peer.pour(&events).await?;
        counted(&story.api(), UPDATES).await?;
        let reads = peer.seen().await?.reads - before;
        assert!(reads <= 200, "{reads} reads for {UPDATES} updates");
        let told = story.events("alice", "watch.notice").await?;
        let lines: u64 = told.iter().map(lines).sum();
        assert_eq!(lines, UPDATES, "{told:?}");
        assert!(!told.iter().any(|notice| notice.to_string().contains("GAP")), "{told:?}");

        peer.freeze(story, true).await?;
        story.watch("log", "Subscribed", "False").await?;
        peer.freeze(story, false).await?;
        peer.append(&[event("after")]).await?;
        story.watch("log", "Subscribed", "True").await?;
        log.find("what came after", |line| line["lines"] == json!(["ADDED after"])).await?;
        counted(&story.api(), UPDATES + 1).await
    })
    .await
}

fn event(name: &str) -> Value {
    json!({"type": "ADDED", "object": {"metadata": {"name": name}}})
}

/// How many lines a notice tells or counts.
fn lines(notice: &Value) -> u64 {
    let shown = notice["lines"].as_array().map_or(0, Vec::len);
    u64::try_from(shown).unwrap_or_default() + notice["more"].as_u64().unwrap_or_default()
}

async fn counted(watches: &kube::Api<Watch>, events: u64) -> Result<()> {
    let mut last = 0;
    wait::until(watches, "log", &format!("{events} events to be counted"), |watch| {
        watch.status.as_ref().and_then(|status| status.counts).is_some_and(|counts| counts.events >= events)
    })
    .await
    .map(|watch| last = watch.status.and_then(|status| status.counts).map_or(0, |counts| counts.events))?;
    assert_eq!(last, events);
    Ok(())
}
