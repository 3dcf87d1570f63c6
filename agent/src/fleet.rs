//! The Agents and Watches among manifests, checked as the API server would.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use asyncai_crds::validate::{Finding, Object, Validator};
use asyncai_crds::{Agent, Watch, contract, support};
use kube::ResourceExt;
use serde_json::Value;

use crate::manifest::Document;

#[cfg(test)]
mod tests;

/// The valid objects among manifests, and what is wrong with the others.
#[derive(Default)]
pub(crate) struct Fleet {
    pub(crate) agents: Vec<Agent>,
    pub(crate) watches: Vec<Watch>,
    /// Values of Secrets: name, key, value.
    pub(crate) secrets: Vec<(String, String, Vec<u8>)>,
    pub(crate) problems: Vec<Problem>,
}

/// Something wrong in a manifest.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Problem {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) field: String,
    pub(crate) message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.file.display(), self.line)?;
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)
    }
}

impl Fleet {
    /// Checks every document of our group. Secrets are taken for their values; other kinds are for other programs.
    pub(crate) fn new(documents: &[Document]) -> Self {
        let validator = Validator::new();
        let mut fleet = Self::default();
        let mut seen = BTreeMap::new();
        for document in documents {
            let version = document.value["apiVersion"].as_str().unwrap_or_default();
            if version == "v1" && document.value["kind"] == "Secret" {
                fleet.secrets.extend(secret(&document.value));
            } else if version.is_empty() || version.split('/').next() == Some(contract::GROUP) {
                fleet.add(&validator, document);
                fleet.unique(document, &mut seen);
            }
        }
        fleet
    }

    /// The one Agent and its Watches.
    ///
    /// # Errors
    /// What is wrong, a line each, if the manifests are not just that or use what is not served yet.
    pub(crate) fn single(&self) -> Result<(Agent, Vec<Watch>), Vec<String>> {
        if !self.problems.is_empty() {
            return Err(self.problems.iter().map(ToString::to_string).collect());
        }
        let [agent] = self.agents.as_slice() else {
            let names = self.agents.iter().map(ResourceExt::name_any).collect::<Vec<_>>();
            let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(vec![format!("expected one Agent among the manifests, found {found}")]);
        };
        let name = agent.name_any();
        let unsupported = support::agent(&agent.spec).into_iter().map(|what| format!("Agent {name}: {what}"));
        let strangers = self.watches.iter().filter(|watch| watch.spec.agent_ref.name != name).map(|watch| {
            let wanted = &watch.spec.agent_ref.name;
            format!("Watch {}: spec.agentRef.name: there is no Agent {wanted:?}, only {name:?}", watch.name_any())
        });
        let wrong = unsupported.chain(strangers).collect::<Vec<_>>();
        if wrong.is_empty() { Ok((agent.clone(), self.watches.clone())) } else { Err(wrong) }
    }

    fn add(&mut self, validator: &Validator, document: &Document) {
        match validator.create(&document.value) {
            Ok(Object::Agent(agent)) => self.agents.push(*agent),
            Ok(Object::Watch(watch)) => self.watches.push(*watch),
            Err(findings) => self.problems.extend(findings.into_iter().map(|finding| problem(document, finding))),
        }
    }

    fn unique(&mut self, document: &Document, seen: &mut BTreeMap<String, String>) {
        let text = |pointer| document.value.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let key = format!("{} {}/{}", text("/kind"), text("/metadata/namespace"), text("/metadata/name"));
        let place = format!("{}:{}", document.path.display(), document.first_line);
        if let Some(first) = seen.insert(key, place) {
            let message = format!("another {} of this name stands at {first}", text("/kind"));
            self.problems.push(problem(document, Finding { field: "metadata.name".to_owned(), message }));
        }
    }
}

fn problem(document: &Document, finding: Finding) -> Problem {
    let line = document.line(&finding.field);
    Problem { file: document.path.clone(), line, field: finding.field, message: finding.message }
}

fn secret(value: &Value) -> Vec<(String, String, Vec<u8>)> {
    let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let entries = |field: &str| value[field].as_object().into_iter().flatten();
    let plain = entries("stringData").filter_map(|(key, value)| Some((key, value.as_str()?.as_bytes().to_vec())));
    let encoded = entries("data").filter_map(|(key, value)| {
        let bytes: k8s_openapi::ByteString = serde_json::from_value(value.clone()).ok()?;
        Some((key, bytes.0))
    });
    // As on the API server, stringData wins.
    encoded.chain(plain).map(|(key, value)| (name.to_owned(), key.clone(), value)).collect()
}
