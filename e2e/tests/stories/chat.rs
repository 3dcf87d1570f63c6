//! People talk to an agent in the cluster with the rights of their kubeconfig alone.

use std::io::{Seek, Write};
use std::process::Output;

use anyhow::{Context, Result};
use asyncai_e2e::cluster::program;
use asyncai_e2e::fleet::{self, asking};
use asyncai_e2e::model::Model;
use asyncai_e2e::story::{Story, story};
use asyncai_e2e::wait::within;

#[tokio::test]
async fn a_message_is_answered_through_the_api_server() -> Result<()> {
    story("chat", async |story| {
        let scenario = "rules: [{contains: how are you, code: print(6 * 7)}, {result: '42', reply: All is well.}]";
        let mut model = Model::start(story, scenario).await?;
        story.apply(&asking("alice")).await?;
        story.agent("alice", "Ready", "True").await?;
        story.pod_ready(&fleet::pod("alice")).await?;

        let output = chat(story, "alice", "how are you?\n").await?;
        let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && said.contains("All is well."), "{said}{wrong}");
        assert!(model.message().await?.contains("how are you?"));

        let output = chat(story, "alic", "hello\n").await?;
        let wrong = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && wrong.contains("alice"), "no hint at the right name: {wrong}");
        Ok(())
    })
    .await
}

/// `asyncai chat` with this on its standard input.
async fn chat(story: &Story, agent: &str, message: &str) -> Result<Output> {
    let mut input = tempfile::tempfile()?;
    input.write_all(message.as_bytes())?;
    input.rewind()?;
    let mut command = program("out/bin/asyncai");
    command.args(["chat", agent, "--namespace", &story.namespace]).stdin(input);
    within("the end of the chat", async { command.output().await.context("`make image` builds out/bin/asyncai") }).await
}
