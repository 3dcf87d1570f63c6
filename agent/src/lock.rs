//! Keeps others out of a folder.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

/// Makes the folder, and keeps others out of it for as long as the result lives; None: another is in it.
pub(crate) fn folder(path: &Path) -> io::Result<Option<File>> {
    fs::create_dir_all(path)?;
    let lock = File::create(path.join("lock"))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
