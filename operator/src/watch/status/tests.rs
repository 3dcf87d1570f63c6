//! What a Watch says about itself, by what is known.

use asyncai_crds::{Agent, Reason, Watch};

use super::{Observed, status};
use crate::{
    agent::pod::PodState,
    fixtures::{agent, agent_said, at, brief, said, watch, watch_said},
};

const FOUND: &str = "ResolvedRefs=True/ResolvedRefs";

fn cm(conditions: &[&str]) -> Watch {
    watch_said(watch("cm", "alice"), conditions.iter().map(|text| said(text, 1)).collect())
}

fn check(watch: &Watch, agent: Option<&Agent>, pod: PodState, expected: &[&str]) {
    assert_eq!(brief(&status(&Observed { watch, agent, pod }, &at(9)).conditions), expected);
}

#[test]
fn without_its_agent_nothing_is_resolved_and_it_may_still_come() {
    check(&cm(&[]), None, PodState::Absent, &["Ready=False/AgentNotFound", "ResolvedRefs=False/AgentNotFound"]);
}

#[test]
fn with_the_pod_up_ready_is_what_the_agent_says() {
    let alice = agent("alice");
    let up = |conditions: &[&str], expected: &[&str]| check(&cm(conditions), Some(&alice), PodState::Ready, expected);
    up(&[], &["Ready=False/Pending", "Reconciling=True/Pending", FOUND]);
    up(&["Accepted=False/InvalidFilter"], &["Ready=False/InvalidFilter", FOUND, "Stalled=True/InvalidFilter"]);
    up(&["Accepted=True/Accepted"], &["Ready=False/Pending", "Reconciling=True/Pending", FOUND]);
    up(&["Accepted=True/Accepted", "Subscribed=True/Subscribed"], &["Ready=True/Ready", FOUND]);
    for passing in ["Connecting", "Resubscribing"] {
        let subscribed = format!("Subscribed=False/{passing}");
        let (ready, reconciling) = (format!("Ready=False/{passing}"), format!("Reconciling=True/{passing}"));
        up(&["Accepted=True/Accepted", &subscribed], &[&ready, &reconciling, FOUND]);
    }
    up(
        &["Accepted=True/Accepted", "Subscribed=True/Subscribed", "FilterFailing=True/FilterFailing"],
        &["Ready=False/FilterFailing", FOUND, "Stalled=True/FilterFailing"],
    );
    for given_up in ["SourceError", "ServerDown", "NotWatchable", "UnknownServer", "RestoreFailed"] {
        let subscribed = format!("Subscribed=False/{given_up}");
        let (ready, stalled) = (format!("Ready=False/{given_up}"), format!("Stalled=True/{given_up}"));
        up(&["Accepted=True/Accepted", &subscribed], &[&ready, FOUND, &stalled]);
    }
}

#[test]
fn what_the_agent_said_of_an_older_generation_does_not_count() {
    let mut edited = cm(&["Accepted=True/Accepted", "Subscribed=True/Subscribed"]);
    edited.metadata.generation = Some(2);
    let alice = agent("alice");
    check(&edited, Some(&alice), PodState::Ready, &["Ready=False/Pending", "Reconciling=True/Pending", FOUND]);
    edited.status.as_mut().unwrap().conditions[0].observed_generation = Some(2);
    check(&edited, Some(&alice), PodState::Ready, &["Ready=False/Pending", "Reconciling=True/Pending", FOUND]);
}

#[test]
fn nobody_knows_while_the_pod_is_down() {
    let cm = cm(&["Accepted=True/Accepted", "Subscribed=True/Subscribed"]);
    let alice = agent("alice");
    let down = |pod, reason: &str| check(&cm, Some(&alice), pod, &[&format!("Ready=Unknown/{reason}"), FOUND]);
    down(PodState::Absent, "AgentNotReady");
    down(PodState::Ending, "AgentNotReady");
    down(PodState::Starting, "AgentNotReady");
    down(PodState::Failing(Reason::CrashLooping, "c".into()), "AgentNotReady");
    down(PodState::NodeLost("n".into()), "NodeLost");
}

#[test]
fn an_agent_that_is_not_accepted_is_named() {
    let refused = agent_said(agent("alice"), vec![said("Accepted=False/NoModel", 1)]);
    check(&cm(&[]), Some(&refused), PodState::Absent, &["Ready=False/AgentNotAccepted", FOUND]);
}

#[test]
fn suspended_is_ready_by_the_watch_or_by_its_agent() {
    let suspended = ["Ready=True/Suspended", FOUND, "Suspended=True/Suspended"];
    let mut asleep = agent("alice");
    asleep.spec.suspend = true;
    check(&cm(&[]), Some(&asleep), PodState::Absent, &suspended);
    let mut stopped = cm(&[]);
    stopped.spec.suspend = true;
    let alice = agent("alice");
    check(&stopped, Some(&alice), PodState::Absent, &suspended);
    check(&stopped, Some(&alice), PodState::Ready, &["Ready=False/Pending", "Reconciling=True/Pending", FOUND]);
    let mut taken_up = cm(&["Accepted=True/Accepted"]);
    taken_up.spec.suspend = true;
    check(&taken_up, Some(&alice), PodState::Ready, &suspended);
}

#[test]
fn a_reason_that_this_operator_does_not_know_is_passed_on() {
    let cm = cm(&["Accepted=False/FromTheFuture"]);
    let alice = agent("alice");
    check(&cm, Some(&alice), PodState::Ready, &["Ready=False/FromTheFuture", FOUND, "Stalled=True/FromTheFuture"]);
}
