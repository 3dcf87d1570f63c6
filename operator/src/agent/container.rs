//! The container in which an agent runs.

use std::collections::BTreeMap;

use asyncai_crds::{
    AgentSpec,
    agent::{EnvVar as SpecEnvVar, Resources},
    contract::{
        AGENT_CONTAINER, AGENT_LABEL, AGENT_NAME_ENV, AGENT_NAMESPACE_ENV, AGENT_PROGRAM, CLUSTER_ID_ENV,
        DEFAULT_MODEL_ENV, HEALTH_PATH, HTTP_PORT, HTTP_PORT_NAME, READY_PATH,
    },
};
use k8s_openapi::{
    api::core::v1::{
        Capabilities, Container, ContainerPort, EnvVar, EnvVarSource, HTTPGetAction, ObjectFieldSelector, Probe,
        ResourceRequirements, SecurityContext, VolumeMount,
    },
    apimachinery::pkg::{api::resource::Quantity, util::intstr::IntOrString},
};

use crate::context::Settings;

/// The agent container of `spec`, which has `mounts`.
pub(super) fn agent(spec: &AgentSpec, settings: &Settings, mounts: Vec<VolumeMount>) -> Container {
    let pod = spec.pod.as_ref();
    Container {
        name: AGENT_CONTAINER.to_owned(),
        image: Some(pod.and_then(|pod| pod.image.clone()).unwrap_or_else(|| settings.agent_image.clone())),
        command: Some(vec![AGENT_PROGRAM.to_owned(), "agent".to_owned()]),
        env: Some(env(pod.map_or(&[], |pod| &pod.env), spec, settings)),
        ports: Some(vec![ContainerPort {
            name: Some(HTTP_PORT_NAME.to_owned()),
            container_port: i32::from(HTTP_PORT),
            protocol: Some("TCP".to_owned()),
            ..ContainerPort::default()
        }]),
        resources: Some(pod.and_then(|pod| pod.resources.as_ref()).map_or_else(default_resources, resources)),
        // Starting may take a minute; afterwards a program that hangs is restarted within one.
        startup_probe: Some(probe(HEALTH_PATH, 1, 60)),
        liveness_probe: Some(probe(HEALTH_PATH, 20, 3)),
        readiness_probe: Some(probe(READY_PATH, 5, 2)),
        security_context: Some(SecurityContext {
            allow_privilege_escalation: Some(false),
            capabilities: Some(Capabilities { drop: Some(vec!["ALL".to_owned()]), add: None }),
            read_only_root_filesystem: Some(true),
            ..SecurityContext::default()
        }),
        // The last lines of its log tell in the Agent's status why it ended.
        termination_message_policy: Some("FallbackToLogsOnError".to_owned()),
        volume_mounts: Some(mounts),
        ..Container::default()
    }
}

/// The Agent's own variables, and ours, which win.
fn env(own: &[SpecEnvVar], spec: &AgentSpec, settings: &Settings) -> Vec<EnvVar> {
    let model = settings.default_model_json.as_deref().filter(|_| spec.model.is_none());
    let ours = [
        Some(from_field(AGENT_NAME_ENV, &format!("metadata.labels['{AGENT_LABEL}']"))),
        Some(from_field(AGENT_NAMESPACE_ENV, "metadata.namespace")),
        settings.cluster_id.as_deref().map(|id| plain(CLUSTER_ID_ENV, id)),
        model.map(|model| plain(DEFAULT_MODEL_ENV, model)),
    ];
    let ours: Vec<_> = ours.into_iter().flatten().collect();
    let own = own.iter().filter(|own| ours.iter().all(|ours| ours.name != own.name));
    own.map(|own| plain(&own.name, &own.value)).chain(ours.iter().cloned()).collect()
}

/// `$` begins a reference to another variable in a pod's environment; doubled it stands for itself.
fn plain(name: &str, value: &str) -> EnvVar {
    EnvVar { name: name.to_owned(), value: (!value.is_empty()).then(|| value.replace("$(", "$$(")), value_from: None }
}

fn from_field(name: &str, path: &str) -> EnvVar {
    let field = ObjectFieldSelector { api_version: Some("v1".to_owned()), field_path: path.to_owned() };
    let source = EnvVarSource { field_ref: Some(field), ..EnvVarSource::default() };
    EnvVar { name: name.to_owned(), value: None, value_from: Some(source) }
}

fn probe(path: &str, period_seconds: i32, failure_threshold: i32) -> Probe {
    Probe {
        http_get: Some(HTTPGetAction {
            path: Some(path.to_owned()),
            port: IntOrString::String(HTTP_PORT_NAME.to_owned()),
            ..HTTPGetAction::default()
        }),
        period_seconds: Some(period_seconds),
        failure_threshold: Some(failure_threshold),
        timeout_seconds: Some(5),
        ..Probe::default()
    }
}

fn resources(own: &Resources) -> ResourceRequirements {
    let some = |map: &BTreeMap<String, Quantity>| (!map.is_empty()).then(|| map.clone());
    ResourceRequirements { limits: some(&own.limits), requests: some(&own.requests), ..ResourceRequirements::default() }
}

/// An idle agent needs next to nothing; the limit leaves room for a child process for each filter.
fn default_resources() -> ResourceRequirements {
    let map = |pairs: &[(&str, &str)]| {
        Some(pairs.iter().map(|&(name, amount)| (name.to_owned(), Quantity(amount.to_owned()))).collect())
    };
    ResourceRequirements {
        requests: map(&[("cpu", "10m"), ("memory", "64Mi")]),
        limits: map(&[("memory", "512Mi")]),
        ..ResourceRequirements::default()
    }
}
