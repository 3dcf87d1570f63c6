//! A server that only counts its events, and begins to count anew when it restarts, loses nothing unsaid.

use anyhow::{Context, Result};
use asyncai_crds::Watch;
use asyncai_e2e::fleet::{self, asking};
use asyncai_e2e::model::{Model, notices};
use asyncai_e2e::peer::Peer;
use asyncai_e2e::story::story;
use asyncai_e2e::wait;
use serde_json::{Value, json};

/// Case C3.
#[tokio::test]
async fn a_server_that_counts_anew_and_one_that_is_down() -> Result<()> {
    story("plainlog", async |story| {
        let (mut model, peer) = tokio::try_join!(Model::start(story, "{}"), Peer::start(story))?;
        let before: Vec<Value> = (0..1041).map(|number| event(&format!("old-{number}"))).collect();
        peer.append(&before).await?;
        let servers = json!([{"name": "peer", "http": {"url": "http://peer:8000/mcp"}}]);
        let agent = fleet::with(&asking("alice"), &json!({"mcpServers": servers}))?;
        let watch = fleet::watch("log", "alice", "log://events", "debounceSeconds: 1");
        story.apply(&[agent, watch].join("\n---\n")).await?;
        let status = story.watch("log", "Ready", "True").await?.status.unwrap_or_default();
        assert_eq!(status.cursor.map(|cursor| cursor.seq), Some(1041));

        peer.restart().await?;
        peer.append(&[event("b")]).await?;
        let request = model.until("ADDED b").await?;
        let told = notices(&request);
        assert_eq!(told.len(), 1, "{told:?}");
        let [gap, added] = told[0].lines.as_slice() else { panic!("a GAP and b: {told:?}") };
        assert!(gap.starts_with("GAP"), "{gap}");
        assert_eq!(added, "ADDED b");

        story.watch("log", "Ready", "True").await?;
        peer.down(true).await?;
        story.watch("log", "Subscribed", "False").await?;
        story.watch("log", "Stalled", "True").await?;
        let attempts = peer.attempted(5).await?.attempts;
        let (first, last) = (attempts.first().context("no attempt")?, attempts.last().context("no attempt")?);
        let seconds = last.duration_since(*first).as_secs();
        assert!((15..120).contains(&seconds), "five attempts of a watch took {seconds} s: {attempts:?}");
        assert!(attempts.len() < 30, "{} connection attempts in {seconds} s: {attempts:?}", attempts.len());

        peer.down(false).await?;
        story.watch("log", "Subscribed", "True").await?;
        let watches = story.api::<Watch>();
        wait::until(&watches, "log", "no stall", |watch| {
            let mut conditions = watch.status.iter().flat_map(|status| &status.conditions);
            !conditions.any(|condition| condition.type_ == "Stalled" && condition.status == "True")
        })
        .await?;
        peer.append(&[event("c")]).await?;
        let told = notices(&model.until("ADDED c").await?);
        let back: Vec<&String> =
            told.iter().flat_map(|notice| &notice.lines).skip_while(|line| !line.starts_with("RECOVERED")).collect();
        assert_eq!(back.len(), 2, "{told:?}");
        assert_eq!(back[1], "ADDED c", "{told:?}");
        Ok(())
    })
    .await
}

fn event(name: &str) -> Value {
    json!({"type": "ADDED", "object": {"metadata": {"name": name}}})
}
