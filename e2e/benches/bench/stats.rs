//! Medians and their spread.

use std::fmt;

/// The value below which `part` (0 to 1) of the samples lie; NaN without samples.
pub(crate) fn quantile(samples: &[f64], part: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "few samples"
    )]
    let index = ((sorted.len().saturating_sub(1)) as f64 * part).round() as usize;
    sorted.get(index).copied().unwrap_or(f64::NAN)
}

/// The middle of the samples.
pub(crate) fn median(samples: &[f64]) -> f64 {
    quantile(samples, 0.5)
}

/// A ratio of medians, and how far it goes from round to round.
pub(crate) struct Ratio {
    middle: f64,
    rounds: Option<(f64, f64)>,
}

impl Ratio {
    /// Of two figures measured once.
    pub(crate) fn once(ours: f64, anchor: f64) -> Self {
        Self { middle: ours / anchor, rounds: None }
    }

    /// Of pairs of figures, one a round.
    pub(crate) fn of(rounds: &[(f64, f64)]) -> Self {
        let (ours, anchor): (Vec<f64>, Vec<f64>) = rounds.iter().copied().unzip();
        let ratios: Vec<f64> = rounds.iter().map(|(ours, anchor)| ours / anchor).collect();
        let spread = (quantile(&ratios, 0.0), quantile(&ratios, 1.0));
        Self { middle: median(&ours) / median(&anchor), rounds: Some(spread) }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.4}", self.middle)?;
        match self.rounds {
            Some((least, most)) => write!(f, " ({least:.4} to {most:.4})"),
            None => Ok(()),
        }
    }
}
