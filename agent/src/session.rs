//! The session file: what the turn engine puts on record, a line of JSON each, for the next process to go on with.
//!
//! `FOLDER/main.jsonl` is written to; when it is over 8 MiB, what a restart needs of it begins a new one, and the old one is
//! kept as `main.1.jsonl`, of which there are at most three. So a session takes less than 40 MiB, unless a single turn is
//! longer than that.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use asyncai_orchestrator::Record;
use serde::Serialize;
use thiserror::Error;

use self::file::Writer;
use crate::lock;

mod file;
#[cfg(test)]
mod tests;

/// Bytes of lines that wait for a disk that cannot be written.
const MOST_WAITING: usize = 8 << 20;

/// Why a session cannot be kept.
#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error("cannot create the session folder {}", path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("the session folder {} is in use by another agent", path.display())]
    InUse { path: PathBuf },
    #[error("cannot read the session file {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write the session file {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("the session file {} could not be written for so long that {lost} bytes of it are lost", path.display())]
    Lost { path: PathBuf, lost: usize },
}

/// A session that is open for writing.
pub(crate) struct Session {
    writer: Arc<Mutex<Writer>>,
    /// Lines that are not in the file yet.
    lines: Vec<u8>,
    /// Held while this agent lives.
    _lock: File,
}

/// What opening a session gives.
pub(crate) struct Opened {
    pub(crate) session: Session,
    /// What it holds.
    pub(crate) records: Vec<Record>,
    /// What had to be left out, for the log.
    pub(crate) problems: Vec<String>,
}

#[derive(Serialize)]
struct Line<'a> {
    ts: jiff::Timestamp,
    #[serde(flatten)]
    record: &'a Record,
}

impl Session {
    /// Opens the session in `folder`, which is made if it is not there.
    ///
    /// # Errors
    /// When the folder cannot be used, or another agent uses it.
    pub(crate) fn open(folder: &Path) -> Result<Opened, Error> {
        let lock = lock(folder)?;
        let (writer, records, problems) = Writer::open(folder)?;
        let session = Self { writer: Arc::new(Mutex::new(writer)), lines: Vec::new(), _lock: lock };
        Ok(Opened { session, records, problems })
    }

    /// Takes in a record, to be written by the next [`Session::commit`].
    pub(crate) fn append(&mut self, record: &Record) {
        let before = self.lines.len();
        match serde_json::to_writer(&mut self.lines, &Line { ts: jiff::Timestamp::now(), record }) {
            Ok(()) => self.lines.push(b'\n'),
            Err(_) => self.lines.truncate(before),
        }
    }

    /// Makes all that was taken in durable.
    ///
    /// # Errors
    /// When it cannot be written; it is kept, and written by a later call that can.
    pub(crate) async fn commit(&mut self) -> Result<(), Error> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let lines = std::mem::take(&mut self.lines);
        let writer = Arc::clone(&self.writer);
        let written = tokio::task::spawn_blocking(move || {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            let result = writer.append(&lines);
            let left = if result.is_err() { lines } else { Vec::new() };
            (left, result.map_err(|source| Error::Write { path: writer.path(), source }), writer.path())
        });
        let Ok((left, result, path)) = written.await else { return Ok(()) };
        if left.len() > MOST_WAITING {
            return Err(Error::Lost { path, lost: left.len() });
        }
        self.lines = left;
        result
    }
}

/// Makes the folder, and keeps other agents out of it.
fn lock(folder: &Path) -> Result<File, Error> {
    let create = |source| Error::Create { path: folder.to_path_buf(), source };
    lock::folder(folder).map_err(create)?.ok_or_else(|| Error::InUse { path: folder.to_path_buf() })
}
