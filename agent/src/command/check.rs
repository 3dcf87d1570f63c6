//! `asyncai check`: validates manifests offline.

use anyhow::Result;

use crate::args::{CheckArgs, Report};
use crate::fleet::Fleet;
use crate::manifest;

/// A manifest that cannot be read at all.
const UNREADABLE: u8 = 2;

/// Prints every finding.
pub(crate) fn run(args: &CheckArgs) -> Result<u8> {
    let documents = match manifest::read(&args.files) {
        Ok(documents) => documents,
        Err(error) => {
            eprintln!("{error}");
            return Ok(UNREADABLE);
        }
    };
    let fleet = Fleet::new(&documents);
    match args.output {
        Report::Text => fleet.problems.iter().for_each(|problem| println!("{problem}")),
        Report::Json => println!("{}", serde_json::to_string_pretty(&fleet.problems)?),
    }
    Ok(u8::from(!fleet.problems.is_empty()))
}
