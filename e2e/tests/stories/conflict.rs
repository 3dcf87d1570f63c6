//! A spec that is applied each second while events pour in, then a rollout: nobody is in anybody's way.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use asyncai_crds::{Agent, Watch};
use asyncai_e2e::chart;
use asyncai_e2e::fleet::{self, configmaps, pod, relay};
use asyncai_e2e::story::{Story, story};
use asyncai_e2e::wait;
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{Api, Patch, PatchParams};
use kube::runtime::watcher;
use kube::runtime::watcher::{Config, Event};
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

const SECONDS: u64 = 10;
const EVENTS_A_SECOND: u64 = 50;

/// Case C7.
#[tokio::test]
async fn applies_events_and_a_rollout_do_not_meet() -> Result<()> {
    story("conflict", async |story| {
        let watch =
            fleet::watch("cm", "alice", &configmaps(&story.namespace), "debounceSeconds: 1, maxNoticesPerHour: 3600");
        story.apply(&[relay("alice"), watch.clone()].join("---\n")).await?;
        story.watch("cm", "Ready", "True").await?;
        let seen = Arc::new(Mutex::new(Seen::default()));
        let _witnesses = [
            AbortOnDropHandle::new(tokio::spawn(watch_watch(story.api(), Arc::clone(&seen)))),
            AbortOnDropHandle::new(tokio::spawn(watch_pods(story.api(), Arc::clone(&seen)))),
        ];
        tokio::try_join!(apply_each_second(story, &watch), write_all(story))?;
        // What was told before the pod goes, whose log goes with it.
        let mut told = story.events("alice", "watch.notice").await?;
        roll_out(story).await?;
        story.write("after", "a", "1").await?;
        let mut log = story.agent_log("alice").await?;
        log.find("what came after", |line| line["lines"].to_string().contains("/after")).await?;
        told.extend(story.events("alice", "watch.notice").await?);

        let all = SECONDS * EVENTS_A_SECOND + 1;
        wait::until(&story.api::<Watch>(), "cm", "all events to be counted", |watch| {
            watch.status.as_ref().and_then(|status| status.counts).is_some_and(|counts| counts.events >= all)
        })
        .await?;
        once(&told, all)?;
        let seen = std::mem::take(&mut *seen.lock().map_err(|_| anyhow!("a witness failed"))?);
        check(&seen);
        rewind_is_refused(story).await?;
        no_conflict_is_logged(story).await
    })
    .await
}

/// What the witnesses have seen.
#[derive(Default)]
struct Seen {
    cursors: Vec<u64>,
    conditions: BTreeSet<String>,
    lost: Vec<String>,
    running: BTreeSet<String>,
    beside: Vec<String>,
}

async fn watch_watch(watches: Api<Watch>, seen: Arc<Mutex<Seen>>) -> Result<()> {
    let mut versions = watcher(watches, Config::default()).boxed();
    while let Some(event) = versions.try_next().await? {
        let (Event::Apply(watch) | Event::InitApply(watch)) = event else { continue };
        let status = watch.status.unwrap_or_default();
        let Ok(mut seen) = seen.lock() else { break };
        seen.cursors.extend(status.cursor.map(|cursor| cursor.seq));
        let now: BTreeSet<String> = status.conditions.into_iter().map(|condition| condition.type_).collect();
        let lost: Vec<String> = seen.conditions.difference(&now).cloned().collect();
        seen.lost.extend(lost);
        let lasting = ["Accepted", "Subscribed", "Ready", "ResolvedRefs"];
        seen.conditions.extend(now.into_iter().filter(|type_| lasting.contains(&type_.as_str())));
    }
    Ok(())
}

async fn watch_pods(pods: Api<Pod>, seen: Arc<Mutex<Seen>>) -> Result<()> {
    let mut versions = watcher(pods, Config::default()).boxed();
    while let Some(event) = versions.try_next().await? {
        let Ok(mut seen) = seen.lock() else { break };
        match event {
            Event::Apply(pod) | Event::InitApply(pod) => {
                seen.running.insert(pod.uid().unwrap_or_default());
            }
            Event::Delete(pod) => drop(seen.running.remove(&pod.uid().unwrap_or_default())),
            Event::Init | Event::InitDone => {}
        }
        if seen.running.len() > 1 {
            let beside = format!("{:?}", seen.running);
            seen.beside.push(beside);
        }
    }
    Ok(())
}

async fn apply_each_second(story: &Story, watch: &str) -> Result<()> {
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    for second in 0..SECONDS {
        seconds.tick().await;
        let spec = json!({"instructions": format!("Second {second}.")});
        let args = ["--namespace", &story.namespace, "apply", "--server-side", "--force-conflicts", "-f", "-"];
        story.cluster.kubectl_reading(&fleet::with(watch, &spec)?, &args).await?;
    }
    Ok(())
}

async fn write_all(story: &Story) -> Result<()> {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    for second in 0..SECONDS {
        ticks.tick().await;
        let writes =
            (0..EVENTS_A_SECOND).map(async |number| story.write(&format!("cm-{second}-{number}"), "a", "1").await);
        stream::iter(writes).buffer_unordered(10).try_for_each(|_| async { Ok(()) }).await?;
    }
    Ok(())
}

async fn roll_out(story: &Story) -> Result<()> {
    let pods: Api<Pod> = story.api();
    let uid = pods.get(&pod("alice")).await?.uid().context("the pod has no uid")?;
    let env = json!({"spec": {"pod": {"env": [{"name": "ROLLED", "value": "out"}]}}});
    story.api::<Agent>().patch("alice", &PatchParams::default(), &Patch::Merge(env)).await?;
    wait::gone(&pods, &pod("alice"), &uid).await?;
    story.pod_ready(&pod("alice")).await?;
    Ok(())
}

/// Each event is told by one notice: their ranges do not meet, and their lines are as many as the events.
fn once(told: &[Value], all: u64) -> Result<()> {
    let mut ranges = Vec::new();
    let mut lines = 0;
    for notice in told {
        let id = notice["id"].as_str().context("a notice without id")?;
        let range = id.rsplit('/').next().and_then(|range| range.split_once('-')).context("no range")?;
        ranges.push((range.0.parse::<u64>()?, range.1.parse::<u64>()?));
        let shown = u64::try_from(notice["lines"].as_array().map_or(0, Vec::len))?;
        lines += shown + notice["more"].as_u64().unwrap_or_default();
    }
    assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0), "told twice: {ranges:?}");
    assert_eq!(lines, all, "{ranges:?}");
    Ok(())
}

fn check(seen: &Seen) {
    assert!(seen.cursors.is_sorted(), "the cursor went back: {:?}", seen.cursors);
    assert!(seen.cursors.len() > 1, "the cursor did not move");
    assert!(seen.lost.is_empty(), "conditions were lost: {:?}", seen.lost);
    assert!(seen.beside.is_empty(), "two pods at a time: {:?}", seen.beside);
}

async fn rewind_is_refused(story: &Story) -> Result<()> {
    let watches = story.api::<Watch>();
    let status = watches.get("cm").await?.status.and_then(|status| status.cursor).context("no cursor")?;
    let back = json!({"status": {"cursor": {"epoch": status.epoch, "seq": status.seq - 1}}});
    let refused = watches.patch_status("cm", &PatchParams::default(), &Patch::Merge(back)).await;
    let error = refused.err().context("a cursor was put back")?.to_string();
    assert!(error.contains("seq must not go back within an epoch"), "{error}");
    Ok(())
}

async fn no_conflict_is_logged(story: &Story) -> Result<()> {
    let operator = ["-n", chart::NAMESPACE, "logs", "-l", chart::OPERATOR_PODS, "--tail=-1"];
    let logs = [story.cluster.kubectl(&operator).await?, story.kubectl(&["logs", &pod("alice")]).await?];
    for log in logs {
        // In the words of the API server, which a name or a time cannot hold.
        let is_conflict = |line: &str| line.contains("object has been modified") || line.contains("conflict with");
        let ours = |line: &&str| line.contains(&story.namespace) && is_conflict(line);
        let wrong: Vec<&str> = log.lines().filter(ours).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
    Ok(())
}
