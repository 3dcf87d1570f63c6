//! How long an object that failed waits before it is tried again.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_mins(5);

/// Failures in a row of each object.
pub(crate) struct Backoff<K> {
    failures: Mutex<HashMap<K, u32>>,
    jitter: RandomState,
}

impl<K> Default for Backoff<K> {
    fn default() -> Self {
        Self { failures: Mutex::default(), jitter: RandomState::new() }
    }
}

impl<K: Eq + Hash> Backoff<K> {
    /// `key` failed once more: how long to wait. Doubles each time, and varies so that a thousand objects that failed
    /// together do not come back together.
    pub(crate) fn failed(&self, key: K) -> Duration {
        let spread = self.jitter.hash_one(&key) % 50;
        let mut failures = self.lock();
        let count = failures.entry(key).or_default();
        let full = FIRST.saturating_mul(2_u32.saturating_pow(*count)).min(LONGEST);
        *count += 1;
        full * (100 - u32::try_from(spread).unwrap_or(0)) / 100
    }

    /// `key` went well, or is gone.
    pub(crate) fn forget(&self, key: &K) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, u32>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
