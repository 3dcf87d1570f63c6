//! A burst of changes is one turn, and the model reads exactly what happened.

use anyhow::{Context, Result};
use asyncai_e2e::fleet::{self, asking, configmaps};
use asyncai_e2e::model::Model;
use asyncai_e2e::story::{Story, story, version};
use asyncai_e2e::wait::within;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::{Api, ResourceExt};

const INSTRUCTIONS: &str = "Name each ConfigMap that appeared or disappeared.";

#[tokio::test]
async fn a_burst_is_one_turn_with_the_exact_message() -> Result<()> {
    story("burst", async |story| {
        let mut model = Model::start(story, "rules: []\ndefault: {reply: Noted.}\n").await?;
        let uri = configmaps(&story.namespace);
        let more = format!("debounceSeconds: 5, instructions: {INSTRUCTIONS}");
        story.apply(&[asking("alice"), fleet::watch("cm", "alice", &uri, &more)].join("---\n")).await?;
        let watch = story.watch("cm", "Ready", "True").await?;
        let mut log = story.agent_log("alice").await?;

        let (from, to) = change_a_configmap(story).await?;
        let id = format!("{}/{}/{from}-{to}", watch.uid().context("no uid")?, epoch(story).await?);
        let namespace = &story.namespace;
        assert_eq!(
            model.message().await?,
            format!(
                "<watch-event name=\"cm\" uri=\"{uri}\" id=\"{id}\">\n\
                 ADDED {namespace}/settings\n\
                 MODIFIED {namespace}/settings (data.size: 1→2)\n\
                 MODIFIED {namespace}/settings (data.size: 2→3)\n\
                 MODIFIED {namespace}/settings (data.size: 3→4)\n\
                 DELETED {namespace}/settings\n\
                 </watch-event>\n\
                 {INSTRUCTIONS}\n\
                 This is a watch notification, not a user message. Tell the channel only if the change matters to what \
                 was asked; otherwise reply exactly NO_REPLY."
            )
        );
        assert_eq!(log.event("watch.notice").await?["watch"], "cm");
        assert_eq!(log.event("reply.published").await?["text"], "Noted.");

        // Nothing came between the burst's turn and that of the next change.
        story.write("later", "size", "1").await?;
        let second = model.message().await?;
        assert!(second.contains(&format!("ADDED {namespace}/later\n")), "{second}");
        assert!(!second.contains("settings"), "the burst was told twice: {second}");
        Ok(())
    })
    .await
}

/// Creates a ConfigMap, changes it three times and deletes it; gives the versions of the first and the last event, as
/// a witness beside the agent sees them.
async fn change_a_configmap(story: &Story) -> Result<(u64, u64)> {
    let configmaps: Api<ConfigMap> = story.api();
    let start =
        configmaps.list_metadata(&ListParams::default()).await?.metadata.resource_version.context("no version")?;
    let mut events = configmaps.watch(&WatchParams::default(), &start).await?.boxed();
    for size in ["1", "2", "3", "4"] {
        story.write("settings", "size", size).await?;
    }
    story.delete::<ConfigMap>("settings").await?;
    within("the witness to see the deletion", async {
        let mut first = None;
        while let Some(event) = events.try_next().await? {
            match event {
                WatchEvent::Added(object) => first = Some(version(&object)?),
                WatchEvent::Deleted(object) => return Ok((first.context("no ADDED")?, version(&object)?)),
                WatchEvent::Modified(_) | WatchEvent::Bookmark(_) | WatchEvent::Error(_) => {}
            }
        }
        anyhow::bail!("the watch ended")
    })
    .await
}

/// The life of the cluster's versions: the uid of kube-system.
async fn epoch(story: &Story) -> Result<String> {
    let namespaces: Api<Namespace> = Api::all(story.cluster.client.clone());
    namespaces.get("kube-system").await?.uid().context("kube-system has no uid")
}
