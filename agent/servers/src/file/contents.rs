//! What a file or a directory reads as.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::fd::AsFd;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use rmcp::model::ResourceContents;
use rustix::fs::{AtFlags, Dir, FileType, Stat, fstat, statat};
use serde::Serialize;

use crate::file::error::Error;
use crate::file::roots::Located;

#[cfg(test)]
mod tests;

/// The largest file that is read whole, and the largest part of one, in bytes.
pub(crate) const LARGEST: u64 = 1 << 20;
/// The most bytes that a character has after its first one.
const INNER: usize = 3;
/// The most entries of a directory.
const ENTRIES: usize = 10_000;

const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

/// What is at a path.
#[derive(Debug, PartialEq)]
pub(crate) enum Contents {
    /// A text and its type.
    Text(String, String),
    /// Bytes that are no text, as base64, and their type.
    Blob(String, String),
}

/// An entry of a directory.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Entry {
    name: String,
    r#type: &'static str,
    /// Of a file, in bytes.
    size: Option<u64>,
    modified: Option<String>,
}

impl Contents {
    /// As the answer to a read of `uri`.
    pub(crate) fn answer(self, uri: String) -> ResourceContents {
        match self {
            Self::Text(mime, text) => ResourceContents::text(text, uri).with_mime_type(mime),
            Self::Blob(mime, blob) => ResourceContents::blob(blob, uri).with_mime_type(mime),
        }
    }

    /// Nothing is there, which is a state too.
    pub(crate) fn nothing() -> Self {
        Self::Text(JSON.to_owned(), "null".to_owned())
    }
}

/// Reads what is at a path: a file whole, a directory as a list.
pub(crate) fn read(located: &Located) -> Result<Contents, Error> {
    let io = |source| Error::Io { path: located.path(), source };
    let file = located.open()?;
    match kind(&stat(&file).map_err(io)?) {
        FileType::Directory => {
            let text = serde_json::to_string(&entries(located, &file)?).map_err(|error| io(error.into()))?;
            Ok(Contents::Text(JSON.to_owned(), text))
        }
        FileType::RegularFile => part(located, file, None),
        _ => Err(Error::Special { path: located.path() }),
    }
}

/// Reads a file, or a part of it: from an offset, which counts from the end if it is negative.
pub(crate) fn read_file(located: &Located, part: Option<(i64, u64)>) -> Result<Contents, Error> {
    let file = located.open()?;
    match kind(&stat(&file).map_err(|source| Error::Io { path: located.path(), source })?) {
        FileType::RegularFile => self::part(located, file, part),
        FileType::Directory => Err(Error::invalid("path", format!("{} is a directory", located.path().display()))),
        _ => Err(Error::Special { path: located.path() }),
    }
}

/// Lists a directory.
pub(crate) fn list(located: &Located) -> Result<Vec<Entry>, Error> {
    let file = located.open()?;
    match kind(&stat(&file).map_err(|source| Error::Io { path: located.path(), source })?) {
        FileType::Directory => entries(located, &file),
        _ => Err(Error::invalid("path", format!("{} is no directory", located.path().display()))),
    }
}

fn part(located: &Located, mut file: File, part: Option<(i64, u64)>) -> Result<Contents, Error> {
    let io = |source| Error::Io { path: located.path(), source };
    let most = part.map_or(LARGEST + 1, |(_, most)| most);
    let mut begun = 0;
    if let Some((offset, _)) = part {
        let size = stat(&file).map_err(io)?.st_size;
        let from = if offset < 0 { size.saturating_add(offset).max(0) } else { offset };
        begun = file.seek(SeekFrom::Start(from.unsigned_abs())).map_err(io)?;
    }
    let mut bytes = Vec::new();
    // Not by its size alone: it may grow meanwhile, and files of /proc have none.
    file.by_ref().take(most.saturating_add(INNER as u64)).read_to_end(&mut bytes).map_err(io)?;
    if part.is_none() && bytes.len() as u64 > LARGEST {
        let size = stat(&file).map_or(0, |stat| stat.st_size).unsigned_abs().max(LARGEST + 1);
        let hint = "; the tool read_file reads a part of it";
        let (size, limit) = (format!("{size} bytes"), format!("{LARGEST}"));
        return Err(Error::TooLarge { path: located.path(), size, limit, hint });
    }
    if part.is_some() {
        bytes = whole_characters(bytes, begun > 0, usize::try_from(most).unwrap_or(usize::MAX));
    }
    Ok(contents(&located.path(), bytes))
}

/// A character belongs to the part in which it begins, so that nothing of a text is lost between two parts. What is no
/// text is cut where it was asked.
fn whole_characters(mut bytes: Vec<u8>, begun: bool, most: usize) -> Vec<u8> {
    let inner = |bytes: &[u8]| bytes.iter().take(INNER).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
    let start = if begun { inner(&bytes) } else { 0 };
    let end = bytes.get(most..).map_or(bytes.len(), |rest| most + inner(rest));
    if start < end && std::str::from_utf8(&bytes[start..end]).is_ok() {
        bytes.truncate(end);
        bytes.drain(..start);
    } else {
        bytes.truncate(most);
    }
    bytes
}

fn contents(path: &Path, bytes: Vec<u8>) -> Contents {
    let guess = mime_guess::from_path(path).first_raw();
    match String::from_utf8(bytes) {
        Ok(text) => {
            // The types of media files are not those of texts that share their extension.
            let textual = |mime: &&str| {
                mime.starts_with("text/")
                    || ["json", "xml", "yaml", "toml", "javascript"].iter().any(|end| mime.ends_with(end))
            };
            Contents::Text(guess.filter(textual).unwrap_or(TEXT).to_owned(), text)
        }
        Err(error) => {
            let mime = guess.unwrap_or("application/octet-stream").to_owned();
            Contents::Blob(mime, STANDARD.encode(error.as_bytes()))
        }
    }
}

fn entries(located: &Located, directory: impl AsFd) -> Result<Vec<Entry>, Error> {
    let io = |errno: rustix::io::Errno| Error::Io { path: located.path(), source: errno.into() };
    let mut entries = Vec::new();
    for found in Dir::read_from(&directory).map_err(io)? {
        let found = found.map_err(io)?;
        let name = found.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if entries.len() == ENTRIES {
            let (size, limit) = (format!("more than {ENTRIES} entries"), format!("{ENTRIES}"));
            return Err(Error::TooLarge { path: located.path(), size, limit, hint: "" });
        }
        // Gone meanwhile: that will be told, too.
        let Ok(stat) = statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        entries.push(entry(located, name, stat));
    }
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(entries)
}

/// A link that stays inside is shown as what it leads to.
fn entry(located: &Located, name: &std::ffi::CStr, mut stat: Stat) -> Entry {
    use std::os::unix::ffi::OsStrExt as _;
    let os_name = std::ffi::OsStr::from_bytes(name.to_bytes());
    if kind(&stat) == FileType::Symlink
        && let Some(target) = located.entry(os_name).look().ok().and_then(|target| fstat(target).ok())
    {
        stat = target;
    }
    let file_type = kind(&stat);
    let modified = Timestamp::new(stat.st_mtime, i32::try_from(stat.st_mtime_nsec).unwrap_or(0));
    Entry {
        name: os_name.to_string_lossy().into_owned(),
        r#type: match file_type {
            FileType::RegularFile => "file",
            FileType::Directory => "directory",
            FileType::Symlink => "symlink",
            _ => "other",
        },
        size: (file_type == FileType::RegularFile).then_some(stat.st_size.unsigned_abs()),
        modified: modified.ok().map(|time| time.to_string()),
    }
}

fn stat(file: impl AsFd) -> io::Result<Stat> {
    Ok(fstat(file)?)
}

fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}
