//! A notice: news from a background source, such as a watch.

/// News that the model is to see in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Given back in [`crate::Output::Seen`]; unique within the process.
    pub number: u64,
    /// Where the news is from: the name of the watch.
    pub source: String,
    /// The whole message for the model.
    pub text: String,
    /// The news alone, a line each, for when no model tells it.
    pub lines: Vec<String>,
    /// How many lines more there were than `lines` holds.
    pub more: usize,
}

impl Notice {
    /// The news as people read it without a model: `source: line`.
    pub(crate) fn relayed(&self) -> impl Iterator<Item = String> {
        let more = (self.more > 0).then(|| format!("{}: +{} more", self.source, self.more));
        self.lines.iter().map(|line| format!("{}: {line}", self.source)).chain(more)
    }
}
