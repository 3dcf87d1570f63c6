//! A notice: news from a background source, such as a watch.

/// News that the model is to see in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Given back in [`crate::Output::Seen`], if somebody waits for that; unique within the process.
    pub number: Option<u64>,
    /// Names the news over restarts, so that a repeat is recognised. None: nobody tells it again.
    pub id: Option<String>,
    /// Where the news is from: the name of the watch.
    pub source: String,
    /// The source as a background task of the session: `watch-<name>`.
    pub task: String,
    /// What the task does: `watch <name> <uri>`.
    pub description: String,
    /// What the model is to do about it: the instruction that ends `text`.
    pub note: String,
    /// The whole message for the model.
    pub text: String,
    /// The news alone, a line each, for when no model tells it.
    pub lines: Vec<String>,
    /// How many lines more there were than `lines` holds.
    pub more: usize,
}

/// What news is called over restarts. An id is one of its source only for as long as that watches the same.
pub(crate) type Key = (String, String);

impl Notice {
    /// What the news is called over restarts, if somebody tells it again.
    pub(crate) fn key(&self) -> Option<Key> {
        Some((self.description.clone(), self.id.clone()?))
    }

    /// A notice of a source that is no watch: `text` is all there is to it, and nobody waits until it is seen.
    pub fn new(source: impl Into<String>, text: impl Into<String>) -> Self {
        let (source, text) = (source.into(), text.into());
        Self {
            number: None,
            id: None,
            task: source.clone(),
            description: source.clone(),
            note: String::new(),
            lines: text.lines().map(str::to_owned).collect(),
            more: 0,
            source,
            text,
        }
    }

    /// The news as people read it without a model: `source: line`.
    pub(crate) fn relayed(&self) -> impl Iterator<Item = String> {
        let more = (self.more > 0).then(|| format!("{}: +{} more", self.source, self.more));
        self.lines.iter().map(|line| format!("{}: {line}", self.source)).chain(more)
    }
}
