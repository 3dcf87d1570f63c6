//! Tells of changes to files, by the system's own notifications.

use notify::RecommendedWatcher;
use tokio::sync::mpsc;

/// A watcher, of nothing yet, that tells `changes` as long as it lives.
///
/// # Errors
/// When the system cannot tell of changes to a file.
pub(crate) fn watcher(changes: mpsc::Sender<()>) -> notify::Result<RecommendedWatcher> {
    notify::recommended_watcher(move |change: notify::Result<notify::Event>| {
        // Reading a file is an event too. One that finds no room is beside another that says the same.
        if change.is_ok_and(|change| !change.kind.is_access()) {
            let _ = changes.try_send(());
        }
    })
}
