//! A watch's filter: one scope in a worker, an event at a time.

use crate::call::Host;
use crate::catalogue::Catalogue;
use crate::limits::Limits;

/// The filter of one watch. Its worker is started with the first event; variables persist over events.
pub struct Filter {
    source: String,
    limits: Limits,
}

/// Why an event has no result; its text is for the notice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EventError {
    /// What happened, with line and column, several lines where there is a traceback.
    pub message: String,
    /// Whether the filter's variables are gone: its worker had to be ended.
    pub lost: bool,
}

impl Filter {
    /// A filter with this source; nothing runs yet.
    pub fn new(source: impl Into<String>, limits: Limits) -> Self {
        Self { source: source.into(), limits }
    }

    /// Runs the filter on an event, a JSON object as text: the line it makes of it, or none.
    pub async fn event(
        &mut self,
        event: &str,
        catalogue: &Catalogue,
        host: &dyn Host,
    ) -> Result<Option<String>, EventError> {
        let _ = (event, catalogue, host, &self.source, &self.limits);
        todo!()
    }
}
