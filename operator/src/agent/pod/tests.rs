//! What pods say, as the kubelet and the node controller write it.

use asyncai_crds::Reason;

use super::{PodState, observe};
use crate::fixtures::pod;

fn check(yaml: &str, expected: &PodState) {
    assert_eq!(observe(Some(&pod(yaml))), *expected, "{yaml}");
}

fn container(state: &str) -> String {
    format!(
        "status: {{phase: Running, containerStatuses: [{{name: agent, image: i:1, imageID: '', ready: false, restartCount: 3, {state}}}]}}"
    )
}

#[test]
fn no_pod_is_absent() {
    assert_eq!(observe(None), PodState::Absent);
}

#[test]
fn a_pod_that_comes_up_is_starting_until_it_is_ready() {
    check("status: {phase: Pending}", &PodState::Starting);
    let making = container("state: {waiting: {reason: ContainerCreating}}");
    check(&making, &PodState::Starting);
    let starting = container("started: false, state: {running: {}}");
    check(&starting, &PodState::Starting);
    check(
        "status: {conditions: [{type: Ready, status: 'True'}], containerStatuses: [{name: agent, image: i, imageID: '', ready: true, restartCount: 0}]}",
        &PodState::Ready,
    );
}

#[test]
fn what_keeps_a_pod_down_is_told() {
    let failing = |yaml: &str, reason, message: &str| check(yaml, &PodState::Failing(reason, message.into()));
    failing(
        "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', message: 0/3 nodes are available}]}",
        Reason::Unschedulable,
        "the pod cannot be scheduled: 0/3 nodes are available",
    );
    for reason in ["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"] {
        let yaml = container(&format!("state: {{waiting: {{reason: {reason}, message: no such image}}}}"));
        failing(&yaml, Reason::ImagePullFailed, "image i:1: no such image");
    }
    failing(
        &container("state: {waiting: {reason: CreateContainerConfigError, message: no configmap}}"),
        Reason::PodNotReady,
        "container agent: CreateContainerConfigError: no configmap",
    );
    failing(
        &container(
            "state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 2, reason: Error, message: bad flag}}",
        ),
        Reason::CrashLooping,
        "container agent ended with exit code 2 (Error) after 3 restarts: bad flag",
    );
    failing(
        &container("state: {terminated: {exitCode: 137, reason: OOMKilled}}"),
        Reason::CrashLooping,
        "container agent ended with exit code 137 (OOMKilled) after 3 restarts",
    );
    failing(
        &container("started: true, state: {running: {}}"),
        Reason::PodNotReady,
        "container agent runs and says that it is not ready",
    );
    failing(
        "status: {phase: Failed, reason: Evicted, message: low on memory}",
        Reason::PodNotReady,
        "the pod has failed: Evicted low on memory",
    );
}

#[test]
fn a_pod_that_is_deleted_is_ending_unless_its_node_is_lost() {
    let gone = "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}\n";
    check(&format!("{gone}status: {{conditions: [{{type: Ready, status: 'True'}}]}}"), &PodState::Ending);
    check(&format!("{gone}{}", container("state: {terminated: {exitCode: 0}}")), &PodState::Ending);
    let lost = "spec: {containers: [], nodeName: n1}\nstatus: {conditions: [{type: Ready, status: 'False'}], containerStatuses: [{name: agent, image: i, imageID: '', ready: true, restartCount: 0}]}";
    for yaml in [lost.to_owned(), format!("{gone}{lost}")] {
        let PodState::NodeLost(message) = observe(Some(&pod(&yaml))) else { panic!("{yaml}") };
        assert!(message.starts_with("node n1 does not answer"), "{message}");
    }
}

#[test]
fn long_messages_of_others_are_cut() {
    let yaml = container(&format!("state: {{waiting: {{reason: ErrImagePull, message: {}}}}}", "x".repeat(5000)));
    let PodState::Failing(_, message) = observe(Some(&pod(&yaml))) else { panic!() };
    assert!(message.len() < 400, "{}", message.len());
}
