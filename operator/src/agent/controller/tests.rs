//! Who is woken by what.

use asyncai_crds::{Agent, AgentStatus, agent::Usage};
use k8s_openapi::api::{apps::v1::StatefulSet, core::v1::ServiceAccount};
use kube::runtime::reflector::ObjectRef;

use super::{on_agent, on_child, on_pod, on_set, on_watch};
use crate::{
    agent::desired::desired,
    fixtures::{NAMESPACE, agent, agent_said, at, pod, said, settings, watch},
};

fn alice() -> ObjectRef<Agent> {
    ObjectRef::new("alice").within(NAMESPACE)
}

#[test]
fn an_agent_is_woken_by_its_spec_and_by_what_the_agent_says_of_it() {
    let before = agent_said(agent("alice"), vec![said("ResolvedRefs=True/ResolvedRefs", 1)]);
    assert_eq!(on_agent((None, Some(&before))), Some(alice()));
    assert_eq!(on_agent((Some(&before), Some(&before))), None);
    let mut edited = before.clone();
    edited.metadata.generation = Some(2);
    let mut deleted = before.clone();
    deleted.metadata.deletion_timestamp = Some(at(1));
    let mut another = before.clone();
    another.metadata.uid = Some("another".into());
    let missing = agent_said(agent("alice"), vec![said("ResolvedRefs=False/SecretNotFound", 1)]);
    for after in [edited, deleted, another, missing] {
        assert_eq!(on_agent((Some(&before), Some(&after))), Some(alice()), "{after:?}");
    }
    assert_eq!(on_agent((Some(&before), None)), None);
}

#[test]
fn an_agent_is_not_woken_by_counts_or_by_the_operators_own_conditions() {
    let before = agent("alice");
    let conditions = vec![said("Ready=True/Ready", 1), said("Accepted=True/Accepted", 1)];
    let mut after = agent("alice");
    after.metadata.resource_version = Some("2".into());
    after.status = Some(AgentStatus { conditions, usage: Some(Usage::default()), ..AgentStatus::default() });
    assert_eq!(on_agent((Some(&before), Some(&after))), None);
}

#[test]
fn a_child_wakes_the_agent_that_controls_it_also_when_it_is_deleted() {
    let mut account = desired(&agent("alice"), &settings(), true).ok().unwrap().account;
    account.metadata.resource_version = Some("1".into());
    assert_eq!(on_child((Some(&account), None)), Some(alice()));
    assert_eq!(on_child((None, Some(&account))), Some(alice()));
    assert_eq!(on_child((Some(&account), Some(&account))), None);
    let mut theirs = ServiceAccount::default();
    theirs.metadata.namespace = Some(NAMESPACE.into());
    theirs.metadata.resource_version = Some("1".into());
    assert_eq!(on_child((Some(&theirs), None)), None);
}

#[test]
fn a_stateful_set_wakes_by_all_but_its_status() {
    let mut before: StatefulSet = desired(&agent("alice"), &settings(), true).ok().unwrap().set;
    before.metadata.resource_version = Some("1".into());
    let mut counted = before.clone();
    counted.metadata.resource_version = Some("2".into());
    assert_eq!(on_set((Some(&before), Some(&counted))), None);
    let mut scaled = counted.clone();
    scaled.spec.as_mut().unwrap().replicas = Some(3);
    let mut disowned = counted.clone();
    disowned.metadata.labels = None;
    for after in [&scaled, &disowned] {
        assert_eq!(on_set((Some(&before), Some(after))), Some(alice()));
    }
    assert_eq!(on_set((Some(&before), None)), Some(alice()));
}

#[test]
fn a_pod_wakes_when_what_it_says_changes() {
    let with = |annotation: &str, status: &str| {
        pod(&format!(
            "metadata: {{namespace: {NAMESPACE}, labels: {{asyncai.dev/agent: alice}}, annotations: {{{annotation}}}}}\nstatus: {{{status}}}"
        ))
    };
    let (up, starting) = (with("", "conditions: [{type: Ready, status: 'True'}]"), with("", "phase: Pending"));
    assert_eq!(on_pod((Some(&starting), Some(&up))), Some(alice()));
    assert_eq!(
        on_pod((Some(&up), Some(&with("", "podIP: 10.0.0.1, conditions: [{type: Ready, status: 'True'}]")))),
        None
    );
    assert_eq!(
        on_pod((Some(&up), Some(&with("asyncai.dev/rollout: x", "conditions: [{type: Ready, status: 'True'}]")))),
        Some(alice())
    );
    assert_eq!(on_pod((Some(&up), None)), Some(alice()));
}

#[test]
fn a_watch_wakes_its_agent_when_it_comes_and_when_it_goes() {
    let cm = watch("cm", "alice");
    assert_eq!(on_watch((None, Some(&cm))), Some(alice()));
    assert_eq!(on_watch((Some(&cm), None)), Some(alice()));
    assert_eq!(on_watch((Some(&cm), Some(&cm))), None);
}
