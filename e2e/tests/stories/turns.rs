//! What comes during a turn makes one more turn, however much it is; and what one turn has defined the next can use.

use anyhow::Result;
use asyncai_e2e::puppet::{NAME, Puppet};
use asyncai_e2e::story::story;
use serde_json::json;

#[tokio::test]
async fn two_writes_during_a_turn_are_one_notice_and_one_turn() -> Result<()> {
    story("turns", async |story| {
        let mut puppet = Puppet::start(story, &json!({})).await?;
        let notes = asyncai_e2e::fleet::watch("notes", NAME, "memo://notes", "debounceSeconds: 2");
        story.apply(&notes).await?;
        story.watch("notes", "Ready", "True").await?;
        story.delete::<asyncai_crds::Watch>("cue").await?;
        puppet.model.script("rules: [{times: 1, gate: turn, reply: NO_REPLY}]").await?;
        puppet.peer.set("todo", json!("milk")).await?;
        let first = puppet.model.message().await?;
        assert!(first.contains(">\nADDED todo\n</watch-event>"), "{first}");
        let mut log = story.agent_log(NAME).await?;
        log.event("watch.notice").await?;

        puppet.peer.set("owner", json!("bob")).await?;
        puppet.peer.set("todo", json!("bread")).await?;
        log.event("watch.notice").await?;
        puppet.model.open("turn").await?;
        let second = puppet.model.message().await?;
        assert!(second.contains(">\nADDED owner\nMODIFIED todo (milk→bread)\n</watch-event>"), "{second}");

        // Nothing came between: the next turn is that of the next change.
        puppet.peer.set("last", json!(1)).await?;
        let third = puppet.model.message().await?;
        assert!(third.contains(">\nADDED last\n</watch-event>"), "{third}");
        assert_eq!(story.events(NAME, "watch.notice").await?.len(), 3);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_later_turn_uses_what_an_earlier_one_has_looked_up() -> Result<()> {
    story("scope", async |story| {
        let mut puppet = Puppet::start(story, &json!({})).await?;
        puppet.peer.set("machine", json!({"cpu": 4, "state": "running"})).await?;
        let told = puppet.run("machine = peer.look(key='machine')").await?;
        assert!(told.contains("machine") && told.contains("running"), "no note of what is in scope: {told}");
        let told = puppet.run("print('cpus:', machine['value']['cpu'])").await?;
        assert!(told.contains("cpus: 4"), "{told}");
        let calls = puppet.peer.seen().await?.calls;
        assert_eq!(calls.len(), 1, "the second turn needed no call: {calls:?}");
        Ok(())
    })
    .await
}
