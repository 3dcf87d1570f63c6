//! Follows the manifests of a running agent: an edit applies as `kubectl apply` would, a mistake changes nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use crate::event::Event;
use crate::fleet::Fleet;
use crate::manifest;

/// Editors write in several steps; a file is read when they are through.
const QUIET: Duration = Duration::from_millis(200);

/// Tells `events` what the manifests hold whenever they change, as long as the result lives.
///
/// # Errors
/// When the system cannot tell of changes to a file.
pub(crate) fn follow(paths: Vec<PathBuf>, events: mpsc::Sender<Event>) -> notify::Result<RecommendedWatcher> {
    let (changes, changed) = mpsc::channel(1);
    let mut watcher = notify::recommended_watcher(move |change: notify::Result<notify::Event>| {
        // Reading a file is an event too. One that finds no room is beside another that says the same.
        if change.is_ok_and(|change| !change.kind.is_access()) {
            let _ = changes.try_send(());
        }
    })?;
    for path in &paths {
        // A file is replaced rather than written by many editors, which only its folder shows.
        let (folder, mode) = match path.parent() {
            Some(parent) if !path.is_dir() => (parent, RecursiveMode::NonRecursive),
            _ => (path.as_path(), RecursiveMode::Recursive),
        };
        watcher.watch(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }, mode)?;
    }
    tokio::spawn(reload(paths, changed, events));
    Ok(watcher)
}

async fn reload(paths: Vec<PathBuf>, mut changed: mpsc::Receiver<()>, events: mpsc::Sender<Event>) {
    let read = || Fleet::new(&manifest::read(&paths).map_err(|error| vec![error.to_string()])?).single();
    while changed.recv().await.is_some() {
        while let Ok(Some(())) = tokio::time::timeout(QUIET, changed.recv()).await {}
        match read() {
            Ok((agent, watches)) => {
                if events.send(Event::Manifests(Box::new(agent), watches)).await.is_err() {
                    return;
                }
            }
            Err(problems) => {
                problems.iter().for_each(|problem| eprintln!("{problem}"));
                eprintln!("the agent goes on with the manifests as they were");
            }
        }
    }
}
