//! A cluster that has forgotten what a watch has not seen yet: at the very edge nothing is lost, beyond it that is said.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use asyncai_crds::Watch;
use asyncai_e2e::cluster::{Cluster, program};
use asyncai_e2e::fleet::{self, asking, configmaps};
use asyncai_e2e::model::{Model, notices};
use asyncai_e2e::story::{Story, exclusive, version};
use k8s_openapi::api::core::v1::Namespace;
use kube::ResourceExt;
use kube::api::{Api, Patch, PatchParams};
use serde_json::json;

/// Case C19.
#[tokio::test]
async fn what_the_cluster_has_forgotten_is_a_gap_and_no_loop() -> Result<()> {
    exclusive("compaction", async |story, _| {
        if std::env::var_os("ASYNCAI_STATE").is_none() {
            eprintln!("left out: only the embedded cluster lets its history be compacted");
            return Ok(());
        }
        told(story, "a").await?;
        for value in ["1", "2", "3"] {
            story.write("untold", "a", value).await?;
        }
        let edge = story.write("untold", "a", "4").await?;
        told(story, "b").await?;
        told(story, "c").await?;
        run("e2e/cluster/compact.sh", &edge.to_string()).await?;
        // An API server that has run on may still know the past.
        run("e2e/cluster/restart-apiserver.sh", "TERM").await?;

        let mut model = Model::start(story, "{}").await?;
        let cursors = [("exactly", edge), ("one", edge - 1), ("two", edge - 2), ("future", edge + 1_000_000)];
        let epoch = epoch(&story.cluster).await?;
        for (name, seq) in cursors {
            resume_from(story, name, &epoch, seq).await?;
        }
        let limits = json!({"limits": {"maxTurnsPerHour": 20}});
        story.apply(&fleet::with(&asking("alice"), &limits)?).await?;
        for (name, _) in cursors {
            story.watch(name, "Ready", "True").await?;
        }
        told(story, "last").await?;
        let mut log = story.agent_log("alice").await?;
        let mut last = 0;
        while last < cursors.len() {
            let notice = log.event("watch.notice").await?;
            last += usize::from(notice["lines"].to_string().contains("/last"));
        }
        let mut lines: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let requests = model.until("/last").await.map(|_| model.requests())?.await?;
        for notice in requests.last().map(notices).unwrap_or_default() {
            lines.entry(notice.watch).or_default().extend(notice.lines);
        }
        let object = |line: &str| line.replace("NS", &story.namespace);
        assert_eq!(lines["exactly"], ["ADDED NS/b", "ADDED NS/c", "ADDED NS/last"].map(object));
        for name in ["one", "two", "future"] {
            let gaps = lines[name].iter().filter(|line| line.starts_with("GAP")).count();
            assert_eq!(gaps, 1, "{name}: {lines:?}");
        }
        for name in ["one", "two"] {
            let names = |what: &str| lines[name].iter().filter(|line| line.ends_with(&object(what))).count();
            assert_eq!((names("NS/a"), names("NS/b"), names("NS/c")), (0, 1, 1), "{name}: {lines:?}");
        }
        assert!(lines["future"].len() <= 6, "an endless loop: {lines:?}");
        Ok(())
    })
    .await
}

/// A ConfigMap of which the watches tell.
async fn told(story: &Story, name: &str) -> Result<u64> {
    let metadata = json!({"name": name, "labels": {"told": "yes"}});
    let applied =
        story.apply(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}).to_string()).await?;
    version(applied.first().context("nothing was applied")?)
}

/// A Watch whose agent has come so far and no further.
async fn resume_from(story: &Story, name: &str, epoch: &str, seq: u64) -> Result<()> {
    let uri = format!("{}&labelSelector=told=yes", configmaps(&story.namespace));
    story.apply(&fleet::watch(name, "alice", &uri, "debounceSeconds: 1")).await?;
    let status =
        json!({"status": {"uri": uri, "server": "kcp", "shape": "EventLog", "cursor": {"epoch": epoch, "seq": seq}}});
    story.api::<Watch>().patch_status(name, &PatchParams::default(), &Patch::Merge(status)).await?;
    Ok(())
}

async fn epoch(cluster: &Cluster) -> Result<String> {
    let namespaces: Api<Namespace> = Api::all(cluster.client.clone());
    namespaces.get("kube-system").await?.uid().context("kube-system has no uid")
}

async fn run(script: &str, argument: &str) -> Result<()> {
    let output = program(script).arg(argument).output().await?;
    anyhow::ensure!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
