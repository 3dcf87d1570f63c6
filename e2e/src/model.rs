//! The scripted model in a pod of the story's namespace: `http://model:8080/v1`.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::log::Log;
use crate::proxy::Proxy;
use crate::scripted_model::Recorded;
use crate::story::Story;

const MANIFEST: &str = "
apiVersion: v1
kind: Pod
metadata: {name: model, labels: {app: model}}
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 1
  securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: model
    image: localhost/asyncai-e2e:dev
    command: [/scripted-model, --addr, '0.0.0.0:8080', --scenario, /scenario/scenario.yaml]
    securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
    ports: [{containerPort: 8080}]
    readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 1}
    volumeMounts: [{name: scenario, mountPath: /scenario}]
  volumes: [{name: scenario, configMap: {name: model-scenario}}]
---
apiVersion: v1
kind: Service
metadata: {name: model}
spec: {selector: {app: model}, ports: [{port: 8080}]}
";

/// A scripted model and the record of what it was asked.
pub struct Model {
    log: Log,
    proxy: Proxy,
}

impl Model {
    /// Starts a model that replies by the scenario (YAML) and waits until it serves.
    pub async fn start(story: &Story, scenario: &str) -> Result<Self> {
        let scenario = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "model-scenario"},
            "data": {"scenario.yaml": scenario}});
        story.apply(&scenario.to_string()).await?;
        story.apply(MANIFEST).await?;
        story.pod_ready("model").await?;
        Ok(Self { log: Log::follow(&story.api(), "model").await?, proxy: Proxy::new(story, "model", 8080) })
    }

    /// Replaces the scenario (YAML); the record goes on.
    pub async fn script(&self, scenario: &str) -> Result<()> {
        self.proxy.send("PUT", "/scenario", scenario.to_owned()).await.map(drop)
    }

    /// Lets one request go that is, or will be, held by this gate.
    pub async fn open(&self, gate: &str) -> Result<()> {
        self.proxy.send("POST", &format!("/gates/{gate}"), String::new()).await.map(drop)
    }

    /// All requests so far.
    pub async fn requests(&self) -> Result<Vec<Recorded>> {
        let requests = self.proxy.get("/requests").await?;
        serde_json::from_str(&requests).context("the record of the requests is not what it should be")
    }

    /// The next request for a completion.
    pub async fn request(&mut self) -> Result<Recorded> {
        let line = self.log.find("a request to the model", |line| line["body"]["messages"].is_array()).await?;
        serde_json::from_value(line).context("the record of a request is not what it should be")
    }

    /// The next request's last user message.
    pub async fn message(&mut self) -> Result<String> {
        let request = self.request().await?;
        let mut messages = request.messages().into_iter().rev();
        let (_, content) = messages.find(|(role, _)| *role == "user").context("a request without a user message")?;
        Ok(content.to_owned())
    }

    /// The next request whose conversation holds this text in what is not the model's own.
    pub async fn until(&mut self, text: &str) -> Result<Recorded> {
        let what = format!("a request to the model that holds {text:?}");
        let holds = |line: &Value| {
            let messages = line["body"]["messages"].as_array().into_iter().flatten();
            let told = messages.filter(|message| message["role"] != "assistant");
            told.filter_map(|message| message["content"].as_str()).any(|content| content.contains(text))
        };
        let line = self.log.find(&what, holds).await?;
        serde_json::from_value(line).context("the record of a request is not what it should be")
    }
}

/// A notice as the model was told it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// The watch's name.
    pub watch: String,
    /// The notice's own identity.
    pub id: String,
    /// What it tells.
    pub lines: Vec<String>,
}

/// All notices of a conversation.
#[must_use]
pub fn notices(request: &Recorded) -> Vec<Notice> {
    let messages = request.messages();
    let told = messages.iter().filter(|(role, _)| *role == "user");
    told.flat_map(|(_, content)| content.split("<watch-event ").skip(1)).filter_map(notice).collect()
}

fn notice(text: &str) -> Option<Notice> {
    let (head, rest) = text.split_once(">\n")?;
    let (lines, _) = rest.split_once("</watch-event>")?;
    let attribute = |name: &str| Some(head.split_once(&format!("{name}=\""))?.1.split_once('"')?.0.to_owned());
    Some(Notice { watch: attribute("name")?, id: attribute("id")?, lines: lines.lines().map(str::to_owned).collect() })
}
