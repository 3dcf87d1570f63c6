//! The protocol's own conformance suite against our server.

use tokio::process::Command;

use crate::http::spawn;
use crate::interop::peers;
use crate::support::{program, within};

/// The scenarios of 2026-07-28 that need nothing but a server, rather than one with tools made for the suite.
const SCENARIOS: [&str; 4] =
    ["server-stateless", "http-header-validation", "dns-rebinding-protection", "sep-2164-resource-not-found"];

#[tokio::test]
async fn our_server_conforms() {
    let Some(peers) = peers() else { return };
    let folder = peers.join("typescript");
    let (_server, url) = spawn(Command::new(program()).args(["--http", "0"])).await;
    let runs = SCENARIOS.map(|scenario| {
        let mut suite = Command::new(folder.join("node"));
        suite.arg(folder.join("node_modules/.bin/conformance")).kill_on_drop(true);
        suite.args(["server", "--url", &url, "--scenario", scenario, "--spec-version", "2026-07-28"]);
        async move { (scenario, within(scenario, suite.output()).await.expect("the suite")) }
    });
    for (scenario, output) in futures::future::join_all(runs).await {
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{scenario}: {said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains("Passed"), "{scenario}: {said}");
    }
}
