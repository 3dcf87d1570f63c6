//! What is to be watched, and how the agent wants to be told.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The identity of a watch over its whole life: the uid of its object, or its name where there is no cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(Arc<str>);

impl Id {
    /// The text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<Arc<str>>> From<T> for Id {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One watch as people or the model declared it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Its identity.
    pub id: Id,
    /// Its name as the agent knows it.
    pub name: String,
    /// The URI of the MCP resource.
    pub uri: String,
    /// The MCP server to ask; otherwise the URI decides.
    pub server: Option<String>,
    /// The source of the filter that each event goes through, by [`Output::Filter`](crate::Output::Filter).
    pub filter: Option<Arc<str>>,
    /// Who made the watch.
    pub origin: Origin,
    /// What the agent is to do about a notice; told with each.
    pub instructions: Option<String>,
    /// What is told of that which exists when the watch starts for the first time.
    pub initial: Initial,
    /// A notice goes out when no line has come for so long.
    pub debounce: Duration,
    /// A notice goes out at the latest so long after its first line.
    pub max_wait: Duration,
    /// At most so many notices in any hour, at least 1; lines beyond wait and are told together.
    pub max_notices_per_hour: u32,
    /// Nothing is subscribed or told; what happened meanwhile is told on resume.
    pub suspend: bool,
    /// The generation of the object, given back in each [`Status`](crate::Status).
    pub generation: i64,
    /// When the object was created, in seconds since 1970: over the maximum, the oldest watches win, then the name decides.
    pub created: i64,
}

/// Who made a watch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// People: what becomes of it is for them to decide.
    #[default]
    Declared,
    /// The model. One that an earlier process left and that can never start is deleted, by
    /// [`Output::Delete`](crate::Output::Delete).
    Model,
}

/// What is told of that which exists when a watch starts for the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Initial {
    /// Nothing.
    #[default]
    Skip,
    /// Everything, as if it were new. An event log is asked for it by [`Output::Read`](crate::Output::Read) `since` 0; one
    /// that does not know of this tells the events it still holds.
    Deliver,
}

impl Spec {
    pub(crate) fn is_filtered(&self) -> bool {
        self.filter.is_some()
    }

    /// Whether `other` watches something else, so that nothing of the past holds for it.
    pub(crate) fn watches_another(&self, other: &Self) -> bool {
        (&self.name, &self.uri, &self.server) != (&other.name, &other.uri, &other.server)
    }
}
