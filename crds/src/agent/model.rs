//! The model of an Agent and its system prompt.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{SecretKeyRef, schema::pattern};

/// Where completions come from.
#[derive(Serialize, Deserialize, KubeSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = Rule::new("self.provider != 'OpenAI' || (has(self.baseURL) && has(self.name))")
        .message("must set baseURL and name when provider is OpenAI"),
    validation = Rule::new(
        "self.provider != 'Relay' || (!has(self.baseURL) && !has(self.name) && !has(self.apiKeySecretRef))"
    )
    .message("must set none of baseURL, name, apiKeySecretRef when provider is Relay"),
)]
pub struct Model {
    /// OpenAI: any endpoint that speaks the OpenAI chat completions API. Relay: no model; each line of a notice is
    /// posted to the default channel as it is.
    #[serde(default)]
    pub provider: Provider,
    /// Base URL of the API, such as http://llm.models.svc/v1.
    #[serde(default, rename = "baseURL", skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2048), regex(pattern = pattern::HTTP_URL))]
    pub base_url: Option<String>,
    /// Name of the model, as the endpoint knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub name: Option<String>,
    /// Secret key that holds the API key. Omitted: no key is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_secret_ref: Option<SecretKeyRef>,
    /// Longest reply, in tokens.
    #[serde(default = "default_max_output_tokens")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_output_tokens: u32,
    /// Longest time that a completion may take, in seconds.
    #[serde(default = "default_timeout_seconds")]
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_seconds: u32,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            provider: Provider::default(),
            base_url: None,
            name: None,
            api_key_secret_ref: None,
            max_output_tokens: default_max_output_tokens(),
            timeout_seconds: default_timeout_seconds(),
        }
    }
}

/// The kind of model.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    /// Any endpoint that speaks the OpenAI chat completions API.
    #[default]
    OpenAI,
    /// No model: each line of a notice is posted as it is.
    Relay,
}

/// A built-in system prompt: Channel (an assistant in a chat channel) or Fleet (an operations engineer that watches a
/// fleet). At most one of prompt and systemPrompt; neither means Channel.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prompt {
    /// An assistant in a chat channel.
    #[default]
    Channel,
    /// An operations engineer that watches a fleet.
    Fleet,
}

fn default_max_output_tokens() -> u32 {
    8192
}

fn default_timeout_seconds() -> u32 {
    600
}
