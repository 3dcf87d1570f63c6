//! The volumes of an agent's pod and where they are mounted.

use std::collections::{BTreeMap, BTreeSet};

use asyncai_crds::{
    AgentSpec,
    agent::{Session, Volume as SpecVolume},
    contract::{self, SECRETS_DIR, SERVICE_ACCOUNT_DIR, SESSION_DIR, VOLUME_PREFIX},
};
use k8s_openapi::api::core::v1::{
    ConfigMapProjection, ConfigMapVolumeSource, DownwardAPIProjection, DownwardAPIVolumeFile, EmptyDirVolumeSource,
    KeyToPath, ObjectFieldSelector, PersistentVolumeClaimVolumeSource, ProjectedVolumeSource, SecretProjection,
    SecretVolumeSource, ServiceAccountTokenProjection, Volume, VolumeMount, VolumeProjection,
};

/// Readable by the agent's group alone.
const FILE_MODE: i32 = 0o440;
/// The kubelet renews the token well before; the API server refuses it as soon as the pod is gone.
const TOKEN_SECONDS: i64 = 3600;

/// The root is read-only; this is the one place to write to, unless the Agent mounts something there itself.
const TMP: &str = "/tmp";

/// A volume and its mount in the agent container.
pub(super) type Mounted = (Volume, VolumeMount);

/// Every volume of the pod: the Agent's own first, then those that it cannot do without.
pub(super) fn all(spec: &AgentSpec) -> Vec<Mounted> {
    let own = spec.pod.as_ref().map_or(&[][..], |pod| &pod.volumes);
    let scratch = own.iter().all(|volume| volume.mount_path.trim_end_matches('/') != TMP).then(scratch);
    let session = spec.session.as_ref().map(session);
    own.iter().map(of_spec).chain([identity()]).chain(scratch).chain(session).chain(secrets(spec)).collect()
}

fn of_spec(volume: &SpecVolume) -> Mounted {
    let config_map =
        volume.config_map.as_ref().map(|c| ConfigMapVolumeSource { name: c.name.clone(), ..Default::default() });
    let secret = volume.secret.as_ref().map(|s| SecretVolumeSource {
        secret_name: Some(s.secret_name.clone()),
        default_mode: Some(FILE_MODE),
        ..Default::default()
    });
    let claim = volume
        .persistent_volume_claim
        .as_ref()
        .map(|claim| PersistentVolumeClaimVolumeSource { claim_name: claim.claim_name.clone(), ..Default::default() });
    let kind = Volume {
        config_map,
        secret,
        empty_dir: volume.empty_dir.map(|_| EmptyDirVolumeSource::default()),
        persistent_volume_claim: claim,
        ..Volume::default()
    };
    mounted(&volume.name, &volume.mount_path, volume.read_only, kind)
}

/// What every Kubernetes client looks for, made by hand because automounting would give it to every container.
fn identity() -> Mounted {
    let token = VolumeProjection {
        service_account_token: Some(ServiceAccountTokenProjection {
            path: "token".to_owned(),
            expiration_seconds: Some(TOKEN_SECONDS),
            audience: None,
        }),
        ..VolumeProjection::default()
    };
    let authority = VolumeProjection {
        config_map: Some(ConfigMapProjection {
            name: "kube-root-ca.crt".to_owned(),
            items: Some(vec![item("ca.crt", "ca.crt")]),
            optional: None,
        }),
        ..VolumeProjection::default()
    };
    let namespace = VolumeProjection {
        downward_api: Some(DownwardAPIProjection {
            items: Some(vec![DownwardAPIVolumeFile {
                path: "namespace".to_owned(),
                field_ref: Some(ObjectFieldSelector {
                    api_version: Some("v1".to_owned()),
                    field_path: "metadata.namespace".to_owned(),
                }),
                ..DownwardAPIVolumeFile::default()
            }]),
        }),
        ..VolumeProjection::default()
    };
    projected("identity", SERVICE_ACCOUNT_DIR, vec![token, authority, namespace])
}

fn scratch() -> Mounted {
    let kind = Volume { empty_dir: Some(EmptyDirVolumeSource::default()), ..Volume::default() };
    mounted(&format!("{VOLUME_PREFIX}tmp"), TMP, false, kind)
}

/// Where the conversation is kept.
fn session(session: &Session) -> Mounted {
    let claim_name = session.persistent_volume_claim.claim_name.clone();
    let claim = PersistentVolumeClaimVolumeSource { claim_name, ..Default::default() };
    let kind = Volume { persistent_volume_claim: Some(claim), ..Volume::default() };
    mounted(&format!("{VOLUME_PREFIX}session"), SESSION_DIR, false, kind)
}

/// The Secret keys that the spec refers to, these alone, as files that the kubelet keeps up to date. They are optional:
/// the agent starts without them and names what is missing.
fn secrets(spec: &AgentSpec) -> Option<Mounted> {
    let mut keys = BTreeMap::<&str, BTreeSet<&str>>::new();
    for reference in &contract::secret_refs(spec) {
        keys.entry(&reference.secret.name).or_default().insert(&reference.secret.key);
    }
    let sources: Vec<_> = keys
        .into_iter()
        .map(|(name, keys)| VolumeProjection {
            secret: Some(SecretProjection {
                name: name.to_owned(),
                items: Some(keys.into_iter().map(|key| item(key, &format!("{name}/{key}"))).collect()),
                optional: Some(true),
            }),
            ..VolumeProjection::default()
        })
        .collect();
    (!sources.is_empty()).then(|| projected("secrets", SECRETS_DIR, sources))
}

fn item(key: &str, path: &str) -> KeyToPath {
    KeyToPath { key: key.to_owned(), path: path.to_owned(), mode: None }
}

fn projected(name: &str, path: &str, sources: Vec<VolumeProjection>) -> Mounted {
    let kind = Volume {
        projected: Some(ProjectedVolumeSource { default_mode: Some(FILE_MODE), sources: Some(sources) }),
        ..Volume::default()
    };
    mounted(&format!("{VOLUME_PREFIX}{name}"), path, true, kind)
}

fn mounted(name: &str, path: &str, read_only: bool, kind: Volume) -> Mounted {
    let mount = VolumeMount {
        name: name.to_owned(),
        mount_path: path.to_owned(),
        read_only: read_only.then_some(true),
        ..VolumeMount::default()
    };
    (Volume { name: name.to_owned(), ..kind }, mount)
}
