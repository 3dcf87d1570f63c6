//! The store without a cluster: manifests in, one YAML file with spec and status out for each object.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use asyncai_crds::{Agent, AgentStatus, Watch, WatchStatus};
use kube::{Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use tracing::warn;

use crate::event::Event;

pub(crate) mod manifests;
#[cfg(test)]
mod tests;

/// Why status cannot be kept.
#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error("cannot create the state folder {}", path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} does not hold what an earlier run wrote; remove it to start afresh", path.display())]
    Parse { path: PathBuf, source: Box<serde_saphyr::Error> },
}

/// The agent and its watches, each with the status that an earlier run left.
pub(crate) struct Store {
    folder: Option<PathBuf>,
    agent: Agent,
    watches: Vec<Watch>,
}

impl Store {
    /// Takes in `agent` and `watches`; with a folder, their status is read from there and kept there.
    ///
    /// # Errors
    /// When the folder cannot be made, or holds something else.
    pub(crate) fn open(folder: Option<PathBuf>, mut agent: Agent, mut watches: Vec<Watch>) -> Result<Self, Error> {
        if let Some(folder) = &folder {
            fs::create_dir_all(folder).map_err(|source| Error::Create { path: folder.clone(), source })?;
            let old: Option<Agent> = read(&file(folder, "agent", &agent.name_any()))?;
            settle(&mut agent, old, |agent| &agent.spec, |agent, old| agent.status = old.status);
            for watch in &mut watches {
                let old: Option<Watch> = read(&file(folder, "watch", &watch.name_any()))?;
                settle(watch, old, |watch| &watch.spec, |watch, old| watch.status = old.status);
            }
        }
        Ok(Self { folder, agent, watches })
    }

    /// The agent, and its watches.
    pub(crate) fn objects(&self) -> (&Agent, &[Watch]) {
        (&self.agent, &self.watches)
    }

    /// Takes in the manifests as they are now, and tells what is new, changed or gone.
    pub(crate) fn take(&mut self, mut agent: Agent, watches: Vec<Watch>) -> Vec<Event> {
        let mut events = Vec::new();
        if agent.spec != self.agent.spec && agent.name_any() == self.agent.name_any() {
            settle(&mut agent, Some(self.agent.clone()), |agent| &agent.spec, |agent, old| agent.status = old.status);
            self.agent = agent.clone();
            events.push(Event::Agent(Box::new(agent)));
        }
        let old = std::mem::take(&mut self.watches);
        for gone in old.iter().filter(|old| !watches.iter().any(|watch| watch.name_any() == old.name_any())) {
            if let Some(folder) = &self.folder {
                let _ = fs::remove_file(file(folder, "watch", &gone.name_any()));
            }
            events.push(Event::WatchGone(gone.name_any()));
        }
        for mut watch in watches {
            let old = old.iter().find(|old| old.name_any() == watch.name_any()).cloned();
            let changed = old.as_ref().is_none_or(|old| old.spec != watch.spec);
            settle(&mut watch, old, |watch| &watch.spec, |watch, old| watch.status = old.status);
            if changed {
                events.push(Event::Watch(Box::new(watch.clone())));
            }
            self.watches.push(watch);
        }
        events
    }

    pub(crate) fn save_agent(&mut self, status: AgentStatus) {
        self.agent.status = Some(status);
        self.save("agent", &self.agent.name_any(), &self.agent);
    }

    pub(crate) fn save_watch(&mut self, name: &str, status: WatchStatus) {
        let Some(at) = self.watches.iter().position(|watch| watch.name_any() == name) else { return };
        self.watches[at].status = Some(status);
        self.save("watch", name, &self.watches[at]);
    }

    fn save<T: Serialize>(&self, kind: &str, name: &str, object: &T) {
        let Some(folder) = &self.folder else { return };
        let path = file(folder, kind, name);
        if let Err(error) = write(&path, object) {
            warn!(path = %path.display(), %error, "the status cannot be saved; the next run may repeat what was told");
        }
    }
}

/// Gives `object` the identity that a cluster would: its name for UID, and a generation that rises with the spec.
fn settle<T, S: PartialEq>(object: &mut T, old: Option<T>, spec: fn(&T) -> &S, take: fn(&mut T, T))
where
    T: Resource,
{
    let generation = old.as_ref().map_or(1, |old| {
        let changed = spec(old) != spec(object);
        old.meta().generation.unwrap_or(1) + i64::from(changed)
    });
    object.meta_mut().generation = Some(generation);
    if let Some(old) = old {
        take(object, old);
    }
}

fn file(folder: &Path, kind: &str, name: &str) -> PathBuf {
    folder.join(format!("{kind}-{name}.yaml"))
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Read { path: path.to_path_buf(), source }),
    };
    let parse = |source| Error::Parse { path: path.to_path_buf(), source: Box::new(source) };
    serde_saphyr::from_str(&text).map(Some).map_err(parse)
}

/// Writes beside and renames, so that a crash leaves the old file or the new one.
fn write<T: Serialize>(path: &Path, object: &T) -> io::Result<()> {
    let text = serde_saphyr::to_string(object).map_err(io::Error::other)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(text.as_bytes())?;
    beside.as_file().sync_all()?;
    beside.persist(path)?;
    Ok(())
}
