//! The state of a resource in comparable parts, and what differs between two states.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::digest::Digest;
use crate::identity::Identity;
use crate::json::{canonical, elements, members, string};
use crate::paths::is_bookkeeping;
use crate::what::{Kind, Place, What};

#[cfg(test)]
mod tests;

/// A state as it was read. Parts that stay the same are shared with the state before.
#[derive(Debug)]
pub(crate) enum State {
    /// A JSON list, by item.
    List(Vec<Arc<Part>>),
    /// A JSON object, by top-level key.
    Object(Vec<Arc<Part>>),
    /// Anything else.
    Text(Part),
}

/// An item of a list, a member of an object, or the whole.
#[derive(Debug)]
pub(crate) struct Part {
    /// What the item calls itself; several may call themselves the same.
    name: Arc<str>,
    /// The key, unique within the state.
    pub(crate) key: Arc<str>,
    /// The value as it was read.
    pub(crate) raw: Arc<str>,
    digest: OnceLock<Digest>,
}

impl Part {
    fn new(name: Arc<str>, key: Arc<str>, raw: &str) -> Self {
        Self { name, key, raw: raw.into(), digest: OnceLock::new() }
    }

    fn digest(&self, within: &[&str]) -> Digest {
        *self.digest.get_or_init(|| Digest::of(&canonical(&self.raw, is_bookkeeping, within)))
    }
}

impl State {
    /// Takes a text apart; `old` is the state before, if there is one.
    pub(crate) fn parse(text: &str, old: Option<&Self>) -> Self {
        let text = text.trim();
        if let Some(elements) = elements(text) {
            let old = if let Some(Self::List(parts)) = old { &parts[..] } else { &[] };
            Self::List(items(&elements, old))
        } else if let Some(members) = members(text) {
            let old = if let Some(Self::Object(parts)) = old { &parts[..] } else { &[] };
            let members = members.sorted();
            Self::Object(members.into_iter().map(|(key, raw)| member(&key, raw, old)).collect())
        } else {
            Self::Text(Part::new("".into(), "".into(), text))
        }
    }

    /// What it takes to get here from `old`.
    pub(crate) fn changes_since(&self, old: &Self) -> Vec<What> {
        match (old, self) {
            (Self::List(old), Self::List(new)) => changes(old, new, Place::Item),
            (Self::Object(old), Self::Object(new)) => changes(old, new, Place::Member),
            (Self::Text(old), Self::Text(new)) if old.raw == new.raw => Vec::new(),
            (Self::Text(old), Self::Text(new)) => {
                vec![differs(Kind::Changed, Place::Whole, Some(&old.raw), Some(&new.raw))]
            }
            (_, new) => vec![differs(Kind::Changed, Place::Whole, None, Some(&new.whole()))],
        }
    }

    /// All that it holds, as if it were new.
    pub(crate) fn as_new(&self) -> Vec<What> {
        match self {
            Self::List(parts) => changes(&[], parts, Place::Item),
            Self::Object(parts) => changes(&[], parts, Place::Member),
            Self::Text(text) => vec![differs(Kind::Added, Place::Whole, None, Some(&text.raw))],
        }
    }

    /// The parts of a list or an object, each with its digest; `None` for text.
    pub(crate) fn digests(&self) -> Option<Vec<(&Arc<Part>, Digest)>> {
        match self {
            Self::List(parts) => Some(parts.iter().map(|part| (part, part.digest(&[]))).collect()),
            Self::Object(parts) => Some(parts.iter().map(|part| (part, part.digest(&[&part.key]))).collect()),
            Self::Text(_) => None,
        }
    }

    /// Where the part of this key stands or stood.
    pub(crate) fn place(&self, key: Arc<str>) -> Place {
        match self {
            Self::List(_) => Place::Item(key),
            Self::Object(_) => Place::Member(key),
            Self::Text(_) => Place::Whole,
        }
    }

    /// The whole as JSON or text.
    pub(crate) fn whole(&self) -> Arc<str> {
        match self {
            Self::List(parts) => {
                let parts: Vec<&str> = parts.iter().map(|part| &*part.raw).collect();
                format!("[{}]", parts.join(",")).into()
            }
            Self::Object(parts) => {
                let parts: Vec<String> =
                    parts.iter().map(|part| format!("{}:{}", crate::json::quote(&part.key), part.raw)).collect();
                format!("{{{}}}", parts.join(",")).into()
            }
            Self::Text(text) => Arc::clone(&text.raw),
        }
    }
}

/// A member of an object; `old` are the members of the state before, by key.
fn member(key: &str, raw: &str, old: &[Arc<Part>]) -> Arc<Part> {
    match old.binary_search_by_key(&key, |part| &part.key).ok().and_then(|index| old.get(index)) {
        Some(part) if *part.raw == *raw => Arc::clone(part),
        _ => {
            let key: Arc<str> = key.into();
            Arc::new(Part::new(Arc::clone(&key), key, raw))
        }
    }
}

/// The items of a list. One that reads as the old item at its place, from either end, is not looked into.
fn items(elements: &[&str], old: &[Arc<Part>]) -> Vec<Arc<Part>> {
    let mut taken: HashSet<Arc<str>> = HashSet::new();
    let unchanged = |index: usize, raw: &str| {
        let from_end = (old.len() + index).checked_sub(elements.len());
        let candidates = [old.get(index), from_end.and_then(|index| old.get(index))];
        candidates.into_iter().flatten().find(|part| *part.raw == *raw)
    };
    let item = |(index, raw): (usize, &&str)| {
        let same = unchanged(index, raw);
        let name = same.map_or_else(|| name(raw).into(), |part| Arc::clone(&part.name));
        // Of items with one identity the second is `name#2`, unless another is called just that.
        let mut key = Arc::clone(&name);
        let mut nth = 1;
        while !taken.insert(Arc::clone(&key)) {
            nth += 1;
            key = format!("{name}#{nth}").into();
        }
        match same {
            Some(part) if part.key == key => Arc::clone(part),
            _ => Arc::new(Part::new(name, key, raw)),
        }
    };
    elements.iter().enumerate().map(item).collect()
}

/// The key of an item by its identity, otherwise the whole item.
fn name(raw: &str) -> String {
    Identity::of(raw).key.or_else(|| string(raw)).unwrap_or_else(|| canonical(raw, |_, _| false, &[]))
}

fn changes(old: &[Arc<Part>], new: &[Arc<Part>], place: fn(Arc<str>) -> Place) -> Vec<What> {
    let before: HashMap<&str, &Arc<Part>> = old.iter().map(|part| (&*part.key, part)).collect();
    let mut changes = Vec::new();
    for part in new {
        let at = || place(Arc::clone(&part.key));
        match before.get(&*part.key) {
            None => changes.push(differs(Kind::Added, at(), None, Some(&part.raw))),
            Some(old) if old.raw != part.raw => {
                changes.push(differs(Kind::Modified, at(), Some(&old.raw), Some(&part.raw)));
            }
            Some(_) => {}
        }
    }
    let now: HashSet<&str> = new.iter().map(|part| &*part.key).collect();
    for part in old.iter().filter(|part| !now.contains(&*part.key)) {
        changes.push(differs(Kind::Deleted, place(Arc::clone(&part.key)), Some(&part.raw), None));
    }
    changes
}

fn differs(kind: Kind, place: Place, old: Option<&Arc<str>>, new: Option<&Arc<str>>) -> What {
    What::Differs { kind, place, old: old.cloned(), new: new.cloned() }
}
