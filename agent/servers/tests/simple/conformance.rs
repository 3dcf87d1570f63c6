//! The protocol's own conformance suite against our server.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tokio::process::Command;

use crate::http::spawn;
use crate::interop::peers;
use crate::support::{program, within};

/// The scenarios that need nothing but a server; the others need tools, prompts and resources made for the suite.
const SCENARIOS: [&str; 7] = [
    "server-stateless",
    "server-sse-multiple-streams",
    "http-header-validation",
    "dns-rebinding-protection",
    "sep-2164-resource-not-found",
    "tools-list",
    "resources-list",
];

#[tokio::test]
async fn our_server_conforms() {
    let Some(peers) = peers() else { return };
    let folder = peers.join("typescript");
    let (_server, url) = spawn(Command::new(program()).args(["--http", "0"])).await;
    let results = tempfile::tempdir().expect("a folder");
    let mut suite = Command::new(folder.join("node"));
    suite.arg(folder.join("node_modules/.bin/conformance")).kill_on_drop(true);
    // One run of everything costs less than one run for each scenario.
    suite.args(["server", "--url", &url, "--suite", "all", "--spec-version", "2026-07-28", "--output-dir"]);
    let output = within("the suite", suite.arg(results.path()).output()).await.expect("the suite");
    let said = String::from_utf8_lossy(&output.stdout);
    for scenario in SCENARIOS {
        let checks = checks(results.path(), scenario).unwrap_or_else(|| panic!("{scenario} was not run: {said}"));
        assert!(checks.iter().any(|check| check["status"] == "SUCCESS"), "{scenario}: {checks:#?}");
        for check in checks.iter().filter(|check| check["status"] == "FAILURE") {
            // What the suite has no tool for is a failure to it.
            let error = check["errorMessage"].as_str().unwrap_or_default();
            assert!(error.starts_with("Not testable: "), "{scenario}: {check:#}");
        }
    }
}

/// The results of a scenario, from the folder that bears its name and the time.
fn checks(results: &Path, scenario: &str) -> Option<Vec<Value>> {
    let prefix = format!("server-{scenario}-2");
    let folders = fs::read_dir(results).ok()?.filter_map(Result::ok);
    let folder = folders
        .map(|entry| entry.path())
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)))?;
    serde_json::from_slice(&fs::read(folder.join("checks.json")).ok()?).ok()
}
