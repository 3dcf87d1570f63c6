//! The values of Secret keys that an Agent refers to: files, by the name of the Secret and the key.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use asyncai_crds::{SecretKeyRef, contract};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tracing::warn;

use crate::follow;

/// A value of a Secret: name, key, value.
pub(crate) type Value = (String, String, Vec<u8>);

/// The folder with the values.
#[derive(Clone)]
pub(crate) struct Secrets {
    root: PathBuf,
    /// Removes the folder with its last user, if it is ours.
    _own: Option<Arc<TempDir>>,
    /// Tells of changes as long as it lives.
    _watcher: Option<Arc<RecommendedWatcher>>,
}

impl Secrets {
    /// The values that the kubelet mounts and keeps up to date; `changes` hears when they change.
    pub(crate) fn mounted(changes: mpsc::Sender<()>) -> Self {
        let root = PathBuf::from(contract::SECRETS_DIR);
        let watcher = root.is_dir().then(|| follow(&root, changes));
        let watcher = watcher.transpose().unwrap_or_else(|error| {
            warn!(%error, "mounted Secrets cannot be watched; a rotated one is used after the next restart");
            None
        });
        Self { root, _own: None, _watcher: watcher.map(Arc::new) }
    }

    /// A folder of our own for the values `(secret, key, value)`, readable by this user alone.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn given(values: impl IntoIterator<Item = Value>) -> io::Result<Self> {
        let own = tempfile::Builder::new().prefix("asyncai-").tempdir()?;
        for (secret, key, value) in values {
            let folder = own.path().join(file_name(&secret)?);
            DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
            let file = folder.join(file_name(&key)?);
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?.write_all(&value)?;
        }
        Ok(Self { root: own.path().to_path_buf(), _own: Some(Arc::new(own)), _watcher: None })
    }

    /// The file with the value.
    pub(crate) fn path(&self, secret: &SecretKeyRef) -> PathBuf {
        self.root.join(&secret.name).join(&secret.key)
    }

    /// The value as it is now, without the line break that editors put at the end of a file.
    ///
    /// # Errors
    /// A sentence for people when there is no such Secret or key.
    pub(crate) fn get(&self, secret: &SecretKeyRef) -> Result<String, String> {
        let value = fs::read_to_string(self.path(secret)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("no key {:?} in a Secret {:?}", secret.key, secret.name),
            _ => format!("key {:?} of the Secret {:?} cannot be read: {error}", secret.key, secret.name),
        })?;
        Ok(value.trim_end_matches(['\r', '\n']).to_owned())
    }
}

fn follow(root: &Path, changes: mpsc::Sender<()>) -> notify::Result<RecommendedWatcher> {
    let mut watcher = follow::watcher(changes)?;
    watcher.watch(root, RecursiveMode::Recursive)?;
    Ok(watcher)
}

/// Names come from manifests that no API server has checked.
fn file_name(name: &str) -> io::Result<&str> {
    if name.is_empty() || name.contains('/') || name.starts_with("..") {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name:?} is no name of a Secret or its key")));
    }
    Ok(name)
}
