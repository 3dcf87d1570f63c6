//! Who watches which path: each is followed along its trail, and its listeners are told.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rustix::io::Errno;
use tokio_util::task::AbortOnDropHandle;

use crate::file::error::Error;
use crate::file::inotify::{Inotify, Told};
use crate::file::roots::Located;
use crate::file::trail::{Part, Step, trail};

#[cfg(test)]
mod tests;

/// How long after a change others are waited for: a file is written in several steps, and told of once.
const SETTLE: Duration = Duration::from_millis(50);
/// A trail that changes each time it is walked is taken as it is; what changes is told.
const WALKS: usize = 8;
/// How many URIs are watched at once.
const MOST: usize = 256;

/// The watched URIs of one server; nothing runs while there is none.
#[derive(Clone)]
pub(crate) struct Watches(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    changed: Box<dyn Fn(&str) + Send + Sync>,
}

#[derive(Default)]
struct State {
    uris: HashMap<Arc<str>, Watched>,
    /// The descriptor of each path that some trail goes through.
    descriptors: HashMap<PathBuf, i32>,
    running: Option<Running>,
}

struct Running {
    inotify: Inotify,
    _task: AbortOnDropHandle<()>,
}

struct Watched {
    located: Located,
    steps: Vec<Step>,
    failure: Option<Failure>,
    leases: usize,
}

/// What the system would not do.
#[derive(Clone, Debug)]
struct Failure {
    path: PathBuf,
    errno: Errno,
    /// No queue could be had, rather than no watch.
    queue: bool,
}

/// Keeps a URI watched.
pub(crate) struct Lease {
    watches: Watches,
    uri: Arc<str>,
}

impl Watches {
    /// None yet; `changed` is told the URI of what may have changed.
    pub(crate) fn new(changed: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner { state: Mutex::default(), changed: Box::new(changed) }))
    }

    /// Watches a URI from now on; None if too many are watched. What the system refuses, [`check`](Self::check) tells.
    pub(crate) fn lease(&self, uri: &str, located: Located) -> Option<Lease> {
        let mut state = self.lock();
        if !state.uris.contains_key(uri) {
            if state.uris.len() >= MOST {
                tracing::warn!(target: "file", uri, limit = MOST, "too many URIs are watched already");
                return None;
            }
            let watched = Watched { located, steps: Vec::new(), failure: None, leases: 0 };
            state.uris.insert(Arc::from(uri), watched);
            state.follow(&Arc::from(uri), &Arc::downgrade(&self.0));
        }
        let (uri, _) = state.uris.get_key_value(uri)?;
        let uri = Arc::clone(uri);
        if let Some(watched) = state.uris.get_mut(&uri) {
            watched.leases += 1;
        }
        drop(state);
        Some(Lease { watches: self.clone(), uri })
    }

    /// Whether a URI is watched; an error if it should be and cannot.
    pub(crate) fn check(&self, uri: &str) -> Result<bool, Error> {
        let state = self.lock();
        let Some(watched) = state.uris.get(uri) else { return Ok(false) };
        watched.failure.clone().map_or(Ok(true), |failure| Err(failure.into()))
    }

    /// Takes in what the system told, and tells the listeners.
    fn take(&self, told: &[Told]) {
        let touched: Vec<Arc<str>> = {
            let mut state = self.lock();
            let touched: Vec<_> = state
                .uris
                .iter()
                .filter(|(_, watched)| state.touches(watched, told))
                .map(|(uri, _)| Arc::clone(uri))
                .collect();
            for told in told {
                if let Told::Gone(gone) = told {
                    state.descriptors.retain(|_, descriptor| descriptor != gone);
                }
            }
            for uri in &touched {
                state.follow(uri, &Arc::downgrade(&self.0));
            }
            state.tidy();
            touched
        };
        for uri in touched {
            (self.0.changed)(&uri);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.watches.lock();
        let Some(watched) = state.uris.get_mut(&self.uri) else { return };
        watched.leases -= 1;
        if watched.leases == 0 {
            state.uris.remove(&self.uri);
            state.tidy();
        }
        let ended = if state.uris.is_empty() { state.running.take() } else { None };
        drop(state);
        // Outside of the lock: the task that ends may hold the last reference to all this.
        drop(ended);
    }
}

impl State {
    /// Whether any of this concerns a watched path.
    fn touches(&self, watched: &Watched, told: &[Told]) -> bool {
        let at = |step: &Step, descriptor: &i32| self.descriptors.get(&step.at) == Some(descriptor);
        told.iter().any(|told| match told {
            Told::Overflow => true,
            Told::Gone(descriptor) | Told::Moved(descriptor) => watched.steps.iter().any(|step| at(step, descriptor)),
            Told::Contents(descriptor) => {
                watched.steps.iter().any(|step| step.part == Part::Contents && at(step, descriptor))
            }
            Told::Entry(descriptor, name) => watched.steps.iter().any(|step| {
                at(step, descriptor) && (step.part == Part::Contents || step.part == Part::Entry(name.clone()))
            }),
        })
    }

    /// Walks the trail of a URI and watches each step of it.
    fn follow(&mut self, uri: &Arc<str>, inner: &Weak<Inner>) {
        let Some(located) = self.uris.get(uri).map(|watched| watched.located.clone()) else { return };
        let mut steps = trail(&located);
        let mut failure = None;
        for _ in 0..WALKS {
            failure = self.watch(&steps, &located, inner).err();
            // What changed before it was watched went unnoticed.
            let again = trail(&located);
            if again == steps {
                break;
            }
            steps = again;
        }
        if let Some(watched) = self.uris.get_mut(uri) {
            (watched.steps, watched.failure) = (steps, failure);
        }
    }

    fn watch(&mut self, steps: &[Step], located: &Located, inner: &Weak<Inner>) -> Result<(), Failure> {
        let inotify = self.inotify(inner).map_err(|error| Failure {
            path: located.path(),
            errno: Errno::from_io_error(&error).unwrap_or(Errno::IO),
            queue: true,
        })?;
        for step in steps {
            match inotify.add(&step.at, step.part == Part::Contents) {
                Ok(descriptor) => self.place(&step.at, descriptor, &inotify),
                // Gone or changed since the walk; the next walk sees it.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                // Most pods may not list every directory above what they serve.
                Err(Errno::ACCESS) if !step.inside => {}
                Err(errno) => return Err(Failure { path: step.at.clone(), errno, queue: false }),
            }
        }
        Ok(())
    }

    /// A path has this descriptor now; what was there before is no longer watched unless it is elsewhere.
    fn place(&mut self, path: &Path, descriptor: i32, inotify: &Inotify) {
        if let Some(old) = self.descriptors.insert(path.to_owned(), descriptor)
            && !self.descriptors.values().any(|other| *other == old)
        {
            inotify.remove(old);
        }
    }

    /// The queue, made when it is first needed.
    fn inotify(&mut self, inner: &Weak<Inner>) -> std::io::Result<Inotify> {
        if let Some(running) = &self.running {
            return Ok(running.inotify.clone());
        }
        let inotify = Inotify::new()?;
        let (queue, inner) = (inotify.queue()?, Weak::clone(inner));
        let task = tokio::spawn(async move {
            while let Ok(mut ready) = queue.readable().await {
                ready.clear_ready();
                tokio::time::sleep(SETTLE).await;
                let Some(inner) = inner.upgrade() else { return };
                Watches(inner).take(&queue.get_ref().take());
            }
        });
        self.running = Some(Running { inotify: inotify.clone(), _task: AbortOnDropHandle::new(task) });
        Ok(inotify)
    }

    /// Ends the watches that no trail goes through any more.
    fn tidy(&mut self) {
        let Some(running) = &self.running else { return };
        let used: HashSet<&Path> =
            self.uris.values().flat_map(|watched| watched.steps.iter().map(|step| step.at.as_path())).collect();
        let unused: Vec<(PathBuf, i32)> =
            self.descriptors.extract_if(|path, _| !used.contains(path.as_path())).collect();
        for (_, descriptor) in unused {
            if !self.descriptors.values().any(|other| *other == descriptor) {
                running.inotify.remove(descriptor);
            }
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let Failure { path, errno, queue } = failure;
        match errno {
            Errno::NOSPC => Self::Limit { path, limit: "fs.inotify.max_user_watches" },
            Errno::MFILE if queue => Self::Limit { path, limit: "fs.inotify.max_user_instances" },
            errno => Self::Io { path, source: errno.into() },
        }
    }
}
