//! What is saved of a state, and what can be told from it when the state is read again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::digest::Digest;
use crate::json::quote;
use crate::state::{Part, State};
use crate::status::Baseline;
use crate::what::{Kind, Place, What};

#[cfg(test)]
mod tests;

/// The saved digests have at most so many bytes.
const MAX_DIGESTS: usize = 8 * 1024;

impl State {
    /// What is saved of this state.
    pub(crate) fn baseline(&self) -> Baseline {
        let Some(parts) = self.digests() else {
            return Baseline { hash: Digest::of(&self.whole()).hex(), ..Baseline::default() };
        };
        let mut sorted: Vec<(&str, Digest)> = parts.iter().map(|(part, digest)| (&*part.key, *digest)).collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        let whole = sorted.iter().fold(String::new(), |whole, (key, digest)| whole + &quote(key) + &digest.hex());
        let digests = digests(&sorted);
        Baseline {
            hash: Digest::of(&whole).hex(),
            items: u32::try_from(sorted.len()).unwrap_or(u32::MAX),
            truncated: digests.is_none(),
            digests,
        }
    }

    /// What it takes to get here from a saved state, as far as that can be told: values before are not known.
    pub(crate) fn changes_since_saved(&self, saved: &Baseline) -> Vec<What> {
        let now = self.baseline();
        if now.hash == saved.hash {
            return Vec::new();
        }
        match (&saved.digests, self.digests()) {
            _ if saved.truncated => vec![What::Gap { reason: "truncated", missed: None }],
            (Some(digests), Some(parts)) => match serde_json::from_str::<BTreeMap<String, String>>(digests) {
                Ok(digests) => self.changes_since_digests(digests, &parts),
                Err(_) => vec![What::Gap { reason: "baseline", missed: None }],
            },
            _ => vec![changed(Place::Whole, Some(self.whole()))],
        }
    }

    fn changes_since_digests(&self, mut saved: BTreeMap<String, String>, parts: &[(&Arc<Part>, Digest)]) -> Vec<What> {
        let mut changes = Vec::new();
        for (part, digest) in parts {
            if saved.remove(&*part.key) != Some(digest.short()) {
                changes.push(changed(self.place(Arc::clone(&part.key)), Some(Arc::clone(&part.raw))));
            }
        }
        changes.extend(saved.into_keys().map(|key| changed(self.place(key.into()), None)));
        changes
    }
}

fn changed(place: Place, new: Option<Arc<str>>) -> What {
    What::Differs { kind: Kind::Changed, place, old: None, new }
}

/// The digests as a JSON object, unless that would be too long.
fn digests(parts: &[(&str, Digest)]) -> Option<String> {
    let mut json = String::from("{");
    for (key, digest) in parts {
        if json.len() > 1 {
            json.push(',');
        }
        let _ = write!(json, "{}:\"{}\"", quote(key), digest.short());
        if json.len() >= MAX_DIGESTS {
            return None;
        }
    }
    json.push('}');
    Some(json)
}
