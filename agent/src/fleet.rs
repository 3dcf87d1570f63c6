//! The Agents and Watches among manifests, checked as the API server would.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use asyncai_crds::validate::{Finding, Object, Validator};
use asyncai_crds::{Agent, SecretKeyRef, Watch, contract, support};
use kube::ResourceExt;
use serde_json::Value;

use crate::manifest::{self, Document};
use crate::secrets;

#[cfg(test)]
mod tests;

/// The field of a Watch that holds its filter.
const ON_EVENT: &str = "spec.onEvent";

/// The valid objects among manifests, and what is wrong with the others.
#[derive(Default)]
pub(crate) struct Fleet {
    pub(crate) agents: Vec<Agent>,
    pub(crate) watches: Vec<Watch>,
    /// Values of Secrets.
    pub(crate) secrets: Vec<secrets::Value>,
    pub(crate) problems: Vec<Problem>,
    /// The filters of the watches.
    pub(crate) filters: Vec<Filter>,
    /// Objects of other kinds.
    pub(crate) others: usize,
}

/// The Python of a Watch, and where it stands.
pub(crate) struct Filter {
    file: PathBuf,
    /// Of the field.
    line: usize,
    /// Its lines are those below the field's.
    block: bool,
    pub(crate) source: String,
}

impl Filter {
    fn new(document: &Document, source: &str) -> Self {
        let line = document.line(ON_EVENT);
        let text = document.text.lines().nth(line - document.first_line).unwrap_or_default();
        let block = text.rsplit_once(": ").is_some_and(|(_, style)| style.trim_start().starts_with('|'));
        Self { file: document.path.clone(), line, block, source: source.to_owned() }
    }

    /// What is wrong with it at its own line `line`, 0 for the whole.
    pub(crate) fn problem(&self, line: u32, message: String) -> Problem {
        let below = if self.block { usize::try_from(line).unwrap_or_default() } else { 0 };
        Problem { file: self.file.clone(), line: self.line + below, field: ON_EVENT.to_owned(), message }
    }
}

/// Something wrong in a manifest; `line` is 0 if it is the file as a whole.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Problem {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) field: String,
    pub(crate) message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if self.line > 0 {
            write!(f, "{}:", self.line)?;
        }
        f.write_str(" ")?;
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)
    }
}

impl Fleet {
    /// Checks every Agent and Watch among `documents`, also in a `List` as kubectl prints it. Secrets are taken for
    /// their values; other kinds are for other programs. `errors` are findings too.
    pub(crate) fn new((documents, errors): (Vec<Document>, Vec<manifest::Error>)) -> Self {
        let validator = Validator::new();
        let mut fleet = Self::default();
        fleet.problems.extend(errors.into_iter().map(Problem::from));
        let mut seen = BTreeMap::new();
        for document in documents.into_iter().flat_map(unpacked) {
            match document.value["kind"].as_str() {
                Some("Secret") if document.value["apiVersion"] == "v1" => fleet.add_secret(&document),
                Some("Agent" | "Watch") | None => fleet.add(&validator, &document, &mut seen),
                _ if group(&document) == contract::GROUP => fleet.add(&validator, &document, &mut seen),
                Some(_) => fleet.others += 1,
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
            return Err(vec![format!(
                "expected one Agent among the manifests, found {found}; name its files one by one"
            )]);
        };
        let name = agent.name_any();
        let unsupported = support::agent(&agent.spec).into_iter().map(|what| format!("Agent {name}: {what}"));
        let secrets = self.secrets.iter().map(|(name, key, _)| (name, key)).collect::<BTreeSet<_>>();
        let absent = contract::secret_refs(&agent.spec).into_iter().filter_map(|reference| {
            let SecretKeyRef { name: secret, key } = reference.secret;
            let absent = !secrets.contains(&(secret, key));
            absent.then(|| {
                format!("Agent {name}: {}: no Secret {secret:?} with key {key:?} among the manifests", reference.field)
            })
        });
        let strangers = self.watches.iter().filter(|watch| watch.spec.agent_ref.name != name).map(|watch| {
            let wanted = &watch.spec.agent_ref.name;
            format!("Watch {}: spec.agentRef.name: there is no Agent {wanted:?}, only {name:?}", watch.name_any())
        });
        let wrong = unsupported.chain(absent).chain(strangers).collect::<Vec<_>>();
        if wrong.is_empty() { Ok((agent.clone(), self.watches.clone())) } else { Err(wrong) }
    }

    fn add(&mut self, validator: &Validator, document: &Document, seen: &mut BTreeMap<String, String>) {
        match validator.create(&document.value) {
            Ok(Object::Agent(agent)) => self.agents.push(*agent),
            Ok(Object::Watch(watch)) => {
                self.filters.extend(watch.spec.on_event.iter().map(|source| Filter::new(document, source)));
                self.watches.push(*watch);
            }
            Err(findings) => self.problems.extend(findings.into_iter().map(|finding| problem(document, finding))),
        }
        self.unique(document, seen);
    }

    fn add_secret(&mut self, document: &Document) {
        match secret(&document.value) {
            Ok(values) => self.secrets.extend(values),
            Err(finding) => self.problems.push(problem(document, finding)),
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

impl From<manifest::Error> for Problem {
    fn from(error: manifest::Error) -> Self {
        let (file, line, message) = match error {
            manifest::Error::Syntax { path, line, message } => (path, line, message),
            manifest::Error::Read { path, source } => (path, 0, format!("cannot be read: {source}")),
            manifest::Error::Empty { path } => (path, 0, "holds no .yaml or .yml file".to_owned()),
        };
        Self { file, line, field: String::new(), message }
    }
}

fn problem(document: &Document, finding: Finding) -> Problem {
    let line = document.line(&finding.field);
    Problem { file: document.path.clone(), line, field: finding.field, message: finding.message }
}

fn group(document: &Document) -> &str {
    document.value["apiVersion"].as_str().and_then(|version| version.split('/').next()).unwrap_or_default()
}

/// The items of a `List`, each as if it stood alone in the same place.
fn unpacked(document: Document) -> Vec<Document> {
    match &document.value["items"] {
        Value::Array(items) if document.value["kind"] == "List" => {
            items.iter().map(|item| Document { value: item.clone(), ..document.clone() }).collect()
        }
        _ => vec![document],
    }
}

fn secret(value: &Value) -> Result<Vec<secrets::Value>, Finding> {
    let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let entries = |field: &str| value[field].as_object().into_iter().flatten();
    let encoded = entries("data").map(|(key, value)| {
        let bytes: k8s_openapi::ByteString = serde_json::from_value(value.clone())
            .map_err(|_| Finding { field: format!("data.{key}"), message: "must be base64".to_owned() })?;
        Ok((key, bytes.0))
    });
    let plain = entries("stringData").map(|(key, value)| match value.as_str() {
        Some(text) => Ok((key, text.as_bytes().to_vec())),
        None => Err(Finding { field: format!("stringData.{key}"), message: "must be a string: quote it".to_owned() }),
    });
    // As on the API server, stringData wins.
    encoded.chain(plain).map(|entry| entry.map(|(key, value)| (name.to_owned(), key.clone(), value))).collect()
}
