//! Filters of people: a broken one is named where people and their tools look, loses nothing and hurts nobody else.

use anyhow::{Context, Result};
use asyncai_crds::Watch;
use asyncai_e2e::fleet::{self, condition, configmaps, relay};
use asyncai_e2e::log::Log;
use asyncai_e2e::story::story;
use asyncai_e2e::wait;
use serde_json::json;

/// Case C10.
#[tokio::test]
async fn a_broken_filter_is_named_and_loses_nothing() -> Result<()> {
    story("filters", async |story| {
        let uri = configmaps(&story.namespace);
        let good = filtered("good", &uri, "event[\"type\"].lower() + ' ' + event[\"object\"][\"metadata\"][\"name\"]")?;
        let other = fleet::watch("other", "alice", &uri, "debounceSeconds: 0");
        story.apply(&[relay("alice"), good.clone(), other].join("\n---\n")).await?;
        story.watch("good", "Ready", "True").await?;
        story.watch("other", "Ready", "True").await?;
        let mut log = story.agent_log("alice").await?;
        story.write("first", "a", "1").await?;
        tell(&mut log, &["added first"], &format!("ADDED {}/first", story.namespace)).await?;

        story.apply(&filtered("good", &uri, "name = 'x'\nevent['type'] + nmae")?).await?;
        let waited = story.kubectl(&["wait", "watch/good", "--for=condition=Ready", "--timeout=5s"]).await;
        assert!(waited.is_err(), "ready with a broken filter, or with the one before");
        let broken = story.watch("good", "Accepted", "False").await?;
        let conditions = broken.status.as_ref().map(|status| status.conditions.clone()).unwrap_or_default();
        let accepted = condition(&conditions, "Accepted")?;
        assert_eq!(accepted.reason, "InvalidFilter");
        for part in ["line 2", "nmae", "did you mean: name"] {
            assert!(accepted.message.contains(part), "{part} is not in {}", accepted.message);
        }
        story.watch("good", "Stalled", "True").await?;
        assert_eq!(health(&story.api::<Watch>().get("good").await?), "Degraded");
        assert!(story.kubectl(&["describe", "watch", "good"]).await?.contains("nmae"));

        story.write("second", "a", "1").await?;
        tell(&mut log, &[], &format!("ADDED {}/second", story.namespace)).await?;
        story.apply(&good).await?;
        story.watch("good", "Ready", "True").await?;
        assert_eq!(reply(&mut log).await?, "good: added second", "what came meanwhile was lost");
        assert_eq!(health(&story.api::<Watch>().get("good").await?), "Healthy");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_filter_that_fails_at_each_event_is_set_aside() -> Result<()> {
    story("failing", async |story| {
        let uri = configmaps(&story.namespace);
        let watch = filtered("cm", &uri, "event['object']['data']['missing'].upper()")?;
        story.apply(&[relay("alice"), watch].join("\n---\n")).await?;
        story.watch("cm", "Ready", "True").await?;
        let mut log = story.agent_log("alice").await?;
        for number in 1..=10 {
            story.write("probe", "a", &number.to_string()).await?;
        }
        let first = log.event("watch.notice").await?["lines"].to_string();
        assert!(first.contains("KeyError") && first.contains("missing"), "{first}");
        story.watch("cm", "FilterFailing", "True").await?;
        story.watch("cm", "Stalled", "True").await?;

        // From here on nothing is lost: the default line tells.
        story.write("probe", "a", "last").await?;
        let modified = format!("MODIFIED {}/probe (data.a: 10→last)", story.namespace);
        log.find("the default line", |line| {
            line["lines"].as_array().is_some_and(|lines| lines.contains(&json!(modified)))
        })
        .await?;
        let told = story.events("alice", "watch.notice").await?;
        let errors = told.iter().flat_map(|notice| notice["lines"].as_array().into_iter().flatten());
        let errors = errors.filter(|line| line.as_str().is_some_and(|line| line.contains("KeyError"))).count();
        assert_eq!(errors, 1, "one error a minute is told: {told:?}");
        wait::until(&story.api::<Watch>(), "cm", "the errors to be counted", |watch| {
            watch.status.as_ref().and_then(|status| status.counts).is_some_and(|counts| counts.filter_errors == 10)
        })
        .await?;

        story.apply(&filtered("cm", &uri, "'well'")?).await?;
        story.watch("cm", "Ready", "True").await?;
        story.write("probe", "a", "after").await?;
        log.find("the mended filter", |line| line["lines"] == json!(["well"])).await?;
        Ok(())
    })
    .await
}

fn filtered(name: &str, uri: &str, on_event: &str) -> Result<String> {
    fleet::with(&fleet::watch(name, "alice", uri, "debounceSeconds: 0"), &json!({"onEvent": on_event}))
}

/// Waits for what both watches tell of a change, in any order.
async fn tell(log: &mut Log, good: &[&str], other: &str) -> Result<()> {
    let mut expected: Vec<String> = good.iter().map(|line| format!("good: {line}")).collect();
    expected.push(format!("other: {other}"));
    while !expected.is_empty() {
        let told = reply(log).await?;
        for line in told.lines() {
            let place =
                expected.iter().position(|expected| expected == line).with_context(|| format!("told {line}"))?;
            expected.remove(place);
        }
    }
    Ok(())
}

async fn reply(log: &mut Log) -> Result<String> {
    Ok(log.event("reply.published").await?["text"].as_str().unwrap_or_default().to_owned())
}

/// What Argo CD and Flux make of an object that keeps to the conventions of kstatus.
fn health(watch: &Watch) -> &'static str {
    let status = watch.status.clone().unwrap_or_default();
    let holds = |type_: &str, value: &str| {
        status.conditions.iter().any(|condition| condition.type_ == type_ && condition.status == value)
    };
    let current = status.observed_generation == watch.metadata.generation;
    match () {
        () if !current => "Progressing",
        () if holds("Stalled", "True") => "Degraded",
        () if holds("Reconciling", "True") || holds("Ready", "False") || holds("Ready", "Unknown") => "Progressing",
        () => "Healthy",
    }
}
