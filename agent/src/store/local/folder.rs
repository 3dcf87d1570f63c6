//! The folder of the Watches that the model makes: a manifest each, which people may edit and delete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use asyncai_crds::Watch;
use kube::ResourceExt;
use tempfile::TempDir;

use super::{Error, write};
use crate::manifest::{self, Document};

/// The folder, below the state folder; without one it goes when the run ends.
pub(crate) struct Made {
    folder: PathBuf,
    /// Removed when this is dropped.
    _passing: Option<TempDir>,
}

impl Made {
    /// Makes the folder.
    ///
    /// # Errors
    /// When that cannot be done.
    pub(crate) fn open(state: Option<&Path>) -> Result<Self, Error> {
        let (folder, passing) = if let Some(state) = state {
            (state.join("watches"), None)
        } else {
            let create = |source| Error::Create { path: std::env::temp_dir(), source };
            let passing = tempfile::Builder::new().prefix("asyncai-").tempdir().map_err(create)?;
            (passing.path().join("watches"), Some(passing))
        };
        fs::create_dir_all(&folder).map_err(|source| Error::Create { path: folder.clone(), source })?;
        Ok(Self { folder, _passing: passing })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn save(&self, watch: &Watch) -> Result<(), String> {
        let path = self.path(&watch.name_any());
        write(&path, watch).map_err(|error| format!("{} cannot be written: {error}", path.display()))
    }

    pub(super) fn remove(&self, name: &str) -> Result<(), String> {
        let path = self.path(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(format!("{} cannot be removed: {error}", path.display()))
            }
            _ => Ok(()),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.yaml"))
    }
}

/// The manifests of `paths` and of the folder of the model, which may be empty.
pub(crate) fn read(paths: &[PathBuf], folder: &Path) -> (Vec<Document>, Vec<manifest::Error>) {
    let (mut documents, mut errors) = manifest::read(paths);
    let (made, wrong) = manifest::read(&[folder.to_path_buf()]);
    documents.extend(made);
    errors.extend(wrong.into_iter().filter(|error| !matches!(error, manifest::Error::Empty { .. })));
    (documents, errors)
}
