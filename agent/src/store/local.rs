//! The store without a cluster: manifests in, one YAML file with spec and status out for each object.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use asyncai_crds::{Agent, AgentStatus, Watch, WatchStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use tracing::warn;

use crate::conditions;
use crate::event::Event;
use crate::lock;
use crate::store::local::folder::Made;
use crate::store::made;

pub(crate) mod folder;
pub(crate) mod manifests;
#[cfg(test)]
mod tests;

/// Why status cannot be kept.
#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error("cannot create the state folder {}", path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("the state folder {} is in use by another run", path.display())]
    InUse { path: PathBuf },
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} does not hold what an earlier run wrote; remove it to start afresh", path.display())]
    Parse { path: PathBuf, source: Box<serde_saphyr::Error> },
}

/// The agent and its watches, each with the status that an earlier run left.
pub(crate) struct Store {
    folder: Option<PathBuf>,
    /// Held while this run lives.
    _lock: Option<File>,
    made: Made,
    agent: Agent,
    watches: Vec<Watch>,
}

impl Store {
    /// Takes in `agent` and `watches`, those that the model `made` among them; with a folder, their status is read from
    /// there and kept there.
    ///
    /// # Errors
    /// When the folder cannot be made, or holds something else.
    pub(crate) fn open(
        folder: Option<PathBuf>,
        made: Made,
        mut agent: Agent,
        mut watches: Vec<Watch>,
    ) -> Result<Self, Error> {
        let lock = folder.as_deref().map(lock).transpose()?;
        let old = read(folder.as_deref(), "agent", &agent.name_any())?;
        adopt_agent(&mut agent, old.as_ref());
        for watch in &mut watches {
            let old = read(folder.as_deref(), "watch", &watch.name_any())?;
            adopt_watch(watch, old.as_ref());
        }
        Ok(Self { folder, _lock: lock, made, agent, watches })
    }

    /// The agent, and its watches.
    pub(crate) fn objects(&self) -> (&Agent, &[Watch]) {
        (&self.agent, &self.watches)
    }

    /// Takes in the manifests as they are now, and tells what is new, changed or gone.
    pub(crate) fn take(&mut self, mut agent: Agent, watches: Vec<Watch>) -> Vec<Event> {
        let mut events = Vec::new();
        if agent.name_any() != self.agent.name_any() {
            eprintln!("the Agent is now called {}: start anew to run it", agent.name_any());
        } else if agent.spec != self.agent.spec {
            adopt_agent(&mut agent, Some(&self.agent));
            self.agent = agent.clone();
            events.push(Event::Agent(Box::new(agent)));
        }
        let old = std::mem::take(&mut self.watches);
        for gone in old.iter().filter(|old| !watches.iter().any(|watch| is_same(watch, old))) {
            events.push(self.forget(&gone.name_any()));
        }
        for mut watch in watches {
            let old = old.iter().find(|old| is_same(&watch, old));
            adopt_watch(&mut watch, old);
            let maker = made::is_of_model;
            if old.is_none_or(|old| old.spec != watch.spec || maker(old) != maker(&watch)) {
                events.push(Event::Watch(Box::new(watch.clone())));
            }
            self.watches.push(watch);
        }
        events
    }

    /// Saves a Watch of the model; its manifest is followed like those of people. It is told of at once: a mistake in
    /// another manifest keeps changes to the files from being told.
    pub(crate) fn create_watch(&mut self, mut watch: Watch) -> Result<(String, Vec<Event>), String> {
        let name = watch.name_any();
        if self.watches.iter().any(|watch| watch.name_any() == name && !made::is_of_model(watch)) {
            return Err(format!("there is a Watch {name} already, which people made; choose another name"));
        }
        watch.metadata.creation_timestamp = conditions::time(SystemTime::now());
        self.made.save(&watch)?;
        let old = self.drop_watch(&name);
        adopt_watch(&mut watch, None);
        self.watches.push(watch.clone());
        Ok((name, old.into_iter().chain([Event::Watch(Box::new(watch))]).collect()))
    }

    pub(crate) fn delete_watch(&mut self, name: &str) -> Result<((), Vec<Event>), String> {
        self.made.remove(name)?;
        Ok(((), self.drop_watch(name).into_iter().collect()))
    }

    fn drop_watch(&mut self, name: &str) -> Option<Event> {
        let known = self.watches.len();
        self.watches.retain(|watch| watch.name_any() != name || !made::is_of_model(watch));
        (self.watches.len() < known).then(|| self.forget(name))
    }

    /// A Watch is gone, and its status with it.
    fn forget(&self, name: &str) -> Event {
        if let Some(folder) = &self.folder {
            let _ = fs::remove_file(file(folder, "watch", name));
        }
        Event::WatchGone(name.to_owned())
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

fn adopt_agent(agent: &mut Agent, old: Option<&Agent>) {
    let changed = old.is_some_and(|old| old.spec != agent.spec);
    agent.status = old.and_then(|old| old.status.clone());
    identify(agent.meta_mut(), old.and_then(|old| old.metadata.generation), changed);
}

fn adopt_watch(watch: &mut Watch, old: Option<&Watch>) {
    let changed = old.is_some_and(|old| old.spec != watch.spec);
    watch.status = old.and_then(|old| old.status.clone());
    identify(watch.meta_mut(), old.and_then(|old| old.metadata.generation), changed);
}

/// Whether two Watches are one, and not the one in the place of the other.
fn is_same(a: &Watch, b: &Watch) -> bool {
    a.name_any() == b.name_any() && a.metadata.creation_timestamp == b.metadata.creation_timestamp
}

/// The identity that a cluster would give: a generation that rises with the spec. A UID in a manifest is that of the
/// cluster it was exported from; here the name is enough.
fn identify(meta: &mut ObjectMeta, old: Option<i64>, changed: bool) {
    meta.uid = None;
    meta.generation = Some(old.unwrap_or(1) + i64::from(changed));
}

/// Makes the folder, and keeps other runs out of it.
fn lock(folder: &Path) -> Result<File, Error> {
    let create = |source| Error::Create { path: folder.to_path_buf(), source };
    lock::folder(folder).map_err(create)?.ok_or_else(|| Error::InUse { path: folder.to_path_buf() })
}

fn file(folder: &Path, kind: &str, name: &str) -> PathBuf {
    folder.join(format!("{kind}-{name}.yaml"))
}

fn read<T: DeserializeOwned>(folder: Option<&Path>, kind: &str, name: &str) -> Result<Option<T>, Error> {
    let Some(path) = folder.map(|folder| file(folder, kind, name)) else { return Ok(None) };
    match fs::read_to_string(&path) {
        Ok(text) => match serde_saphyr::from_str(&text) {
            Ok(object) => Ok(Some(object)),
            Err(source) => Err(Error::Parse { path, source: Box::new(source) }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Read { path, source }),
    }
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
