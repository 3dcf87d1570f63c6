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

use crate::setup::AGENT;
use crate::stats::Ratio;
use crate::table::Row;

/// In MB.
struct Memory {
    resident: f64,
    anonymous: f64,
}

/// Measures the processes, which must be this machine's.
pub(crate) async fn rows(story: &Story) -> Result<Vec<Row>> {
    let agent = story.api::<Pod>().get(&pod(AGENT)).await?;
    let operators: Api<Pod> = Api::namespaced(story.cluster.client.clone(), chart::NAMESPACE);
    let operator = operators.list(&ListParams::default().labels(chart::OPERATOR_PODS)).await?.items.into_iter().next();
    let operator = operator.context("there is no operator")?;
    let kubectl = kubectl(&story.namespace).await?;
    let mut rows = Vec::new();
    for (what, pod, program) in [("agent, 5 watches", agent, "/asyncai"), ("operator", operator, "/asyncai-operator")] {
        let Some(memory) = process(&pod.uid().unwrap_or_default(), program) else {
            eprintln!("{program} does not run on this machine: its memory is not measured");
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

/// The process of `program` in the pod with this uid.
fn process(uid: &str, program: &str) -> Option<Memory> {
    let processes = fs::read_dir("/proc").ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let mut found = processes.filter(|path| {
        let read = |file: &str| fs::read(path.join(file)).unwrap_or_default();
        let (cgroup, command) = (String::from_utf8_lossy(&read("cgroup")).replace('_', "-"), read("cmdline"));
        cgroup.contains(uid) && command.split(|byte| *byte == 0).next() == Some(program.as_bytes())
    });
    memory(&found.next()?)
}

fn memory(process: &Path) -> Option<Memory> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    let figure = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim_start_matches(':').split_whitespace().next()?.parse::<f64>().ok().map(|kib| kib * 1024.0 / 1e6)
    };
    Some(Memory { resident: figure("VmRSS")?, anonymous: figure("RssAnon")? })
}
