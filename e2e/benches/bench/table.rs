//! The table that is printed.

use std::fmt;

use crate::stats::Ratio;

/// A figure beside its anchor.
#[derive(Default)]
pub(crate) struct Row {
    /// What was measured.
    pub(crate) what: String,
    /// The product's figure, with its unit.
    pub(crate) ours: String,
    /// What it is compared with, and that one's figure.
    pub(crate) anchor: String,
    /// Ours to the anchor's, if that says anything.
    pub(crate) ratio: Option<Ratio>,
    /// What it should be.
    pub(crate) target: &'static str,
}

/// All figures.
#[derive(Default)]
pub(crate) struct Table(Vec<[String; 5]>);

impl Extend<Row> for Table {
    fn extend<T: IntoIterator<Item = Row>>(&mut self, rows: T) {
        self.0.extend(rows.into_iter().map(|row| {
            let ratio = row.ratio.map_or_else(|| "-".to_owned(), |ratio| ratio.to_string());
            [row.what, row.ours, row.anchor, ratio, row.target.to_owned()]
        }));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["what", "ours", "anchor", "ratio (of the rounds)", "target"].map(str::to_owned);
        let lines: Vec<_> = [&head].into_iter().chain(&self.0).collect();
        let widths =
            [0, 1, 2, 3, 4].map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0));
        for line in lines {
            for (cell, width) in line.iter().zip(widths) {
                write!(f, "{cell:<width$}  ")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
