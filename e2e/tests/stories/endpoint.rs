//! A model endpoint on a bad day: busy, overloaded, cut short, and with too small a window.

use anyhow::{Context, Result};
use asyncai_e2e::puppet::{NAME, Puppet};
use asyncai_e2e::scripted_model::Recorded;
use asyncai_e2e::story::story;
use serde_json::json;

/// Case C14.
#[tokio::test]
async fn a_model_on_a_bad_day_is_borne_with() -> Result<()> {
    story("endpoint", async |story| {
        let mut puppet = Puppet::start(story, &json!({})).await?;
        let mut log = story.agent_log(NAME).await?;
        // Something to be left out later.
        puppet.run(&format!("print('{}')", "x".repeat(3000))).await?;
        log.event("watch.notice").await?;

        let scenario = json!({"rules": [
            {"times": 1, "status": 429, "headers": {"retry-after": "7"}, "body": "slow down"},
            {"times": 1, "status": 529, "body": "{\"error\": {\"message\": \"overloaded\"}}"},
            {"times": 1, "reply": {"text": "The report begins", "finish": "length"}},
        ]});
        puppet.model.script(&scenario.to_string()).await?;
        puppet.cue().await?;
        let busy = puppet.request().await?;
        let overloaded = puppet.request().await?;
        let cut = puppet.request().await?;
        let waited = overloaded.at.duration_since(busy.at).as_secs();
        assert!((7..15).contains(&waited), "told to wait 7 s, waited {waited} s");
        assert_eq!(busy.body["messages"], cut.body["messages"], "it asked something else");
        let reply = log.event("reply.published").await?["text"].clone();
        let reply = reply.as_str().context("no text")?;
        assert!(reply.starts_with("The report begins") && reply.contains("cut"), "not said that it is cut: {reply}");

        let too_long = json!({"error": {"code": "context_length_exceeded", "type": "invalid_request_error",
            "message": "This model's maximum context length is 4096 tokens."}});
        let scenario = json!({"rules": [
            {"times": 1, "status": 400, "body": too_long.to_string()},
            {"times": 1, "reply": "Went on."},
        ]});
        puppet.model.script(&scenario.to_string()).await?;
        puppet.cue().await?;
        let (refused, shorter) = (puppet.request().await?, puppet.request().await?);
        assert!(size(&shorter) < size(&refused), "{} bytes after {}", size(&shorter), size(&refused));
        let question = |request: &Recorded| request.messages().last().map(|(_, content)| (*content).to_owned());
        assert_eq!(question(&shorter), question(&refused), "the question itself was left out");
        paired(&shorter)?;
        assert_eq!(log.event("reply.published").await?["text"], "Went on.");
        Ok(())
    })
    .await
}

fn size(request: &Recorded) -> usize {
    request.body["messages"].to_string().len()
}

/// Each result stands after its call.
fn paired(request: &Recorded) -> Result<()> {
    let mut open = Vec::new();
    for message in request.body["messages"].as_array().context("no messages")? {
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        open.extend(calls.map(|call| call["id"].clone()));
        if message["role"] == "tool" {
            let place =
                open.iter().position(|id| *id == message["tool_call_id"]).context("a result without its call")?;
            open.remove(place);
        }
    }
    assert!(open.is_empty(), "calls without results: {open:?}");
    Ok(())
}
