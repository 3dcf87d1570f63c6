//! Memory of the agent and the operator, beside the `kubectl get -w` that one watch would else cost.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result};
use asyncai_e2e::chart;
use asyncai_e2e::cluster::program;
use asyncai_e2e::fleet::pod;
use asyncai_e2e::story::Story;
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{Api, ListParams};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::setup::{AGENT, FILTERED};
use crate::stats::Ratio;
use crate::table::Row;

/// In MB.
struct Memory {
    resident: f64,
    anonymous: f64,
}

/// Measures the processes, which must be this machine's.
pub(crate) async fn rows(story: &Story) -> Result<Vec<Row>> {
    let pods: Api<Pod> = story.api();
    let (agent, filtered) = (pods.get(&pod(AGENT)).await?, pods.get(&pod(FILTERED)).await?);
    let operators: Api<Pod> = Api::namespaced(story.cluster.client.clone(), chart::NAMESPACE);
    let operator = operators.list(&ListParams::default().labels(chart::OPERATOR_PODS)).await?.items.into_iter().next();
    let operator = operator.context("there is no operator")?;
    let kubectl = kubectl(&story.namespace).await?;
    let mut rows = Vec::new();
    for (what, pod, pick) in [
        ("agent, 5 watches", agent, first as Pick),
        ("agent, 5 watches with filters, itself", filtered.clone(), first),
        ("the same, with its 5 Python workers", filtered, sum),
        ("operator", operator, first),
    ] {
        let Some(memory) = pick(processes(&pod.uid().unwrap_or_default())) else {
            eprintln!("{what} does not run on this machine: its memory is not measured");
            continue;
        };
        rows.push(Row {
            what: format!("{what}: RSS (anonymous), ratio of the latter"),
            ours: format!("{:.1} ({:.1}) MB", memory.resident, memory.anonymous),
            anchor: format!("kubectl get -w {:.1} ({:.1}) MB", kubectl.resident, kubectl.anonymous),
            // What is not anonymous is mostly the program file, and kubectl may be a part of a larger one.
            ratio: Some(Ratio::once(memory.anonymous, kubectl.anonymous)),
            target: "RSS <= 22 MB (0.25x codex)",
        });
    }
    Ok(rows)
}

async fn kubectl(namespace: &str) -> Result<Memory> {
    let args = ["--namespace", namespace, "get", "configmaps", "--watch", "-o", "name"];
    let mut child = program("kubectl").args(args).stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no stdout")?).lines();
    lines.next_line().await?; // it watches now
    let pid = child.id().context("kubectl has ended")?;
    memory(&Path::new("/proc").join(pid.to_string())).context("kubectl's memory cannot be read")
}

type Pick = fn(Vec<Memory>) -> Option<Memory>;

/// The program that the pod is for.
fn first(processes: Vec<Memory>) -> Option<Memory> {
    processes.into_iter().next()
}

/// All that runs in the pod.
fn sum(processes: Vec<Memory>) -> Option<Memory> {
    let add = |a: Memory, b: Memory| Memory { resident: a.resident + b.resident, anonymous: a.anonymous + b.anonymous };
    processes.into_iter().reduce(add)
}

/// The processes in the pod with this uid, oldest first, but for the one that holds its namespaces.
fn processes(uid: &str) -> Vec<Memory> {
    let pids = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let mut pids: Vec<u32> = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    pids.sort_unstable();
    let paths = pids.into_iter().map(|pid| Path::new("/proc").join(pid.to_string()));
    let ours = paths.filter(|path| {
        let read = |file: &str| fs::read(path.join(file)).unwrap_or_default();
        let (cgroup, name) = (String::from_utf8_lossy(&read("cgroup")).replace('_', "-"), read("comm"));
        cgroup.contains(uid) && name != b"pause\n"
    });
    ours.filter_map(|path| memory(&path)).collect()
}

fn memory(process: &Path) -> Option<Memory> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    let figure = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim_start_matches(':').split_whitespace().next()?.parse::<f64>().ok().map(|kib| kib * 1024.0 / 1e6)
    };
    Some(Memory { resident: figure("VmRSS")?, anonymous: figure("RssAnon")? })
}
