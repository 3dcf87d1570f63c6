//! Which directory entries decide where a path leads: whoever watches them misses neither a rename nor a new link.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::file::roots::Located;

#[cfg(test)]
mod tests;

/// As many links as the kernel follows.
const LINKS: usize = 40;

/// One thing to watch, by a path without links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The directory, or what is at the end.
    pub(crate) at: PathBuf,
    /// What matters of it.
    pub(crate) part: Part,
    /// Whether it is the root or below it; what is above cannot always be watched.
    pub(crate) inside: bool,
}

/// What matters of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// One entry of a directory: that it comes, goes or is replaced.
    Entry(OsString),
    /// What it contains.
    Contents,
}

/// The steps to a path, from the root of the file system on, through every link: as far as there is something.
pub(crate) fn trail(located: &Located) -> Vec<Step> {
    let mut walk = Walk { at: PathBuf::from("/"), base: None, steps: Vec::new(), queue: VecDeque::new(), links: 0 };
    walk.push(&located.root, false);
    let rest = parts(&located.rest).map(|part| (part.to_owned(), true));
    walk.queue.extend(rest);
    if walk.follow().is_some() {
        let inside = true;
        walk.steps.push(Step { at: walk.at, part: Part::Contents, inside });
    }
    walk.steps
}

struct Walk {
    at: PathBuf,
    /// The root without links, once it is reached; nothing further leads above it.
    base: Option<PathBuf>,
    steps: Vec<Step>,
    /// The names to go, each with whether it is below the root.
    queue: VecDeque<(OsString, bool)>,
    links: usize,
}

impl Walk {
    /// Goes to the end; None if there is none.
    fn follow(&mut self) -> Option<()> {
        while let Some((name, inside)) = self.queue.pop_front() {
            if inside && self.base.is_none() {
                self.base = Some(self.at.clone());
            }
            if name == ".." {
                if self.base.as_ref() == Some(&self.at) {
                    return None;
                }
                self.at.pop();
                continue;
            }
            self.steps.push(Step { at: self.at.clone(), part: Part::Entry(name.clone()), inside });
            let next = self.at.join(&name);
            let found = fs::symlink_metadata(&next).ok()?;
            if found.is_symlink() {
                self.link(&fs::read_link(&next).ok()?, inside)?;
            } else if found.is_dir() || self.queue.is_empty() {
                self.at = next;
            } else {
                return None;
            }
        }
        Some(())
    }

    /// Goes on at the target of a link; None if that is not followed.
    fn link(&mut self, target: &Path, inside: bool) -> Option<()> {
        self.links += 1;
        if self.links > LINKS || (target.is_absolute() && inside) {
            return None;
        }
        self.push(target, inside);
        Some(())
    }

    fn push(&mut self, path: &Path, inside: bool) {
        if path.is_absolute() {
            self.at = PathBuf::from("/");
        }
        for part in parts(path).collect::<Vec<_>>().into_iter().rev() {
            self.queue.push_front((part.to_owned(), inside));
        }
    }
}

/// The names of a path, `..` among them.
fn parts(path: &Path) -> impl Iterator<Item = &OsStr> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        Component::ParentDir => Some(OsStr::new("..")),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}
