//! `asyncai check`: validates manifests offline.

use anyhow::Result;

use crate::args::{CheckArgs, Report};
use crate::fleet::Fleet;
use crate::manifest;
use crate::python::catalogue;

/// A file cannot be read at all.
const UNREADABLE: u8 = 2;

/// Prints every finding, and to stderr what was looked at.
pub(crate) async fn run(args: &CheckArgs) -> Result<u8> {
    let manifests = manifest::read(&args.files);
    let unreadable = manifests.1.iter().any(|error| !matches!(error, manifest::Error::Syntax { .. }));
    let mut fleet = Fleet::new(manifests);
    for filter in std::mem::take(&mut fleet.filters) {
        if let Err(finding) = catalogue::check_offline(&filter.source).await {
            fleet.problems.push(filter.problem(finding.line, finding.to_string()));
        }
    }
    match args.output {
        Report::Text => fleet.problems.iter().for_each(|problem| println!("{problem}")),
        Report::Json => println!("{}", serde_json::to_string_pretty(&fleet.problems)?),
    }
    let (agents, watches) = (fleet.agents.len(), fleet.watches.len());
    eprintln!("valid: Agents {agents}, Watches {watches}; of other kinds: {}", fleet.others);
    Ok(if unreadable { UNREADABLE } else { u8::from(!fleet.problems.is_empty()) })
}
