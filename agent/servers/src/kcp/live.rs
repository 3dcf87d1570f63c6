//! A log while it is filled.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::kcp::collection::Collection;
use crate::kcp::log::Log;

/// A log and where it comes from.
pub(crate) struct Live {
    /// What readers are told.
    pub(crate) log: Log,
    /// Where it comes from; another one after each reconnect, and once the credentials have expired.
    pub(crate) collection: Arc<Collection>,
}

/// The place of a log that is not there until it is seeded.
pub(crate) struct Slot(Mutex<Option<Live>>);

impl Slot {
    /// The place, with what is there already.
    pub(crate) fn new(live: Option<Live>) -> Self {
        Self(Mutex::new(live))
    }

    /// The log. The lock is held for as long as it takes to copy a body, never over a request.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<Live>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
