//! A watch that the model made is an object like any other: people edit it, adopt it and delete it while the agent runs.

use anyhow::Result;
use asyncai_crds::Watch;
use asyncai_e2e::fleet::{self, configmaps};
use asyncai_e2e::puppet::{NAME, Puppet};
use asyncai_e2e::story::{Story, story};
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

#[tokio::test]
async fn people_edit_adopt_and_delete_what_the_model_made() -> Result<()> {
    story("people", async |story| {
        let mut puppet = Puppet::start(story, &json!({"watches": {"max": 3}})).await?;
        let uid = story.api::<Pod>().get(&fleet::pod(NAME)).await?.uid();
        let start = |name: &str| {
            let uri = configmaps(&story.namespace);
            format!("await watch_start(name={name:?}, uri={uri:?}, on_event='event[\"type\"]')")
        };
        assert_eq!(puppet.ask(&start("cm")).await?["shape"], "event-log");

        edited(story, &mut puppet).await?;
        limited(&mut puppet, &start).await?;
        replaced_until_adopted(story, &mut puppet, &start).await?;
        deleted(story, &mut puppet).await?;

        assert_eq!(story.api::<Pod>().get(&fleet::pod(NAME)).await?.uid(), uid, "the pod was replaced");
        Ok(())
    })
    .await
}

/// What people write takes effect at once.
async fn edited(story: &Story, puppet: &mut Puppet) -> Result<()> {
    story.watch("alice.cm", "Ready", "True").await?;
    let spec = json!({"onEvent": "event['type'] + ' seen'", "instructions": "Be brief.", "debounceSeconds": 0});
    patch(story, &json!({"spec": spec})).await?;
    story.watch("alice.cm", "Ready", "True").await?;
    puppet.model.script("{}").await?;
    story.write("edited", "a", "1").await?;
    let message = puppet.model.message().await?;
    assert!(message.contains(">\nADDED seen\n</watch-event>\nBe brief.\n"), "{message}");
    Ok(())
}

/// The limit counts those of people and those of the model alike.
async fn limited(puppet: &mut Puppet, start: &impl Fn(&str) -> String) -> Result<()> {
    assert_eq!(puppet.ask(&start("third")).await?["name"], "third");
    let refused = puppet.run(&start("fourth")).await?;
    assert!(refused.contains("3 watches of at most 3") && refused.contains("cue"), "{refused}");
    assert_eq!(puppet.ask("await watch_stop(name='third')").await?, json!(true));
    Ok(())
}

/// A new one takes the place of the model's own, never of one that people have made theirs.
async fn replaced_until_adopted(story: &Story, puppet: &mut Puppet, start: &impl Fn(&str) -> String) -> Result<()> {
    let before = story.api::<Watch>().get("alice.cm").await?.uid();
    assert_eq!(puppet.ask(&start("cm")).await?["name"], "cm");
    assert_ne!(story.api::<Watch>().get("alice.cm").await?.uid(), before, "it was not replaced");
    patch(story, &json!({"metadata": {"labels": {"asyncai.dev/origin": "declared"}}})).await?;
    story.watch("alice.cm", "Ready", "True").await?;
    for code in [start("cm"), "await watch_stop(name='cm')".to_owned()] {
        let refused = puppet.run(&code).await?;
        assert!(refused.contains("made by people"), "{refused}");
    }
    Ok(())
}

async fn deleted(story: &Story, puppet: &mut Puppet) -> Result<()> {
    story.delete::<Watch>("alice.cm").await?;
    let watches = puppet.ask("watch_list()").await?;
    let names: Vec<&Value> = watches.as_array().into_iter().flatten().map(|watch| &watch["name"]).collect();
    assert_eq!(names, [&json!("cue")]);
    assert_eq!(puppet.ask("await watch_stop(name='cm')").await?, json!(false));
    Ok(())
}

async fn patch(story: &Story, change: &Value) -> Result<()> {
    story.api::<Watch>().patch("alice.cm", &PatchParams::default(), &Patch::Merge(change)).await?;
    Ok(())
}
