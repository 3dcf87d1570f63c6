//! From a write to the notice that is ready for the model, beside a raw watch, `kubectl get -w` and an
//! informer of client-go on the same object.

use std::collections::HashMap;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use asyncai_e2e::cluster::program;
use asyncai_e2e::fleet::pod;
use asyncai_e2e::log::Log;
use asyncai_e2e::story::{Story, version};
use asyncai_e2e::wait::within;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ListParams, Patch, PatchParams, WatchEvent, WatchParams};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use crate::setup::AGENT;
use crate::stats::{Ratio, median, quantile};
use crate::table::Row;

const NAME: &str = "measured";
const ROUNDS: usize = 5;
const WRITES: usize = 40;
const CLIENT_GO: &str = "out/bin/client-go is missing: `make bench` builds it";

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Observer {
    Raw,
    Kubectl,
    ClientGo,
    Notice,
}

/// How many there are.
const OBSERVERS: usize = 4;

struct Sighting {
    by: Observer,
    version: u64,
    at: SystemTime,
}

/// Milliseconds from a write to each sighting.
struct Sample {
    raw: f64,
    kubectl: f64,
    client_go: f64,
    notice: f64,
}

type Sightings = mpsc::UnboundedSender<Sighting>;

/// Writes a ConfigMap again and again; each write is seen by all before the next.
pub(crate) async fn rows(story: &Story) -> Result<Vec<Row>> {
    let (sender, mut sightings) = mpsc::unbounded_channel();
    let _observers = [
        AbortOnDropHandle::new(tokio::spawn(raw(story.api(), sender.clone()))),
        AbortOnDropHandle::new(tokio::spawn(kubectl(story.namespace.clone(), sender.clone()))),
        AbortOnDropHandle::new(tokio::spawn(client_go(story.namespace.clone(), sender.clone()))),
        AbortOnDropHandle::new(tokio::spawn(notices(Log::follow(&story.api(), &pod(AGENT)).await?, sender))),
    ];
    let mut rounds = Vec::new();
    for round in 0..=ROUNDS {
        let mut samples = Vec::new();
        for write in 0..WRITES {
            samples.push(sample(story, &format!("{round}-{write}"), &mut sightings).await?);
        }
        // The first round warms up, and waits for those who begin to watch late.
        if round > 0 {
            rounds.push(samples);
        }
    }
    let kubectl = total(&rounds, "kubectl get -w", |sample| sample.kubectl);
    let client_go = total(&rounds, "client-go informer", |sample| sample.client_go);
    Ok(vec![kubectl, client_go, own_cost(&rounds, 0.5, "<= 1 ms"), own_cost(&rounds, 0.99, "<= 5 ms")])
}

async fn sample(story: &Story, value: &str, sightings: &mut mpsc::UnboundedReceiver<Sighting>) -> Result<Sample> {
    let configmaps: Api<ConfigMap> = story.api();
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME}, "data": {"value": value}});
    let start = SystemTime::now();
    let written = configmaps.patch(NAME, &PatchParams::apply("bench"), &Patch::Apply(&object)).await?;
    let written = version(&written)?;
    let mut seen: HashMap<Observer, f64> = HashMap::new();
    within("all to see a write", async {
        while seen.len() < OBSERVERS {
            let sighting = sightings.recv().await.context("an observer has ended")?;
            if sighting.version == written {
                seen.insert(sighting.by, millis(start, sighting.at));
            }
        }
        Ok(())
    })
    .await?;
    let of = |observer| seen.get(&observer).copied().unwrap_or(f64::NAN);
    Ok(Sample {
        raw: of(Observer::Raw),
        kubectl: of(Observer::Kubectl),
        client_go: of(Observer::ClientGo),
        notice: of(Observer::Notice),
    })
}

fn total(rounds: &[Vec<Sample>], anchor: &str, figure: fn(&Sample) -> f64) -> Row {
    let pairs: Vec<_> =
        rounds.iter().map(|round| (at(round, 0.5, |sample| sample.notice), at(round, 0.5, figure))).collect();
    let (ours, theirs): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    Row {
        what: "write -> notice, p50".to_owned(),
        ours: format!("{:.2} ms", median(&ours)),
        anchor: format!("{anchor} {:.2} ms", median(&theirs)),
        ratio: Some(Ratio::of(&pairs)),
        target: "<= 1.0x",
    }
}

/// What the product adds to a raw watch of the same object. Both differences are near nothing: no ratio.
fn own_cost(rounds: &[Vec<Sample>], part: f64, target: &'static str) -> Row {
    let figure = |later: fn(&Sample) -> f64| {
        let rounds: Vec<f64> =
            rounds.iter().map(|round| at(round, part, |sample| later(sample) - sample.raw)).collect();
        format!("{:.2} ms ({:.2} to {:.2})", median(&rounds), quantile(&rounds, 0.0), quantile(&rounds, 1.0))
    };
    Row {
        what: format!("notice after a raw watch's event, p{:.0}", part * 100.0),
        ours: figure(|sample| sample.notice),
        anchor: format!("kubectl get -w {}", figure(|sample| sample.kubectl)),
        ratio: None,
        target,
    }
}

fn at(round: &[Sample], part: f64, figure: impl Fn(&Sample) -> f64) -> f64 {
    quantile(&round.iter().map(figure).collect::<Vec<_>>(), part)
}

async fn raw(configmaps: Api<ConfigMap>, sightings: Sightings) -> Result<()> {
    let list = configmaps.list_metadata(&ListParams::default()).await?;
    let start = list.metadata.resource_version.context("no version")?;
    let mut events = configmaps.watch(&WatchParams::default(), &start).await?.boxed();
    while let Some(event) = events.try_next().await? {
        let at = SystemTime::now();
        if let WatchEvent::Added(object) | WatchEvent::Modified(object) = event {
            sightings.send(Sighting { by: Observer::Raw, version: version(&object)?, at })?;
        }
    }
    bail!("the watch ended")
}

async fn kubectl(namespace: String, sightings: Sightings) -> Result<()> {
    let format = "jsonpath={.metadata.resourceVersion}{\"\\n\"}";
    let args = ["--namespace", &namespace, "get", "configmaps", "--watch", "-o", format];
    let mut child = program("kubectl").args(args).stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no stdout")?).lines();
    while let Some(line) = lines.next_line().await? {
        let at = SystemTime::now();
        if let Ok(version) = line.trim().parse() {
            sightings.send(Sighting { by: Observer::Kubectl, version, at })?;
        }
    }
    bail!("kubectl ended")
}

/// The program of `benches/client-go`, which says itself when its handler was called.
async fn client_go(namespace: String, sightings: Sightings) -> Result<()> {
    let mut child = program("out/bin/client-go").arg(namespace).stdout(Stdio::piped()).spawn().context(CLIENT_GO)?;
    let mut lines = BufReader::new(child.stdout.take().context("no stdout")?).lines();
    while let Some(line) = lines.next_line().await? {
        let (version, nanos) = line.split_once(' ').with_context(|| format!("client-go says {line:?}"))?;
        let at = SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos.parse()?);
        sightings.send(Sighting { by: Observer::ClientGo, version: version.parse()?, at })?;
    }
    bail!("client-go ended")
}

/// A notice is ready when the agent stamps its line; the way of that line here does not count.
async fn notices(mut log: Log, sightings: Sightings) -> Result<()> {
    loop {
        let notice = log.event("watch.notice").await?;
        let text = |key: &str| notice[key].as_str().with_context(|| format!("a notice without {key}: {notice}"));
        let version = told(text("id")?)?;
        let at = text("ts")?.parse::<jiff::Timestamp>().context("ts")?.into();
        sightings.send(Sighting { by: Observer::Notice, version, at })?;
    }
}

/// The newest version of a notice id, `<uid>/<epoch>/<from>-<to>`.
fn told(id: &str) -> Result<u64> {
    let (_, to) = id.rsplit_once('-').with_context(|| format!("the notice id {id} names no events"))?;
    to.parse().with_context(|| format!("the notice id {id} names no events"))
}

fn millis(from: SystemTime, to: SystemTime) -> f64 {
    match to.duration_since(from) {
        Ok(after) => after.as_secs_f64() * 1e3,
        Err(before) => before.duration().as_secs_f64() * -1e3,
    }
}
