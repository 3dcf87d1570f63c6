//! The system's notifications of changes: one queue, a descriptor for each thing that is watched.
//!
//! Used without a crate in between because those also ask for every opening and reading of a file, which would wake
//! this process whenever anybody looks at a directory on the way to a root.

use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use tokio::io::unix::AsyncFd;

const BUFFER: usize = 8 * 1024;

/// The queue.
#[derive(Clone, Debug)]
pub(crate) struct Inotify(Arc<OwnedFd>);

/// What the system tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// An entry of a directory came, went or was replaced.
    Entry(i32, OsString),
    /// Something was written to it, or to an entry of it, or its metadata changed.
    Contents(i32),
    /// It is no longer where it was.
    Moved(i32),
    /// It is gone, and its descriptor with it.
    Gone(i32),
    /// More happened than the queue could hold.
    Overflow,
}

impl Inotify {
    /// An empty queue; fails if the user has as many as allowed.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?)))
    }

    /// Watches the entries of a directory, or what something contains; the descriptor is the same for the same thing.
    pub(crate) fn add(&self, path: &Path, contents: bool) -> Result<i32, Errno> {
        let entries = WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MOVE;
        let itself = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        let written = WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE | WatchFlags::ATTRIB;
        let wanted = if contents { entries | itself | written } else { entries | itself | WatchFlags::ONLYDIR };
        // Somebody else may want other things of it.
        inotify::add_watch(&self.0, path, wanted | WatchFlags::DONT_FOLLOW | WatchFlags::MASK_ADD)
    }

    /// Ends a watch; one that has ended by itself is no error.
    pub(crate) fn remove(&self, descriptor: i32) {
        let _ = inotify::remove_watch(&self.0, descriptor);
    }

    /// A queue that can be waited for; must be called within a runtime.
    #[expect(deprecated, reason = "its successor needs unsafe code; a descriptor that is owned makes both sound")]
    pub(crate) fn queue(&self) -> io::Result<AsyncFd<Self>> {
        AsyncFd::new(self.clone())
    }

    /// Takes all that is in the queue.
    pub(crate) fn take(&self) -> Vec<Told> {
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&self.0, &mut buffer);
        let mut told = Vec::new();
        // It fails when the queue is empty.
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
            told.push(understood(event.wd(), event.events(), name));
        }
        told
    }
}

fn understood(descriptor: i32, flags: ReadFlags, name: Option<&OsStr>) -> Told {
    let moved = ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
    if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
        Told::Overflow
    } else if flags.contains(ReadFlags::IGNORED) {
        Told::Gone(descriptor)
    } else if flags.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT) {
        Told::Moved(descriptor)
    } else if let Some(name) = name.filter(|_| flags.intersects(moved)) {
        Told::Entry(descriptor, name.to_owned())
    } else {
        Told::Contents(descriptor)
    }
}

impl AsRawFd for Inotify {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
