//! What a pod says about itself, in one word and a sentence.

use asyncai_crds::{Reason, condition};
use k8s_openapi::api::core::v1::{ContainerState, ContainerStateTerminated, ContainerStatus, Pod, PodStatus};

use super::names;

/// Longest part of a message that comes from somewhere else, in bytes.
const QUOTE_MAX: usize = 256;

/// How an Agent's pod is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PodState {
    /// There is none.
    Absent,
    /// It is being ended.
    Ending,
    /// It is coming up.
    Starting,
    /// It does not come up, or went down.
    Failing(Reason, String),
    /// It serves.
    Ready,
    /// Its node is silent, so nobody knows.
    NodeLost(String),
}

/// Looks at a pod.
pub(crate) fn observe(pod: Option<&Pod>) -> PodState {
    let Some(pod) = pod else { return PodState::Absent };
    let nothing = PodStatus::default();
    let status = pod.status.as_ref().unwrap_or(&nothing);
    let containers = status.container_statuses.as_deref().unwrap_or_default();
    let ready = is(status, "Ready");
    // When a node falls silent its controller takes back the pod's readiness, while the containers still bear what the
    // kubelet said last; a kubelet itself never says the two apart.
    let lost = !ready && !containers.is_empty() && containers.iter().all(|container| container.ready);
    if lost || status.reason.as_deref() == Some("NodeLost") {
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).unwrap_or("unknown");
        return PodState::NodeLost(format!(
            "node {node} does not answer; the pod is moved when the node is deleted or tainted out-of-service"
        ));
    }
    if pod.metadata.deletion_timestamp.is_some() {
        return PodState::Ending;
    }
    if ready { PodState::Ready } else { unready(status, containers) }
}

/// The hash of the template from which the pod was made.
pub(super) fn rollout(pod: &Pod) -> Option<&str> {
    pod.metadata.annotations.as_ref()?.get(names::ROLLOUT_ANNOTATION).map(String::as_str)
}

fn unready(status: &PodStatus, containers: &[ContainerStatus]) -> PodState {
    if status.phase.as_deref() == Some("Failed") {
        let (reason, message) = (quote(status.reason.as_ref()), quote(status.message.as_ref()));
        return PodState::Failing(Reason::PodNotReady, format!("the pod has failed: {reason} {message}"));
    }
    if let Some(message) = unscheduled(status) {
        return PodState::Failing(Reason::Unschedulable, message);
    }
    containers.iter().find(|container| !container.ready).map_or(PodState::Starting, container)
}

fn container(container: &ContainerStatus) -> PodState {
    let name = &container.name;
    let nothing = ContainerState::default();
    let state = container.state.as_ref().unwrap_or(&nothing);
    if let Some(waiting) = &state.waiting {
        let message = quote(waiting.message.as_ref());
        return match waiting.reason.as_deref().unwrap_or_default() {
            "" | "ContainerCreating" | "PodInitializing" => PodState::Starting,
            "CrashLoopBackOff" => {
                let last = container.last_state.as_ref().and_then(|last| last.terminated.as_ref());
                crashed(container, last)
            }
            "ErrImagePull" | "ImagePullBackOff" | "InvalidImageName" | "ErrImageNeverPull" => {
                PodState::Failing(Reason::ImagePullFailed, format!("image {}: {message}", container.image))
            }
            reason => PodState::Failing(Reason::PodNotReady, format!("container {name}: {reason}: {message}")),
        };
    }
    match &state.terminated {
        Some(end) => crashed(container, Some(end)),
        None if container.started == Some(true) => {
            PodState::Failing(Reason::PodNotReady, format!("container {name} runs and says that it is not ready"))
        }
        None => PodState::Starting,
    }
}

fn crashed(container: &ContainerStatus, end: Option<&ContainerStateTerminated>) -> PodState {
    let (name, restarts) = (&container.name, container.restart_count);
    let Some(end) = end else {
        return PodState::Failing(Reason::CrashLooping, format!("container {name} ended after {restarts} restarts"));
    };
    let (code, reason) = (end.exit_code, end.reason.as_deref().unwrap_or("Error"));
    let last_words = end.message.as_ref().map_or_else(String::new, |text| format!(": {}", quote(Some(text))));
    let message =
        format!("container {name} ended with exit code {code} ({reason}) after {restarts} restarts{last_words}");
    PodState::Failing(Reason::CrashLooping, message)
}

fn is(status: &PodStatus, type_: &str) -> bool {
    status.conditions.iter().flatten().any(|c| c.type_ == type_ && c.status == "True")
}

fn unscheduled(status: &PodStatus) -> Option<String> {
    let scheduled = status.conditions.iter().flatten().find(|c| c.type_ == "PodScheduled" && c.status == "False")?;
    Some(format!("the pod cannot be scheduled: {}", quote(scheduled.message.as_ref())))
}

fn quote(text: Option<&String>) -> String {
    text.map_or_else(String::new, |text| condition::clip(text.trim(), QUOTE_MAX))
}

#[cfg(test)]
mod tests;
