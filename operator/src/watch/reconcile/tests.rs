//! A Watch's status against an API server in memory.

use std::sync::Arc;

use asyncai_crds::Watch;

use super::reconcile;
use crate::fixtures::{FakeApi, agent, brief, settings, watch};

async fn run(api: &FakeApi) {
    let object: Watch = api.get("cm").unwrap();
    reconcile(Arc::new(object), api.context(settings())).await.unwrap();
}

#[tokio::test]
async fn the_status_is_written_once() {
    let api = FakeApi::default();
    api.put(&watch("cm", "alice"));
    run(&api).await;
    assert_eq!(api.writes(), ["watches/cm/status"]);
    run(&api).await;
    assert_eq!(api.writes(), Vec::<String>::new());
}

#[tokio::test]
async fn an_agent_that_appears_is_found() {
    let api = FakeApi::default();
    api.put(&watch("cm", "alice"));
    run(&api).await;
    let conditions = |api: &FakeApi| brief(&api.get::<Watch>("cm").unwrap().status.unwrap().conditions);
    assert_eq!(conditions(&api), ["Ready=False/AgentNotFound", "ResolvedRefs=False/AgentNotFound"]);
    api.put(&agent("alice"));
    run(&api).await;
    assert_eq!(conditions(&api), ["Ready=Unknown/AgentNotReady", "ResolvedRefs=True/ResolvedRefs"]);
}

#[tokio::test]
async fn a_watch_that_went_meanwhile_is_no_failure() {
    let (api, other) = (FakeApi::default(), FakeApi::default());
    other.put(&watch("cm", "alice"));
    reconcile(Arc::new(other.get("cm").unwrap()), api.context(settings())).await.unwrap();
    assert_eq!(api.writes(), ["watches/cm/status"]);
}

#[tokio::test]
async fn a_watch_that_is_being_deleted_is_left_alone() {
    let api = FakeApi::default();
    let mut cm = watch("cm", "alice");
    cm.metadata.deletion_timestamp = Some(crate::fixtures::at(1));
    api.put(&cm);
    run(&api).await;
    assert_eq!(api.writes(), Vec::<String>::new());
}
