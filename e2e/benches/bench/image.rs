//! The size of the image.

use std::fs;

use anyhow::{Context, Result};
use asyncai_e2e::cluster::repository;

use crate::stats::Ratio;
use crate::table::Row;

/// The agent image of kagent in Go, by its maintainers (2026-03-12).
const ANCHOR_MB: f64 = 29.7;

/// The archive that `make image` left; its layer is compressed where the profile was `release`.
pub(crate) fn rows() -> Result<Vec<Row>> {
    let path = repository().join("out/asyncai.tar");
    let size = fs::metadata(&path)
        .with_context(|| format!("{} is missing: run `make image PROFILE=release`", path.display()))?
        .len();
    #[expect(clippy::cast_precision_loss, reason = "megabytes")]
    let megabytes = size as f64 / 1e6;
    Ok(vec![Row {
        what: "image, agent and operator".to_owned(),
        ours: format!("{megabytes:.1} MB"),
        anchor: format!("kagent Go, published {ANCHOR_MB} MB"),
        ratio: Some(Ratio::once(megabytes, ANCHOR_MB)),
        target: "<= 15 MB, 0.5x",
    }])
}
