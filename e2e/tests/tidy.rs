//! The rules of the tree that no compiler checks: who may import whom, and how files look.
#![expect(clippy::unwrap_used, reason = "a tree that cannot be read fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Which of our crates each crate may use. Engines stand alone; adapters know neither engines nor each other; only
/// the agent's own crate joins them. In tests and benchmarks more is allowed, see `DEV_IMPORTS`.
const IMPORTS: &[(&str, &[&str])] = &[
    ("asyncai-crds", &[]),
    ("asyncai-eventlog", &[]),
    ("asyncai-orchestrator", &[]),
    ("asyncai-watch", &["asyncai-eventlog"]),
    ("asyncai-mcp", &["asyncai-eventlog"]),
    ("asyncai-model", &[]),
    ("asyncai-repl", &[]),
    ("asyncai-servers", &["asyncai-eventlog"]),
    (
        "asyncai-agent",
        &[
            "asyncai-crds",
            "asyncai-eventlog",
            "asyncai-mcp",
            "asyncai-model",
            "asyncai-orchestrator",
            "asyncai-repl",
            "asyncai-servers",
            "asyncai-watch",
        ],
    ),
    ("asyncai-operator", &["asyncai-crds"]),
    ("asyncai-e2e", &["asyncai-crds"]),
];

/// What tests and benchmarks may use besides.
const DEV_IMPORTS: &[(&str, &[&str])] = &[
    // The day of the whole agent joins both engines.
    ("asyncai-orchestrator", &["asyncai-eventlog", "asyncai-watch"]),
    ("asyncai-servers", &["asyncai-mcp"]),
    ("asyncai-e2e", &["asyncai-eventlog", "asyncai-mcp", "asyncai-model", "asyncai-servers"]),
];

/// Foreign crates that only some of ours may know.
const CONFINED: &[(&str, &[&str])] = &[
    ("rmcp", &["asyncai-mcp", "asyncai-servers"]),
    ("async-openai", &["asyncai-model"]),
    ("monty", &["asyncai-repl"]),
    ("monty-types", &["asyncai-repl"]),
    ("kube", &["asyncai-crds", "asyncai-operator", "asyncai-agent", "asyncai-servers", "asyncai-e2e"]),
    (
        "tokio",
        &[
            "asyncai-mcp",
            "asyncai-model",
            "asyncai-repl",
            "asyncai-servers",
            "asyncai-agent",
            "asyncai-operator",
            "asyncai-e2e",
        ],
    ),
];

/// Longest file without its tests, in lines.
const LONGEST: usize = 400;

#[test]
fn each_crate_imports_only_what_it_may() {
    let mut wrong = Vec::new();
    for package in &packages() {
        let name = text(&package["name"]);
        let allowed = |table: &[(&str, &[&'static str])]| -> BTreeSet<&str> {
            table.iter().filter(|(of, _)| *of == name).flat_map(|(_, imports)| imports.iter().copied()).collect()
        };
        assert!(IMPORTS.iter().any(|(of, _)| *of == name), "{name} is a new crate: say in IMPORTS what it may use");
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let (other, dev) = (text(&dependency["name"]), dependency["kind"] == "dev");
            let ours = dependency["path"].is_string();
            if ours && !allowed(IMPORTS).contains(other) && !(dev && allowed(DEV_IMPORTS).contains(other)) {
                wrong.push(format!("{name} must not use {other}"));
            }
            if let Some((_, users)) = CONFINED.iter().find(|(confined, _)| *confined == other)
                && !dev
                && !users.contains(&name)
            {
                wrong.push(format!("{name} must not use {other}: only {} may", users.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The custom resources are types: whoever uses them brings their own client.
#[test]
fn the_custom_resources_bring_no_client() {
    for package in packages().iter().filter(|package| package["name"] == "asyncai-crds") {
        for kube in package["dependencies"].as_array().into_iter().flatten().filter(|found| found["name"] == "kube") {
            let features: Vec<&str> = kube["features"].as_array().into_iter().flatten().map(text).collect();
            assert!(
                !features.contains(&"client") && !features.contains(&"runtime"),
                "asyncai-crds has kube {features:?}"
            );
        }
    }
}

/// The agent's decisions know nothing of Kubernetes.
#[test]
fn only_the_store_of_the_agent_speaks_to_kubernetes() {
    let agent = root().join("agent/src");
    let stores = [agent.join("store"), agent.join("store.rs")];
    let wrong: Vec<_> = sources(&agent)
        .into_iter()
        .filter(|(path, text)| !stores.iter().any(|store| path.starts_with(store)) && text.contains("kube::Client"))
        .map(|(path, _)| path)
        .collect();
    assert!(wrong.is_empty(), "kube::Client is for agent/src/store alone: {wrong:?}");
}

#[test]
fn each_file_says_in_its_first_line_what_it_is_for() {
    let wrong: Vec<_> =
        all_sources().into_iter().filter(|(_, text)| !text.starts_with("//! ")).map(|(path, _)| path).collect();
    assert!(wrong.is_empty(), "no `//! …` in the first line of {wrong:?}");
}

#[test]
fn a_module_lies_beside_its_folder() {
    let wrong: Vec<_> = all_sources().into_keys().filter(|path| path.ends_with("mod.rs")).collect();
    assert!(wrong.is_empty(), "foo.rs beside foo/, not {wrong:?}");
}

#[test]
fn files_are_short() {
    let wrong: Vec<_> = all_sources()
        .into_iter()
        .map(|(path, text)| (text.lines().count(), path))
        .filter(|(lines, path)| *lines > LONGEST && !is_test(path))
        .collect();
    assert!(wrong.is_empty(), "more than {LONGEST} lines: {wrong:?}");
}

/// A sleep is either too short for a loaded machine or a waste of everybody's time; virtual time has neither fault.
#[test]
fn no_test_sleeps() {
    let needle = concat!("sle", "ep(");
    let wrong: Vec<_> = all_sources()
        .into_iter()
        .filter(|(path, _)| is_test(path) || path.starts_with(root().join("e2e/src")))
        .filter(|(_, text)| text.contains(needle) && !text.contains("start_paused = true"))
        .map(|(path, _)| path)
        .collect();
    assert!(wrong.is_empty(), "await a signal with a timeout, do not sleep: {wrong:?}");
}

fn is_test(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn packages() -> Vec<Value> {
    let cargo = std::env::var_os("CARGO").unwrap();
    let args = ["metadata", "--format-version=1", "--no-deps", "--offline"];
    let output = Command::new(cargo).args(args).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn all_sources() -> BTreeMap<PathBuf, String> {
    let files: BTreeMap<_, _> =
        ["agent", "crds", "e2e", "operator"].iter().flat_map(|part| sources(&root().join(part))).collect();
    assert!(files.len() > 50, "the walk found only {} files", files.len());
    files
}

/// The Rust files under a folder, with their text.
fn sources(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            if entry.file_name() != "target" {
                files.extend(sources(&path));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            files.insert(path, text);
        }
    }
    files
}
