//! The objects of a collection at one version, and what lies between two such states.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::kcp::object::Object;
use crate::kcp::pack::{Packed, Packer};

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It is new to the collection.
    Added,
    /// It has another version.
    Modified,
    /// It left the collection.
    Deleted,
}

/// One change, with the object as it was before where that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// What happened.
    pub(crate) kind: Kind,
    /// The version of the object; of a deletion found by comparison, its last known one.
    pub(crate) version: u64,
    /// The object; of a deletion, its last state.
    pub(crate) object: String,
    /// The object before a modification.
    pub(crate) old: Option<String>,
}

/// An object at rest and its version.
type Held = (u64, Packed);

/// The objects of a collection by uid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    objects: HashMap<Box<str>, Held>,
    packer: Packer,
    bytes: usize,
}

impl Known {
    /// Adds or replaces an object without telling.
    pub(crate) fn insert(&mut self, object: Object) {
        let packed = self.packer.pack(&object.json);
        self.bytes += packed.len();
        if let Some((_, before)) = self.objects.insert(object.uid, (object.version, packed)) {
            self.bytes -= before.len();
        }
    }

    /// The bytes of all objects, as they are held.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Follows an event of a watch; `None` if it says nothing new, as an `ADDED` of a version already known.
    pub(crate) fn apply(&mut self, kind: Kind, object: Object) -> Option<Change> {
        let before = match kind {
            Kind::Deleted => self.remove(&object.uid),
            Kind::Added | Kind::Modified => {
                if self.objects.get(&object.uid).is_some_and(|(version, _)| *version >= object.version) {
                    return None;
                }
                self.remove(&object.uid)
            }
        };
        let change = Change {
            kind: if kind == Kind::Added && before.is_some() { Kind::Modified } else { kind },
            version: object.version,
            object: object.json.clone(),
            old: before.filter(|_| kind != Kind::Deleted),
        };
        if kind != Kind::Deleted {
            self.insert(object);
        }
        Some(change)
    }

    fn remove(&mut self, uid: &str) -> Option<String> {
        let (_, packed) = self.objects.remove(uid)?;
        self.bytes -= packed.len();
        Some(self.packer.unpack(&packed))
    }

    /// The net changes from this state to `now`: deletions first, then the rest by version.
    ///
    /// Objects are unpacked as they are taken: whoever stops early has no more of them in memory.
    pub(crate) fn changes<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = Change> + 'a {
        let gone = self.objects.iter().filter(|(uid, _)| !now.objects.contains_key(*uid));
        let gone = by_version(gone.map(|(_, held)| (held, None)));
        let newer = now.objects.iter().filter_map(|(uid, held)| match self.objects.get(uid) {
            Some((version, _)) if *version == held.0 => None,
            old => Some((held, old)),
        });
        let newer = by_version(newer).into_iter().map(|(held, old)| match old {
            Some((_, old)) => now.change(Kind::Modified, held, Some(self.packer.unpack(old))),
            None => now.change(Kind::Added, held, None),
        });
        gone.into_iter().map(|(held, _)| self.change(Kind::Deleted, held, None)).chain(newer)
    }

    /// The objects that changed after `version`, as modifications whose past is unknown, by version; unpacked as they
    /// are taken.
    pub(crate) fn newer_than(&self, version: u64) -> impl Iterator<Item = Change> {
        let newer = self.objects.values().filter(|(known, _)| *known > version);
        by_version(newer.map(|held| (held, None))).into_iter().map(|(held, _)| self.change(Kind::Modified, held, None))
    }

    fn change(&self, kind: Kind, (version, packed): &Held, old: Option<String>) -> Change {
        Change { kind, version: *version, object: self.packer.unpack(packed), old }
    }

    /// The uids that are here and not in `now`.
    pub(crate) fn gone<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = &'a str> {
        self.objects.keys().map(|uid| &**uid).filter(|uid| !now.objects.contains_key(*uid))
    }
}

/// Objects, with what they were before.
fn by_version<'a>(objects: impl Iterator<Item = (&'a Held, Option<&'a Held>)>) -> Vec<(&'a Held, Option<&'a Held>)> {
    let mut objects: Vec<_> = objects.collect();
    objects.sort_by_key(|((version, _), _)| *version);
    objects
}

impl Change {
    /// The event that tells it, at `seq`.
    pub(crate) fn event(&self, seq: u64) -> String {
        let kind = match self.kind {
            Kind::Added => "ADDED",
            Kind::Modified => "MODIFIED",
            Kind::Deleted => "DELETED",
        };
        match &self.old {
            Some(old) => format!(r#"{{"seq":{seq},"type":"{kind}","object":{},"old":{old}}}"#, self.object),
            None => format!(r#"{{"seq":{seq},"type":"{kind}","object":{}}}"#, self.object),
        }
    }
}
