//! What happens while an agent's pod is away is one notice for each watch, with not a word of what was there before.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use asyncai_e2e::fleet::{self, asking, configmaps, pod};
use asyncai_e2e::model::{Model, notices};
use asyncai_e2e::peer::Peer;
use asyncai_e2e::story::story;
use asyncai_e2e::wait;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::ResourceExt;
use kube::api::{Api, DeleteParams};
use serde_json::json;

/// Case C1.
#[tokio::test]
async fn what_was_missed_is_one_notice_of_each_watch() -> Result<()> {
    story("away", async |story| {
        let (mut model, peer) = tokio::try_join!(Model::start(story, "{}"), Peer::start(story))?;
        for name in ["b", "c", "still"] {
            story.write(name, "size", "1").await?;
            peer.set(name, json!(1)).await?;
        }
        let servers = json!([{"name": "kcp", "kcp": {}}, {"name": "peer", "http": {"url": "http://peer:8000/mcp"}}]);
        let agent = fleet::with(&asking("alice"), &json!({"mcpServers": servers}))?;
        let cm = fleet::watch("cm", "alice", &configmaps(&story.namespace), "");
        let notes = fleet::watch("notes", "alice", "memo://notes", "");
        story.apply(&[agent, cm, notes].join("\n---\n")).await?;
        story.watch("cm", "Ready", "True").await?;
        story.watch("notes", "Ready", "True").await?;

        let log = story.agent_log("alice").await?;
        let pods: Api<Pod> = story.api();
        let uid = pods.get(&pod("alice")).await?.uid().context("the pod has no uid")?;
        pods.delete(&pod("alice"), &DeleteParams::default()).await?;
        log.ended().await?;
        for (name, value) in [("a", json!(1)), ("b", json!(2)), ("b", json!(3)), ("c", json!(null))] {
            peer.set(name, value.clone()).await?;
            match value.as_u64() {
                Some(size) => drop(story.write(name, "size", &size.to_string()).await?),
                None => story.delete::<ConfigMap>(name).await?,
            }
        }
        wait::gone(&pods, &pod("alice"), &uid).await?;
        let mut log = story.agent_log("alice").await?;
        for _ in ["cm", "notes"] {
            log.event("watch.notice").await?;
        }

        // Whatever else was to be told would be told before this.
        story.write("last", "size", "1").await?;
        peer.set("last", json!(1)).await?;
        for _ in ["cm", "notes"] {
            log.event("watch.notice").await?;
        }
        model.until("/last").await?;
        let mut told: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
        for notice in model.requests().await?.last().map(notices).unwrap_or_default() {
            told.entry(notice.watch).or_default().push(notice.lines);
        }
        let object = |line: &str| line.replace("NS", &story.namespace);
        let missed = ["ADDED NS/a", "MODIFIED NS/b (data.size: 1→2)", "MODIFIED NS/b (data.size: 2→3)", "DELETED NS/c"];
        assert_eq!(told["cm"][0], missed.map(object));
        assert_eq!(told["cm"][1..], [vec![object("ADDED NS/last")]]);
        assert_eq!(told["notes"][0], ["CHANGED a", "CHANGED b", "CHANGED c"]);
        assert!(told["notes"][1..].iter().all(|lines| *lines == ["ADDED last"]), "{told:?}");
        assert_eq!(story.events("alice", "watch.notice").await?.len(), 4);
        Ok(())
    })
    .await
}
