//! What an Agent's spec asks of the parts of this program. Pure, but for the Secrets that it reads.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use asyncai_crds::agent::{Access, Http, McpServer, Model, Prompt, Provider, Source, Stdio};
use asyncai_crds::{AgentSpec, Reason, SecretKeyRef, contract};
use asyncai_orchestrator as turns;

use crate::secrets::Secrets;

#[cfg(test)]
mod tests;

/// The settings of a running agent.
#[derive(Default)]
pub(crate) struct Settings {
    /// The MCP servers whose Secrets are there.
    pub(crate) servers: BTreeMap<String, Server>,
    /// The turn engine's.
    pub(crate) turns: turns::Config,
    /// The model; None if there is none to call.
    pub(crate) model: Option<Model>,
    /// Most watches.
    pub(crate) max_watches: u32,
    /// What the spec refers to and is not there.
    pub(crate) missing: Vec<(Reason, String)>,
}

/// How an MCP server is reached. No `Debug`: it holds secrets.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Server {
    /// Our memo, in this process.
    Simple,
    /// Our Kubernetes server, in this process.
    Kcp { access: Access, kubeconfig: Option<PathBuf> },
    /// Our file server, in this process.
    File { paths: Vec<PathBuf> },
    /// Streamable HTTP.
    Http { url: String, headers: Vec<(String, String)>, timeout: Duration },
    /// A child process.
    Stdio { command: Vec<String>, env: BTreeMap<String, String> },
}

impl Settings {
    /// The settings for `spec`; `default_model` stands in where it names none, and replies go to `channel` where
    /// nobody asked for them.
    pub(crate) fn new(
        spec: &AgentSpec,
        default_model: Option<&Model>,
        secrets: &Secrets,
        channel: Option<&str>,
    ) -> Self {
        let model = spec.model.as_ref().or(default_model).cloned();
        let relay = model.as_ref().is_some_and(|model| model.provider == Provider::Relay);
        // One without its Secret is left out; that Secret is among the missing.
        let servers =
            spec.mcp_servers.iter().filter_map(|entry| Some((entry.name.clone(), server(entry, secrets).ok()??)));
        let servers = servers.collect();
        let with_model = AgentSpec { model: model.clone(), ..spec.clone() };
        let missing = contract::secret_refs(&with_model).into_iter().filter_map(|reference| {
            let message = secrets.get(reference.secret).err()?;
            Some((Reason::SecretNotFound, format!("{}: {message}", reference.field)))
        });
        let missing = missing.collect();
        Self {
            servers,
            turns: turns::Config {
                system_prompt: system_prompt(spec),
                relay,
                on_start: spec.on_start.clone(),
                max_turns_per_hour: spec.limits.max_turns_per_hour,
                max_tokens_per_day: spec.limits.max_tokens_per_day,
                default_channel: channel.map(str::to_owned),
                suspend: spec.suspend || model.is_none(),
                ..turns::Config::default()
            },
            model,
            max_watches: spec.watches.max,
            missing,
        }
    }

    /// What a call of the model needs, with the API key as it is now.
    ///
    /// # Errors
    /// A sentence for people when there is no model, or no key.
    pub(crate) fn model(&self, secrets: &Secrets) -> Result<asyncai_model::Config, String> {
        let model = self.model.as_ref().ok_or("no model is set")?;
        let base_url = model.base_url.as_deref().ok_or("spec.model.baseURL is not set")?;
        let name = model.name.as_deref().ok_or("spec.model.name is not set")?;
        let key = model.api_key_secret_ref.as_ref().map(|secret| secrets.get(secret)).transpose();
        let key = key.map_err(|message| format!("spec.model.apiKeySecretRef: {message}"))?;
        Ok(asyncai_model::Config {
            api_key: key.as_deref().map(Into::into),
            max_output_tokens: model.max_output_tokens,
            timeout: Duration::from_secs(model.timeout_seconds.into()),
            ..asyncai_model::Config::new(base_url, name)
        })
    }
}

fn system_prompt(spec: &AgentSpec) -> String {
    spec.system_prompt.clone().unwrap_or_else(|| {
        let prompt = match spec.prompt.unwrap_or_default() {
            Prompt::Channel => turns::Prompt::Channel,
            Prompt::Fleet => turns::Prompt::Fleet,
        };
        prompt.text().to_owned()
    })
}

/// None for what is not served yet, which is refused elsewhere.
fn server(entry: &McpServer, secrets: &Secrets) -> Result<Option<Server>, String> {
    Ok(match entry.source() {
        Some(Source::Simple(_)) => Some(Server::Simple),
        Some(Source::Kcp(kcp)) => {
            let kubeconfig = kcp.kubeconfig_secret_ref.as_ref();
            // Read for its absence only: the server opens the file anew at each connection.
            kubeconfig.map(|secret| secrets.get(secret)).transpose()?;
            Some(Server::Kcp { access: kcp.access, kubeconfig: kubeconfig.map(|secret| secrets.path(secret)) })
        }
        Some(Source::Http(http)) => Some(self::http(http, secrets)?),
        Some(Source::Stdio(stdio)) => Some(self::stdio(stdio, secrets)?),
        Some(Source::File(file)) => Some(Server::File { paths: file.paths.iter().map(PathBuf::from).collect() }),
        Some(Source::Mark(_) | Source::Container(_)) | None => None,
    })
}

fn http(http: &Http, secrets: &Secrets) -> Result<Server, String> {
    let headers = http.headers.iter().map(|header| {
        let value = value(header.value.as_ref(), header.value_secret_ref.as_ref(), secrets)?;
        Ok((header.name.clone(), value))
    });
    Ok(Server::Http {
        url: http.url.clone(),
        headers: headers.collect::<Result<_, String>>()?,
        timeout: Duration::from_secs(http.timeout_seconds.into()),
    })
}

fn stdio(stdio: &Stdio, secrets: &Secrets) -> Result<Server, String> {
    let env = stdio.env.iter().map(|variable| {
        let value = value(variable.value.as_ref(), variable.value_secret_ref.as_ref(), secrets)?;
        Ok((variable.name.clone(), value))
    });
    Ok(Server::Stdio { command: stdio.command.clone(), env: env.collect::<Result<_, String>>()? })
}

fn value(plain: Option<&String>, secret: Option<&SecretKeyRef>, secrets: &Secrets) -> Result<String, String> {
    match secret {
        Some(secret) => secrets.get(secret),
        None => Ok(plain.cloned().unwrap_or_default()),
    }
}
