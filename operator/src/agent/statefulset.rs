//! The StatefulSet in which an agent runs: one pod at most, also on a lost node.

use std::fmt::Write;

use asyncai_crds::{Agent, AgentSpec, agent::Toleration as SpecToleration, contract};
use k8s_openapi::{
    api::{
        apps::v1::{StatefulSet, StatefulSetSpec},
        core::v1::{PodSecurityContext, PodSpec, PodTemplateSpec, SeccompProfile, Toleration},
    },
    apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta},
};
use sha2::{Digest, Sha256};

use super::{container, names, volumes};
use crate::context::Settings;

/// User and group of the agent.
const USER: i64 = 65532;

/// The StatefulSet of `agent`, whose `model` may have been filled in from the default.
///
/// Suspended it has no pod: that is the one state that costs nothing, and the cursors are in the Watches.
pub(super) fn build(agent: &Agent, settings: &Settings) -> StatefulSet {
    StatefulSet {
        metadata: names::metadata(agent),
        spec: Some(StatefulSetSpec {
            replicas: Some(i32::from(!agent.spec.suspend)),
            // A pod that never became ready is replaced too when the template changes; OrderedReady would wait for it.
            pod_management_policy: Some("Parallel".to_owned()),
            revision_history_limit: Some(1),
            selector: LabelSelector { match_labels: Some(names::selector(agent)), match_expressions: None },
            template: stamped(template(agent, settings)),
            ..StatefulSetSpec::default()
        }),
        status: None,
    }
}

/// The template's hash, which its pods bear too.
pub(super) fn rollout(template: &PodTemplateSpec) -> Option<&str> {
    template.metadata.as_ref()?.annotations.as_ref()?.get(names::ROLLOUT_ANNOTATION).map(String::as_str)
}

fn template(agent: &Agent, settings: &Settings) -> PodTemplateSpec {
    PodTemplateSpec {
        metadata: Some(ObjectMeta { labels: Some(names::labels(agent)), ..ObjectMeta::default() }),
        spec: Some(hardened(pod(agent, settings), agent)),
    }
}

/// What the Agent decides about its pod.
fn pod(agent: &Agent, settings: &Settings) -> PodSpec {
    let spec: &AgentSpec = &agent.spec;
    let effective = settings.with_default_model(spec);
    let (volumes, mounts) = volumes::all(&effective).into_iter().unzip();
    let own = spec.pod.as_ref();
    PodSpec {
        containers: vec![container::agent(spec, settings, mounts)],
        node_selector: own.map(|own| own.node_selector.clone()).filter(|selector| !selector.is_empty()),
        tolerations: own
            .filter(|own| !own.tolerations.is_empty())
            .map(|own| own.tolerations.iter().map(toleration).collect()),
        volumes: Some(volumes),
        ..PodSpec::default()
    }
}

/// What it does not decide, put over the rest.
fn hardened(pod: PodSpec, agent: &Agent) -> PodSpec {
    PodSpec {
        service_account_name: names::metadata(agent).name,
        automount_service_account_token: Some(false),
        enable_service_links: Some(false),
        termination_grace_period_seconds: Some(i64::from(contract::TERMINATION_GRACE_SECONDS)),
        security_context: Some(PodSecurityContext {
            run_as_non_root: Some(true),
            run_as_user: Some(USER),
            run_as_group: Some(USER),
            fs_group: Some(USER),
            fs_group_change_policy: Some("OnRootMismatch".to_owned()),
            seccomp_profile: Some(SeccompProfile { type_: "RuntimeDefault".to_owned(), localhost_profile: None }),
            ..PodSecurityContext::default()
        }),
        ..pod
    }
}

fn toleration(own: &SpecToleration) -> Toleration {
    Toleration {
        key: own.key.clone(),
        operator: own.operator.map(|operator| format!("{operator:?}")),
        value: own.value.clone(),
        effect: own.effect.map(|effect| format!("{effect:?}")),
        toleration_seconds: own.toleration_seconds,
    }
}

/// Live settings are not in the template, so a new hash is exactly what needs a new pod.
fn stamped(mut template: PodTemplateSpec) -> PodTemplateSpec {
    // Maps are sorted and fields have an order, so equal templates have equal JSON.
    let json = serde_json::to_vec(&template).unwrap_or_default();
    let hash = Sha256::digest(&json).iter().take(8).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let annotations = [(names::ROLLOUT_ANNOTATION.to_owned(), hash)].into();
    template.metadata.get_or_insert_default().annotations = Some(annotations);
    template
}
