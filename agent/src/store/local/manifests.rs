//! Follows the manifests of a running agent: an edit applies as `kubectl apply` would, a mistake changes nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use crate::event::Event;
use crate::fleet::Fleet;
use crate::follow;
use crate::secrets::{Secrets, Value};
use crate::store::local::folder;

/// Editors write in several steps; a file is read when they are through.
const QUIET: Duration = Duration::from_millis(200);

/// Tells `events` what the manifests, and the folder of those `of_model`, hold whenever they change, as long as
/// the result lives.
///
/// # Errors
/// When the system cannot tell of changes to a file.
pub(crate) fn follow(
    paths: Vec<PathBuf>,
    of_model: PathBuf,
    secrets: Vec<Value>,
    events: mpsc::Sender<Event>,
) -> notify::Result<RecommendedWatcher> {
    let (send, changes) = mpsc::channel(1);
    let mut watcher = follow::watcher(send)?;
    for path in paths.iter().chain([&of_model]) {
        // A file is replaced rather than written by many editors, which only its folder shows.
        let (folder, depth) = match path.parent() {
            Some(parent) if !path.is_dir() => (parent, RecursiveMode::NonRecursive),
            _ => (path.as_path(), RecursiveMode::Recursive),
        };
        watcher.watch(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }, depth)?;
    }
    tokio::spawn(reload(paths, of_model, secrets, changes, events));
    Ok(watcher)
}

async fn reload(
    paths: Vec<PathBuf>,
    of_model: PathBuf,
    mut secrets: Vec<Value>,
    mut changes: mpsc::Receiver<()>,
    events: mpsc::Sender<Event>,
) {
    while changes.recv().await.is_some() {
        while let Ok(Some(())) = tokio::time::timeout(QUIET, changes.recv()).await {}
        match read(&paths, &of_model, &mut secrets) {
            Ok(event) => {
                if events.send(event).await.is_err() {
                    return;
                }
            }
            Err(problems) => {
                for problem in problems {
                    eprintln!("{problem}");
                }
                eprintln!("the agent goes on with the manifests as they were");
            }
        }
    }
}

/// What the manifests hold; the Secrets only if they are not `known`.
fn read(paths: &[PathBuf], of_model: &Path, known: &mut Vec<Value>) -> Result<Event, Vec<String>> {
    let fleet = Fleet::new(folder::read(paths, of_model));
    let (agent, watches) = fleet.single()?;
    let secrets = if fleet.secrets == *known {
        None
    } else {
        let secrets = Secrets::given(fleet.secrets.clone()).map_err(|error| vec![error.to_string()])?;
        *known = fleet.secrets;
        Some(secrets)
    };
    Ok(Event::Manifests(Box::new(agent), watches, secrets))
}
