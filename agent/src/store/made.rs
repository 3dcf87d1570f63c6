//! The Watches that the model makes: how they are told from those of people, and what an attempt to save one says.

use asyncai_crds::validate::Validator;
use asyncai_crds::watch::AgentRef;
use asyncai_crds::{Agent, Watch, WatchSpec, contract};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::{Resource, ResourceExt};

#[cfg(test)]
mod tests;

/// The Watch that the model of `agent` calls `name`: with the label that says so, owned by its Agent, and with nothing
/// else, which the admission policy of the chart insists on. `spec` may name any agent; it is this one's.
///
/// # Errors
/// What the API server would say of it, in a line.
pub(crate) fn watch(agent: &Agent, name: &str, spec: WatchSpec) -> Result<Watch, String> {
    let of = agent.name_any();
    let spec = WatchSpec { agent_ref: AgentRef { name: of.clone() }, ..spec };
    let mut watch = Watch::new(&contract::model_watch_name(&of, name), spec);
    let labels = [(contract::ORIGIN_LABEL.to_owned(), contract::ORIGIN_MODEL.to_owned())];
    watch.metadata.labels = Some(labels.into());
    watch.metadata.namespace = agent.namespace();
    // Without a cluster there is no UID, and nobody who would delete what belongs to a deleted Agent.
    watch.metadata.owner_references = agent.meta().uid.as_ref().map(|uid| {
        vec![OwnerReference {
            api_version: contract::API_VERSION.to_owned(),
            kind: "Agent".to_owned(),
            name: of,
            uid: uid.clone(),
            ..OwnerReference::default()
        }]
    });
    check(&watch)?;
    Ok(watch)
}

/// Whether the model made the Watch, and may replace and delete it.
pub(crate) fn is_of_model(watch: &Watch) -> bool {
    watch.labels().get(contract::ORIGIN_LABEL).is_some_and(|origin| origin == contract::ORIGIN_MODEL)
}

/// What is wrong is known before the Watch that is to be replaced is gone.
fn check(watch: &Watch) -> Result<(), String> {
    let value = serde_json::to_value(watch).map_err(|error| error.to_string())?;
    let Err(findings) = Validator::new().create(&value) else { return Ok(()) };
    let lines: Vec<String> = findings.iter().map(|finding| format!("{}: {}", finding.field, finding.message)).collect();
    Err(lines.join("; "))
}
