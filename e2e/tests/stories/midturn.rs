//! A pod that is killed in the middle of a turn goes on with it: what was done is known, and not done again.

use anyhow::{Context, Result};
use asyncai_e2e::fleet::pod;
use asyncai_e2e::puppet::{NAME, Puppet};
use asyncai_e2e::story::story;
use asyncai_e2e::volume::Claim;
use asyncai_e2e::wait;
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams};
use serde_json::{Value, json};

/// Case C17.
#[tokio::test]
async fn a_pod_killed_between_a_call_and_its_reply_goes_on() -> Result<()> {
    story("midturn", async |story| {
        let claim = Claim::create(story, "alice").await?;
        let session = json!({"session": {"persistentVolumeClaim": {"claimName": claim.name}}});
        let mut puppet = Puppet::start(story, &session).await?;
        let told = puppet.run("print('before')").await?;
        assert!(told.contains("before"), "{told}");

        let call = "r = peer.memo_set(key='done', value='once')\nprint('did it')";
        let scenario = json!({"rules": [{"times": 1, "contains": "name=\"cue\"", "code": call},
            {"result": "did it", "gate": "never", "reply": "Too late."}]});
        puppet.model.script(&scenario.to_string()).await?;
        puppet.cue().await?;
        let held = puppet.model.until("did it").await?;
        assert!(held.result().is_some_and(|result| result.contains("did it")));
        puppet.model.script("rules: [{contains: watch-event, reply: It is done.}]").await?;

        let pods: Api<Pod> = story.api();
        let uid = pods.get(&pod(NAME)).await?.uid().context("the pod has no uid")?;
        let kill = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
        pods.delete(&pod(NAME), &kill).await?;
        wait::gone(&pods, &pod(NAME), &uid).await?;
        let mut log = story.agent_log(NAME).await?;

        let again = puppet.request().await?;
        let messages = again.body["messages"].as_array().context("no messages")?;
        assert_eq!(open_calls(messages), Vec::<&Value>::new(), "half a call in the thread");
        let text = again.body["messages"].to_string();
        assert!(text.contains("before"), "the conversation was lost: {text}");
        assert_eq!(text.matches("peer.memo_set").count(), 1, "the call is not known, or stands twice: {text}");
        assert_eq!(log.event("reply.published").await?["text"], "It is done.");
        let calls = puppet.peer.seen().await?.calls;
        assert_eq!(calls.len(), 1, "the tool was run again: {calls:?}");
        claim.delete(story).await
    })
    .await
}

/// The calls that have no result after them.
fn open_calls(messages: &[Value]) -> Vec<&Value> {
    let answered = |id: &Value| messages.iter().any(|message| message["tool_call_id"] == *id);
    let calls = messages.iter().flat_map(|message| message["tool_calls"].as_array().into_iter().flatten());
    calls.map(|call| &call["id"]).filter(|id| !answered(id)).collect()
}
