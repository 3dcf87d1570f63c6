//! What is served, opened in a way that cannot leave it.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat, openat2};
use rustix::io::Errno;

use crate::file::error::Error;
use crate::file::uri;
use crate::similar::nearest;

#[cfg(test)]
mod tests;

/// How often a path is looked up again that was moved meanwhile.
const ATTEMPTS: usize = 16;
/// A pipe without a writer would be waited for.
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
/// To go on from, never through a link.
const WAY: OFlags = OFlags::PATH.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::DIRECTORY);
/// Names beside a missing one that are looked at for a similar one.
const NAMES: usize = 1000;

/// The paths below which everything is served, each opened anew at every request.
#[derive(Clone, Debug)]
pub(crate) struct Roots(Vec<PathBuf>);

/// A path, split where its root ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    /// As it was given.
    pub(crate) root: PathBuf,
    /// Below the root; empty for the root itself.
    pub(crate) rest: PathBuf,
}

impl Located {
    /// The whole path.
    pub(crate) fn path(&self) -> PathBuf {
        // Joining nothing would add a separator.
        if self.rest.as_os_str().is_empty() { self.root.clone() } else { self.root.join(&self.rest) }
    }

    /// An entry of this directory.
    pub(crate) fn entry(&self, name: &OsStr) -> Self {
        Self { root: self.root.clone(), rest: self.rest.join(name) }
    }
}

impl Roots {
    /// Relative roots are below the working directory.
    pub(crate) fn new(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(roots.into_iter().map(|root| std::path::absolute(&root).unwrap_or(root)).collect())
    }

    /// Whether all of them can be opened now.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.0.iter().try_for_each(|root| self.locate(&uri::path(root)?)?.open().map(drop))
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[PathBuf] {
        &self.0
    }

    /// The innermost root of a path.
    pub(crate) fn locate(&self, path: &Path) -> Result<Located, Error> {
        let innermost = self.0.iter().filter_map(|root| Some((root, path.strip_prefix(root).ok()?)));
        match innermost.max_by_key(|(root, _)| root.components().count()) {
            Some((root, rest)) => Ok(Located { root: root.clone(), rest: rest.to_owned() }),
            None => Err(Error::Outside { path: path.to_owned(), roots: self.0.clone() }),
        }
    }
}

impl Located {
    /// Opens it for reading.
    pub(crate) fn open(&self) -> Result<File, Error> {
        self.open_as(READ).map(File::from).map_err(|errno| self.explain(errno))
    }

    /// Opens it only to look at what it is.
    pub(crate) fn look(&self) -> Result<OwnedFd, Error> {
        self.open_as(OFlags::PATH | OFlags::CLOEXEC).map_err(|errno| self.explain(errno))
    }

    fn open_as(&self, flags: OFlags) -> Result<OwnedFd, Errno> {
        if self.rest.as_os_str().is_empty() {
            return open(&self.root, flags, Mode::empty());
        }
        let root = open(&self.root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..ATTEMPTS {
            match openat2(&root, &self.rest, flags, Mode::empty(), resolve) {
                // Something was renamed on the way, so the kernel could not be sure.
                Err(Errno::AGAIN) => {}
                // Not known to this kernel, or hidden by a container's seccomp profile.
                Err(Errno::NOSYS | Errno::PERM) => return self.open_checked(flags),
                opened => return opened,
            }
        }
        Err(Errno::AGAIN)
    }

    /// As `openat2` would: looks where the path leads, and goes there without following any link.
    fn open_checked(&self, flags: OFlags) -> Result<OwnedFd, Errno> {
        let canonical =
            |path: &Path| path.canonicalize().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO));
        let (root, path) = (canonical(&self.root)?, canonical(&self.path())?);
        let rest = path.strip_prefix(&root).map_err(|_| Errno::XDEV)?;
        let root = open(&root, WAY, Mode::empty())?;
        descend(root, rest, flags)
    }

    fn explain(&self, errno: Errno) -> Error {
        let path = self.path();
        match errno {
            Errno::XDEV | Errno::LOOP => Error::Escapes { path, root: self.root.clone() },
            Errno::NOENT | Errno::NOTDIR => Error::Missing { similar: self.similar(), path },
            // A socket.
            Errno::NXIO => Error::Special { path },
            errno => Error::Io { path, source: io::Error::from(errno) },
        }
    }

    /// What it may have meant, from the names beside it.
    fn similar(&self) -> Vec<String> {
        let (Some(name), Some(parent)) = (self.rest.file_name(), self.rest.parent()) else { return Vec::new() };
        let parent = Self { root: self.root.clone(), rest: parent.to_owned() };
        let Ok(parent) = parent.open_as(READ | OFlags::DIRECTORY) else { return Vec::new() };
        let Ok(entries) = rustix::fs::Dir::read_from(parent) else { return Vec::new() };
        let names = entries.take(NAMES).filter_map(Result::ok);
        let names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        let names = names.iter().map(String::as_str).filter(|name| !matches!(*name, "." | ".."));
        nearest(&name.to_string_lossy(), names)
    }
}

/// Opens a path that has no links. Had it none only when it was looked at, that is an error: a directory that was swapped
/// for a link since leads nowhere.
fn descend(root: OwnedFd, rest: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut names = rest.components().map(|part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(Errno::XDEV),
    });
    let Some(mut name) = names.next().transpose()? else {
        return openat(&root, ".", flags, Mode::empty());
    };
    let mut directory = root;
    for next in names {
        directory = openat(&directory, name, WAY, Mode::empty())?;
        name = next?;
    }
    openat(&directory, name, flags | OFlags::NOFOLLOW, Mode::empty())
}
