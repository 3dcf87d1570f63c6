//! What an Agent says about itself, by what is known.

use asyncai_crds::{Agent, Condition, Reason, agent::ModelManaged, condition::READY};

use super::{Applied, Observed, status, unchanged};
use crate::{
    agent::pod::PodState,
    error::Refusal,
    fixtures::{agent, agent_said, at, brief, find, said},
};

fn seen(agent: &Agent, pod: PodState) -> Observed<'_> {
    Observed { agent, applied: Applied::Done, pod, rolled_out: true, confined: true, watch_count: 0 }
}

fn reported(conditions: &[&str]) -> Agent {
    agent_said(agent("alice"), conditions.iter().map(|text| said(text, 1)).collect())
}

fn check(seen: &Observed<'_>, expected: &[&str]) {
    assert_eq!(brief(&status(seen, &at(9)).conditions), expected);
}

#[test]
fn ready_is_by_the_pod_and_then_by_the_agent() {
    let ok = "Accepted=True/Accepted";
    let fresh = reported(&[]);
    let up = reported(&["ResolvedRefs=True/ResolvedRefs"]);
    let missing = reported(&["ResolvedRefs=False/SecretNotFound"]);
    let progressing = [ok, "Ready=False/Progressing", "Reconciling=True/Progressing"];
    check(&seen(&fresh, PodState::Absent), &progressing);
    check(&seen(&fresh, PodState::Ending), &progressing);
    check(&seen(&fresh, PodState::Starting), &progressing);
    check(&seen(&up, PodState::Failing(Reason::CrashLooping, "c".into())), &[ok, "Ready=False/CrashLooping"]);
    check(&seen(&up, PodState::NodeLost("n".into())), &[ok, "Ready=Unknown/NodeLost"]);
    check(&seen(&fresh, PodState::Ready), &[ok, "Ready=False/Pending", "Reconciling=True/Pending"]);
    check(&seen(&missing, PodState::Ready), &[ok, "Ready=False/SecretNotFound"]);
    check(&seen(&up, PodState::Ready), &[ok, "Ready=True/Ready"]);
}

#[test]
fn a_pod_of_an_older_template_is_not_ready() {
    let up = reported(&["ResolvedRefs=True/ResolvedRefs"]);
    let old = Observed { rolled_out: false, ..seen(&up, PodState::Ready) };
    check(&old, &["Accepted=True/Accepted", "Ready=False/Progressing", "Reconciling=True/Progressing"]);
}

#[test]
fn what_the_agent_said_of_an_older_generation_does_not_count() {
    let mut edited = reported(&["ResolvedRefs=True/ResolvedRefs"]);
    edited.metadata.generation = Some(2);
    let status = status(&seen(&edited, PodState::Ready), &at(9));
    assert_eq!(find(&status.conditions, READY).reason, "Pending");
    assert!(status.conditions.iter().all(|condition| condition.observed_generation == Some(2)));
    assert_eq!(status.observed_generation, Some(2));
}

#[test]
fn a_suspended_agent_is_ready_once_its_pod_is_gone() {
    let mut asleep = reported(&["ResolvedRefs=True/ResolvedRefs"]);
    asleep.spec.suspend = true;
    let ok = "Accepted=True/Accepted";
    check(&seen(&asleep, PodState::Absent), &[ok, "Ready=True/Suspended", "Suspended=True/Suspended"]);
    for still in [PodState::Ready, PodState::Ending] {
        check(&seen(&asleep, still), &[ok, "Ready=False/Progressing", "Reconciling=True/Progressing"]);
    }
    check(&seen(&asleep, PodState::NodeLost("n".into())), &[ok, "Ready=Unknown/NodeLost"]);
}

#[test]
fn a_refusal_wins_over_a_pod_that_runs() {
    let up = reported(&["ResolvedRefs=True/ResolvedRefs"]);
    let refusal = Refusal { reason: Reason::NoModel, message: "m".into() };
    let refused = Observed { applied: Applied::Refused(&refusal), ..seen(&up, PodState::Ready) };
    check(&refused, &["Accepted=False/NoModel", "Ready=False/NoModel", "Stalled=True/NoModel"]);
    let failed = Observed { applied: Applied::Failed("m"), ..seen(&up, PodState::Ready) };
    check(&failed, &["Accepted=True/Accepted", "Ready=False/ApplyFailed", "Stalled=True/ApplyFailed"]);
}

#[test]
fn a_condition_keeps_its_time_while_its_status_is_the_same() {
    let up = reported(&["ResolvedRefs=True/ResolvedRefs", "Ready=True/Ready", "Accepted=False/NoModel"]);
    let status = status(&seen(&up, PodState::Ready), &at(9));
    let time = |type_: &str| find(&status.conditions, type_).last_transition_time.clone();
    assert_eq!((time("Ready"), time("Accepted")), (at(0), at(9)));
}

#[test]
fn only_the_operators_part_is_compared_and_sent() {
    let up = reported(&["ResolvedRefs=True/ResolvedRefs", "Throttled=True/TurnLimit"]);
    let part = status(&seen(&up, PodState::Ready), &at(9));
    assert!(part.conditions.iter().all(|c| !["ResolvedRefs", "Throttled"].contains(&c.type_.as_str())));
    assert!(!unchanged(&up, &part));
    let live = |also: Vec<Condition>| {
        let mut live = up.clone();
        live.status = Some(part.clone());
        live.status.as_mut().unwrap().conditions.extend(also);
        live
    };
    assert!(unchanged(&live(vec![said("ResolvedRefs=False/SecretNotFound", 1)]), &part));
    assert!(!unchanged(&live(vec![said("Stalled=True/NoModel", 1)]), &part), "what no longer holds is to be dropped");
    let mut counted = part.clone();
    counted.watch_count = Some(1);
    assert!(!unchanged(&live(vec![]), &counted));
}

#[test]
fn without_the_policy_it_is_said_that_the_model_makes_no_watches() {
    let mut alice = reported(&[]);
    let unconfined = |agent: &Agent| {
        let seen = Observed { confined: false, ..seen(agent, PodState::Ready) };
        status(&seen, &at(9)).conditions
    };
    let conditions = unconfined(&alice);
    let denied = find(&conditions, "ModelWatchesDenied");
    assert_eq!((&*denied.status, &*denied.reason), ("True", "NoAdmissionPolicy"));
    assert!(denied.message.contains("asyncai-agents-own-watches"), "{}", denied.message);
    alice.spec.watches.model_managed = ModelManaged::Deny;
    assert!(unconfined(&alice).iter().all(|condition| condition.type_ != "ModelWatchesDenied"), "people said so");
}
