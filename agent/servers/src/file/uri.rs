//! Paths as URIs, and back.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use crate::file::error::Error;

#[cfg(test)]
mod tests;

/// The template of everything that is served.
pub(crate) const TEMPLATE: &str = "file://{+path}";
/// How a URI of this server begins.
pub(crate) const SCHEME: &str = "file://";

const LONGEST: usize = 4096;
/// What stays as it is: what RFC 3986 calls unreserved, and the separator.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The URI of a path.
pub(crate) fn of(path: &Path) -> String {
    format!("{SCHEME}{}", percent_encode(path.as_os_str().as_bytes(), ENCODED))
}

/// The path of a URI.
pub(crate) fn parse(uri: &str) -> Result<PathBuf, Error> {
    let Some(text) = uri.strip_prefix(SCHEME) else {
        return Err(Error::invalid("uri", format!("{uri:?} must be {TEMPLATE}, such as file:///data/a.json")));
    };
    if text.contains(['?', '#']) {
        return Err(Error::invalid("uri", "has a '?' or '#', which must be written %3F or %23 in a path"));
    }
    let bytes: Vec<u8> = percent_decode_str(text).collect();
    path(Path::new(OsStr::from_bytes(&bytes)))
}

/// A path that is written out: absolute, without `.` and `..`.
pub(crate) fn path(path: &Path) -> Result<PathBuf, Error> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.len() > LONGEST {
        return Err(Error::invalid("path", format!("has {} bytes, at most {LONGEST} are allowed", bytes.len())));
    }
    if bytes.contains(&0) || !path.is_absolute() {
        return Err(Error::invalid("path", format!("{} must be absolute, such as /data/a.json", path.display())));
    }
    // The standard library leaves out what is empty or `.`; only `..` would change the meaning.
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(Error::invalid("path", format!("{} must not have '..' in it", path.display())));
    }
    Ok(path.components().collect())
}
