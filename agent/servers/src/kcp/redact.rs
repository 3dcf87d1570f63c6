//! Stands numbers in for secret values, so that a change can be seen and a value cannot.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

const PREFIX: &str = "<redacted #";

/// Remembers a digest of each value it has seen, and how often it changed.
#[derive(Debug, Default)]
pub(crate) struct Redactor {
    objects: HashMap<Box<str>, HashMap<Box<str>, Mark>>,
}

#[derive(Debug)]
struct Mark {
    digest: [u8; 16],
    number: u32,
}

impl Redactor {
    /// The number of a value: 1 at first, one more whenever the value under `key` of object `uid` changes.
    pub(crate) fn mark(&mut self, uid: &str, key: &str, value: &str) -> u32 {
        let digest = digest(value);
        let keys = self.objects.entry(uid.into()).or_default();
        let mark = keys.entry(key.into()).or_insert(Mark { digest, number: 1 });
        if mark.digest != digest {
            *mark = Mark { digest, number: mark.number.saturating_add(1) };
        }
        mark.number
    }

    /// The number of a value of the past: that of the newest value if they are equal, else 0.
    pub(crate) fn recall(&self, uid: &str, key: &str, value: &str) -> u32 {
        let mark = self.objects.get(uid).and_then(|keys| keys.get(key));
        mark.filter(|mark| mark.digest == digest(value)).map_or(0, |mark| mark.number)
    }

    /// Forgets a deleted object.
    pub(crate) fn forget(&mut self, uid: &str) {
        self.objects.remove(uid);
    }
}

/// What stands in for a value.
pub(crate) fn placeholder(number: u32) -> String {
    format!("{PREFIX}{number}>")
}

/// Whether a text stands in for a value.
pub(crate) fn is_redacted(text: &str) -> bool {
    text.starts_with(PREFIX)
}

fn digest(value: &str) -> [u8; 16] {
    let mut digest = [0; 16];
    digest.copy_from_slice(&Sha256::digest(value.as_bytes())[..16]);
    digest
}
