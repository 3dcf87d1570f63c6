//! Settings of an Agent's pod. They are applied before the hardening, which they cannot undo.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::{self, pattern};

/// Settings of an Agent's pod.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Pod {
    /// Image of the agent. Omitted: the one that the operator was installed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub image: Option<String>,
    /// Compute resources of the agent container. Omitted: the operator's defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// Environment of the agent container, plain values only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub env: Vec<EnvVar>,
    /// Labels that a node must have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schema::node_selector")]
    pub node_selector: BTreeMap<String, String>,
    /// Taints that the pod tolerates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub tolerations: Vec<Toleration>,
    /// Volumes that are mounted into the agent container.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(
        merge_strategy = ListMerge::Map(vec!["name".into()]),
        validation = Rule::new("self.all(v, !self.exists(w, w.name != v.name && w.mountPath == v.mountPath))")
            .message("must not mount two volumes at one mountPath"),
    )]
    pub volumes: Vec<Volume>,
}

/// Compute resources of a container.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
pub struct Resources {
    /// The most that the container may use.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schema::quantities")]
    pub limits: BTreeMap<String, Quantity>,
    /// What the scheduler sets aside for the container.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schema::quantities")]
    pub requests: BTreeMap<String, Quantity>,
}

/// An environment variable of the agent container.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq, Eq)]
pub struct EnvVar {
    /// Name of the variable; those that begin with ASYNCAI_ are the operator's.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::ENV_NAME))]
    #[x_kube(validation = Rule::new("!self.matches('^ASYNCAI_')").message("must not begin with ASYNCAI_"))]
    pub name: String,
    /// Value of the variable; no secrets, which belong into Secrets.
    #[serde(default)]
    #[schemars(length(max = 32768))]
    pub value: String,
}

/// A taint that the pod tolerates, as in a Pod.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("has(self.key) || (has(self.operator) && self.operator == 'Exists')")
        .message("must set key unless operator is Exists"),
    validation = Rule::new("!has(self.value) || !has(self.operator) || self.operator != 'Exists'")
        .message("must not set value when operator is Exists"),
    validation = Rule::new("!has(self.tolerationSeconds) || (has(self.effect) && self.effect == 'NoExecute')")
        .message("must set effect NoExecute when tolerationSeconds is set"),
)]
pub struct Toleration {
    /// Key of the taint. Omitted, with operator Exists: every key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 316))]
    pub key: Option<String>,
    /// Exists, or Equal to value. Omitted: Equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<TolerationOperator>,
    /// Value of the taint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 63))]
    pub value: Option<String>,
    /// Effect of the taint: NoSchedule, PreferNoSchedule or NoExecute. Omitted: every effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<TaintEffect>,
    /// How long a NoExecute taint is tolerated, in seconds. Omitted: for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = i64::MAX))]
    pub toleration_seconds: Option<i64>,
}

/// Exists, or Equal to value. Omitted: Equal.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
pub enum TolerationOperator {
    /// The key is there.
    Exists,
    /// The key has the value.
    Equal,
}

/// Effect of the taint: NoSchedule, PreferNoSchedule or NoExecute. Omitted: every effect.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaintEffect {
    /// They are not scheduled.
    NoSchedule,
    /// They are scheduled elsewhere if possible.
    PreferNoSchedule,
    /// They are evicted.
    NoExecute,
}

/// A volume and where it is mounted, of exactly one of the kinds that cannot reach the node.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
    "(has(self.configMap) ? 1 : 0) + (has(self.secret) ? 1 : 0) + (has(self.emptyDir) ? 1 : 0) + \
     (has(self.persistentVolumeClaim) ? 1 : 0) == 1"
).message("must set exactly one of configMap, secret, emptyDir, persistentVolumeClaim"))]
pub struct Volume {
    /// Name of the volume; those that begin with asyncai- are the operator's.
    #[schemars(length(min = 1, max = 63), regex(pattern = pattern::DNS_LABEL))]
    #[x_kube(validation = Rule::new("!self.matches('^asyncai-')").message("must not begin with asyncai-"))]
    pub name: String,
    /// Absolute path in the agent container.
    #[schemars(length(max = 4096), regex(pattern = pattern::MOUNT_PATH))]
    #[x_kube(validation = Rule::new(
        "!self.matches('/[.][.]?(/|$)|^/+$|^/+(proc|sys|dev)(/|$)|^/+var/*$|^/+(var/+)?run(/*$|/+secrets(/|$))|\
         ^/+var/+lib/+asyncai(/|$)')"
    )
    .message("must not have . or .. in it, nor be in or hide /proc, /sys, /dev, /var/run/secrets or /var/lib/asyncai"))]
    pub mount_path: String,
    /// Whether the volume is mounted read-only.
    #[serde(default)]
    pub read_only: bool,
    /// The keys of a ConfigMap as files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ConfigMap>,
    /// The keys of a Secret as files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Secret>,
    /// An empty directory that lives as long as the pod: write {}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty_dir: Option<EmptyDir>,
    /// A PersistentVolumeClaim of the same namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persistent_volume_claim: Option<PersistentVolumeClaim>,
}

/// The keys of a ConfigMap as files.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigMap {
    /// Name of the ConfigMap.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::DNS_SUBDOMAIN))]
    pub name: String,
}

/// The keys of a Secret as files.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Secret {
    /// Name of the Secret.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::DNS_SUBDOMAIN))]
    pub secret_name: String,
}

/// An empty directory; it has no settings.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmptyDir {}

/// A PersistentVolumeClaim of the same namespace.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct PersistentVolumeClaim {
    /// Name of the PersistentVolumeClaim.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::DNS_SUBDOMAIN))]
    pub claim_name: String,
}

/// Where the agent keeps its conversation.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The PersistentVolumeClaim that holds it.
    pub persistent_volume_claim: PersistentVolumeClaim,
}
