//! The description of the model's tool `run_code`.

use crate::catalogue::Catalogue;

/// The description of `run_code`: how it works, what Python lacks, the functions; at most 8 KB.
pub fn describe(catalogue: &Catalogue) -> String {
    let _ = catalogue;
    todo!()
}
