//! Which paths of an object differ from those of its predecessor.

use std::cmp::Ordering;

use crate::json::{Members, members, same};
use crate::lockstep::pairs;

#[cfg(test)]
mod tests;

/// Paths have at most so many parts; what differs below is told by its ancestor of this depth.
const MAX_DEPTH: usize = 3;

/// A path that differs, with the values on both sides as JSON; `None` where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference<'a> {
    /// Dotted; `.` if the values themselves differ and have no paths.
    pub(crate) path: String,
    pub(crate) old: Option<&'a str>,
    pub(crate) new: Option<&'a str>,
}

/// The differences between two values, sorted by path. `at` is where the values stand, if inside of something larger.
pub(crate) fn differences<'a>(at: Option<&'a str>, old: &'a str, new: &'a str) -> Vec<Difference<'a>> {
    let mut found = Vec::new();
    for pair in pairs(old, new, at.into_iter().collect(), MAX_DEPTH) {
        compare(&pair.keys, Some(pair.old), Some(pair.new), &mut found);
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Bookkeeping of the API server, which says nothing about what changed.
pub(crate) fn is_bookkeeping(within: &[&str], key: &str) -> bool {
    within == ["metadata"] && matches!(key, "resourceVersion" | "generation" | "managedFields")
}

fn compare<'a>(path: &[&str], old: Option<&'a str>, new: Option<&'a str>, found: &mut Vec<Difference<'a>>) {
    if path.split_last().is_some_and(|(key, within)| is_bookkeeping(within, key)) {
        return;
    }
    if let (Some(old), Some(new)) = (old, new) {
        if path.len() < MAX_DEPTH
            && let (Some(old), Some(new)) = (members(old), members(new))
        {
            return compare_members(path, old, new, found);
        }
        if same(old, new) {
            return;
        }
    }
    let path = if path.is_empty() { ".".to_owned() } else { path.join(".") };
    found.push(Difference { path, old, new });
}

fn compare_members<'a>(path: &[&str], old: Members<'a>, new: Members<'a>, found: &mut Vec<Difference<'a>>) {
    let (mut old, mut new) = (old.sorted().into_iter().peekable(), new.sorted().into_iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some(old), Some(new)) => old.0.cmp(&new.0),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return,
        };
        let before = if order.is_le() { old.next() } else { None };
        let after = if order.is_ge() { new.next() } else { None };
        let Some((key, _)) = before.as_ref().or(after.as_ref()) else { return };
        let (before, after) = (before.as_ref().map(|(_, value)| *value), after.as_ref().map(|(_, value)| *value));
        if before != after {
            compare(&[path, &[key]].concat(), before, after, found);
        }
    }
}
