//! `asyncai check`: validates manifests offline.

use anyhow::Result;

use crate::args::{CheckArgs, Report};
use crate::fleet::Fleet;
use crate::manifest;

/// A file cannot be read at all.
const UNREADABLE: u8 = 2;

/// Prints every finding, and to stderr what was looked at.
pub(crate) fn run(args: &CheckArgs) -> Result<u8> {
    let manifests = manifest::read(&args.files);
    let unreadable = manifests.1.iter().any(|error| !matches!(error, manifest::Error::Syntax { .. }));
    let fleet = Fleet::new(manifests);
    match args.output {
        Report::Text => fleet.problems.iter().for_each(|problem| println!("{problem}")),
        Report::Json => println!("{}", serde_json::to_string_pretty(&fleet.problems)?),
    }
    let (agents, watches) = (fleet.agents.len(), fleet.watches.len());
    eprintln!("valid: Agents {agents}, Watches {watches}; of other kinds: {}", fleet.others);
    Ok(if unreadable { UNREADABLE } else { u8::from(!fleet.problems.is_empty()) })
}
