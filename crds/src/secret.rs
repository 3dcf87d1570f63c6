//! A reference to one key of a Secret.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::pattern;

/// One key of a Secret in the namespace of the Agent.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct SecretKeyRef {
    /// Name of the Secret.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::DNS_SUBDOMAIN))]
    pub name: String,
    /// Key in the Secret whose value is used.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::SECRET_KEY))]
    pub key: String,
}
