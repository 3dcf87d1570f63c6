//! Whether a filter may be given events: each source is checked first.

/// Where the check of a watch's filter stands.
#[derive(Debug)]
pub(crate) enum Gate {
    /// There is no filter, or it was accepted.
    Open,
    /// It is to be checked.
    Unchecked,
    /// It is being checked, under this ticket.
    Asked(u64),
    /// It was refused.
    Invalid(String),
}

impl Gate {
    /// The gate of a filter that nothing is known of.
    pub(crate) fn new(filter: Option<&str>) -> Self {
        if filter.is_some() { Self::Unchecked } else { Self::Open }
    }

    /// The check under `ticket` is over. An outdated one says nothing.
    pub(crate) fn checked(&mut self, ticket: u64, result: Result<(), String>) {
        if matches!(self, Self::Asked(asked) if *asked == ticket) {
            *self = result.map_or_else(Self::Invalid, |()| Self::Open);
        }
    }

    /// A filter that was refused is to be checked once more.
    pub(crate) fn recheck(&mut self) {
        if self.refusal().is_some() {
            *self = Self::Unchecked;
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Open)
    }

    pub(crate) fn is_asked(&self) -> bool {
        matches!(self, Self::Asked(_))
    }

    /// Why the filter was refused, if it was.
    pub(crate) fn refusal(&self) -> Option<&str> {
        match self {
            Self::Invalid(message) => Some(message),
            Self::Open | Self::Unchecked | Self::Asked(_) => None,
        }
    }
}
