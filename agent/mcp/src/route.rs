//! Which server a URI belongs to.

use std::sync::Arc;

use crate::catalogue::Catalogue;

#[cfg(test)]
mod tests;

/// What is known of a server since it was first connected, also while it is down: its URIs must
/// not move to another server meanwhile.
#[derive(Clone)]
pub(crate) struct Known {
    /// The negotiated protocol version.
    pub(crate) version: String,
    /// Whether that version has `subscriptions/listen`.
    pub(crate) modern: bool,
    /// Whether it advertises `resources.subscribe`.
    pub(crate) subscribe: bool,
    /// Whether it has resources at all.
    pub(crate) resources: bool,
    pub(crate) catalogue: Arc<Catalogue>,
}

impl Known {
    pub(crate) fn subscribable(&self) -> bool {
        self.modern && self.subscribe
    }
}

/// A server as routing sees it.
pub(crate) struct Candidate {
    /// Whether its first connection succeeded or failed.
    pub(crate) settled: bool,
    pub(crate) known: Option<Known>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// The index of the server.
    To(usize),
    /// A server that may have a better claim has not been heard of yet.
    Wait,
    Nowhere,
}

/// The server that lists `uri`; else the first whose template matches; else the first that can be
/// watched; else the first that has resources, so that its version can be complained about.
pub(crate) fn route(candidates: &[Candidate], uri: &str) -> Route {
    let first = |claim: &dyn Fn(&Known) -> bool| {
        candidates.iter().position(|candidate| candidate.known.as_ref().is_some_and(claim))
    };
    if let Some(index) = first(&|known| known.catalogue.lists(uri)) {
        return Route::To(index);
    }
    if candidates.iter().any(|candidate| !candidate.settled) {
        return Route::Wait;
    }
    first(&|known| known.catalogue.matches(uri))
        .or_else(|| first(&Known::subscribable))
        .or_else(|| first(&|known| known.subscribe))
        .or_else(|| first(&|known| known.resources))
        .map_or(Route::Nowhere, Route::To)
}
