//! Order, failure and repetition, against an API server in memory.

use std::{collections::BTreeMap, sync::Arc};

use asyncai_crds::{Agent, agent::Pod as AgentPod, condition::READY};
use k8s_openapi::api::{apps::v1::StatefulSet, core::v1::ServiceAccount, rbac::v1::Role};
use serde_json::json;

use super::reconcile;
use crate::{
    context::Settings,
    error::Error,
    fixtures::{FakeApi, agent, brief, find, settings, watch},
};

const CHILD: &str = "asyncai-agent-alice";

/// Reconciles alice once, with caches as they are now.
async fn run(api: &FakeApi) -> Result<(), Error> {
    run_with(api, settings()).await
}

async fn run_with(api: &FakeApi, settings: Settings) -> Result<(), Error> {
    let alice: Agent = api.get("alice").unwrap();
    reconcile(Arc::new(alice), api.context(settings)).await
}

fn with_alice() -> FakeApi {
    let api = FakeApi::default();
    api.put(&agent("alice"));
    api
}

fn conditions(api: &FakeApi) -> Vec<String> {
    brief(&api.get::<Agent>("alice").unwrap().status.unwrap_or_default().conditions)
}

#[tokio::test]
async fn the_pod_is_made_after_all_that_it_needs_and_the_status_last() {
    let api = with_alice();
    run(&api).await.unwrap();
    let order = [
        "serviceaccounts/asyncai-agent-alice",
        "roles/asyncai-agent-alice",
        "rolebindings/asyncai-agent-alice",
        "statefulsets/asyncai-agent-alice",
        "agents/alice/status",
    ];
    assert_eq!(api.writes(), order);
    assert_eq!(conditions(&api), ["Accepted=True/Accepted", "Ready=False/Progressing", "Reconciling=True/Progressing"]);
}

#[tokio::test]
async fn nothing_is_written_if_nothing_is_to_be_changed() {
    let api = with_alice();
    run(&api).await.unwrap();
    api.writes();
    run(&api).await.unwrap();
    assert_eq!(api.writes(), Vec::<String>::new());
}

#[tokio::test]
async fn only_what_differs_is_written() {
    let api = with_alice();
    run(&api).await.unwrap();
    api.writes();
    let mut role: Role = api.get(CHILD).unwrap();
    role.rules.as_mut().unwrap().pop();
    api.put(&role);
    run(&api).await.unwrap();
    assert_eq!(api.writes(), ["roles/asyncai-agent-alice"]);
    assert_eq!(api.get::<Role>(CHILD).unwrap().rules.unwrap().len(), 4);
}

#[tokio::test]
async fn a_changed_pod_is_rolled_out_and_a_live_setting_is_not() {
    let api = with_alice();
    run(&api).await.unwrap();
    api.writes();
    let mut alice: Agent = api.get("alice").unwrap();
    alice.spec.on_start = Some("Say hello.".into());
    alice.spec.limits.max_turns_per_hour = 7;
    api.put(&alice);
    run(&api).await.unwrap();
    assert_eq!(api.writes(), Vec::<String>::new());
    alice.spec.pod = Some(AgentPod { image: Some("other".into()), ..AgentPod::default() });
    api.put(&alice);
    run(&api).await.unwrap();
    assert_eq!(api.writes(), ["statefulsets/asyncai-agent-alice"]);
}

#[tokio::test]
async fn an_account_of_somebody_else_is_left_alone_and_named() {
    let api = with_alice();
    let mut theirs = ServiceAccount::default();
    theirs.metadata.name = Some(CHILD.into());
    theirs.metadata.namespace = Some(crate::fixtures::NAMESPACE.into());
    theirs.metadata.uid = Some("theirs".into());
    api.put(&theirs);
    // Not in the cache, as it lacks the label; and in the cache.
    for cached in [false, true] {
        let alice = Arc::new(api.get::<Agent>("alice").unwrap());
        let without = FakeApi::default().context(settings()).caches.accounts.clone();
        let mut ctx = Arc::into_inner(api.context(settings())).unwrap();
        if !cached {
            ctx.caches.accounts = without;
        }
        assert!(matches!(reconcile(alice, Arc::new(ctx)).await, Err(Error::Refused(_))));
        assert_eq!(
            conditions(&api),
            ["Accepted=False/NameConflict", "Ready=False/NameConflict", "Stalled=True/NameConflict"]
        );
        let after: ServiceAccount = api.get(CHILD).unwrap();
        assert_eq!((after.metadata.labels, after.metadata.owner_references), (None, None));
        assert!(api.get::<StatefulSet>(CHILD).is_none(), "nothing is made that would run as that account");
    }
}

#[tokio::test]
async fn the_namesake_of_a_deleted_agent_does_not_take_over_what_is_about_to_go() {
    let api = with_alice();
    run(&api).await.unwrap();
    let mut again = agent("alice");
    again.metadata.uid = Some("another".into());
    api.put(&again);
    assert!(matches!(run(&api).await, Err(Error::Refused(_))));
    let set: StatefulSet = api.get(CHILD).unwrap();
    assert_eq!(set.metadata.owner_references.unwrap()[0].uid, "uid-alice");
}

#[tokio::test]
async fn what_the_cache_does_not_show_yet_is_found() {
    let api = with_alice();
    run(&api).await.unwrap();
    api.writes();
    let mut ctx = Arc::into_inner(api.context(settings())).unwrap();
    ctx.caches = FakeApi::default().context(settings()).caches.clone();
    ctx.caches.agents = api.context(settings()).caches.agents.clone();
    let before = api.all();
    reconcile(Arc::new(api.get("alice").unwrap()), Arc::new(ctx)).await.unwrap();
    assert_eq!(api.all(), before);
}

#[tokio::test]
async fn what_the_api_server_refuses_is_told_and_tried_again() {
    let api = with_alice();
    api.fail(3, 422, "StatefulSet is invalid: env[0].name: Invalid value");
    assert!(run(&api).await.is_err(), "an error makes the queue try again");
    assert_eq!(conditions(&api), ["Accepted=True/Accepted", "Ready=False/ApplyFailed", "Stalled=True/ApplyFailed"]);
    let status = api.get::<Agent>("alice").unwrap().status.unwrap();
    assert_eq!(find(&status.conditions, READY).message, "StatefulSet is invalid: env[0].name: Invalid value");
    run(&api).await.unwrap();
    assert!(conditions(&api).contains(&"Ready=False/Progressing".to_owned()));
}

#[tokio::test]
async fn nothing_is_told_or_tried_again_in_a_namespace_that_ends() {
    let api = with_alice();
    api.fail(1, 403, "NamespaceTerminating: unable to create new content");
    run(&api).await.unwrap();
    assert_eq!(api.writes(), ["serviceaccounts/asyncai-agent-alice", "roles/asyncai-agent-alice"]);
}

#[tokio::test]
async fn trouble_that_may_pass_is_tried_again_and_not_told() {
    for code in [409, 429, 500, 503] {
        let api = with_alice();
        api.fail(0, code, "later");
        assert!(run(&api).await.is_err(), "{code}");
        assert_eq!(api.writes(), ["serviceaccounts/asyncai-agent-alice"], "{code}");
    }
}

#[tokio::test]
async fn a_failure_at_any_write_leads_to_the_same_end() {
    let reference = with_alice();
    run(&reference).await.unwrap();
    let writes = reference.writes().len();
    for write in 0..writes {
        let api = with_alice();
        api.fail(write, 500, "gone");
        assert!(run(&api).await.is_err());
        run(&api).await.unwrap();
        assert_eq!(api.all(), reference.all(), "after a failure of write {write}");
    }
}

#[tokio::test]
async fn without_a_model_nothing_is_made_and_nothing_is_tried_again() {
    let api = FakeApi::default();
    let mut alice = agent("alice");
    alice.spec.model = None;
    api.put(&alice);
    run(&api).await.unwrap();
    assert_eq!(api.writes(), ["agents/alice/status"]);
    assert_eq!(conditions(&api), ["Accepted=False/NoModel", "Ready=False/NoModel", "Stalled=True/NoModel"]);
}

#[tokio::test]
async fn a_refused_edit_leaves_what_runs_alone() {
    let api = with_alice();
    run(&api).await.unwrap();
    let children =
        |api: &FakeApi| -> BTreeMap<_, _> { api.all().into_iter().filter(|(path, _)| path.ends_with(CHILD)).collect() };
    let before = children(&api);
    let mut alice: Agent = api.get("alice").unwrap();
    alice.spec.channels =
        serde_json::from_value(json!([{"name": "x", "mailbox": {"server": "b", "id": "i"}}])).unwrap();
    api.put(&alice);
    run(&api).await.unwrap();
    assert_eq!(children(&api), before);
    assert!(conditions(&api).contains(&"Accepted=False/NotYetSupported".to_owned()));
}

#[tokio::test]
async fn the_right_to_make_watches_comes_and_goes_with_the_policy_and_the_pod_stays() {
    let api = with_alice();
    api.confine(false);
    run(&api).await.unwrap();
    api.writes();
    let may_create = || {
        let rules = api.get::<Role>(CHILD).unwrap().rules.unwrap();
        rules.iter().any(|rule| rule.verbs.contains(&"create".to_owned()))
    };
    let denied = || conditions(&api).contains(&"ModelWatchesDenied=True/NoAdmissionPolicy".to_owned());
    assert!(!may_create() && denied());
    api.confine(true);
    run(&api).await.unwrap();
    assert_eq!(api.writes(), ["roles/asyncai-agent-alice", "agents/alice/status"]);
    assert!(may_create());
}

#[tokio::test]
async fn an_agent_that_is_being_deleted_is_left_alone() {
    let api = FakeApi::default();
    let mut alice = agent("alice");
    alice.metadata.deletion_timestamp = Some(crate::fixtures::at(1));
    api.put(&alice);
    run(&api).await.unwrap();
    assert_eq!(api.writes(), Vec::<String>::new());
}

#[tokio::test]
async fn watches_are_counted_by_the_agent_they_name() {
    let api = with_alice();
    for (name, of) in [("a", "alice"), ("b", "alice"), ("c", "bob")] {
        api.put(&watch(name, of));
    }
    run(&api).await.unwrap();
    assert_eq!(api.get::<Agent>("alice").unwrap().status.unwrap().watch_count, Some(2));
}
