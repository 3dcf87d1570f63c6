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
pub(crate) enum Candidate {
    /// Not heard of yet.
    Connecting,
    /// Never connected so far, and why.
    Down(String),
    /// Connected, now or before.
    Known(Known),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// The index of the server.
    To(usize),
    /// A server that may have a better claim has not been heard of yet.
    Wait,
    /// Nowhere yet: nobody claims it, and this server may do so once it is up.
    Down {
        index: usize,
        message: String,
    },
    Nowhere,
}

/// The server that lists `uri`; else the first whose template matches; else, once all have been
/// connected, the first that can be watched; else the first that has resources, so that its
/// version can be complained about.
pub(crate) fn route(candidates: &[Candidate], uri: &str) -> Route {
    let first = |claim: &dyn Fn(&Known) -> bool| {
        candidates.iter().position(|candidate| matches!(candidate, Candidate::Known(known) if claim(known)))
    };
    if let Some(index) = first(&|known| known.catalogue.lists(uri)) {
        return Route::To(index);
    }
    if candidates.iter().any(|candidate| matches!(candidate, Candidate::Connecting)) {
        return Route::Wait;
    }
    if let Some(index) = first(&|known| known.catalogue.matches(uri)) {
        return Route::To(index);
    }
    let down = candidates.iter().enumerate().find_map(|(index, candidate)| match candidate {
        Candidate::Down(message) => Some(Route::Down { index, message: message.clone() }),
        _ => None,
    });
    if let Some(down) = down {
        return down;
    }
    first(&Known::subscribable)
        .or_else(|| first(&|known| known.subscribe))
        .or_else(|| first(&|known| known.resources))
        .map_or(Route::Nowhere, Route::To)
}
