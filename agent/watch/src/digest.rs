//! Hashes of what is compared without being kept.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Hex digits of a part's digest as it is saved.
const SHORT: usize = 12;

/// A hash of what something means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Digest([u8; 16]);

impl Digest {
    /// The digest of a text.
    pub(crate) fn of(text: &str) -> Self {
        let hash = Sha256::digest(text.as_bytes());
        let mut digest = [0; 16];
        digest.copy_from_slice(&hash[..16]);
        Self(digest)
    }

    /// A short name that says that it is not the original one.
    pub(crate) fn name(self) -> String {
        format!("~{}", self.hex())
    }

    /// All hex digits.
    pub(crate) fn hex(self) -> String {
        self.0.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// The first hex digits.
    pub(crate) fn short(self) -> String {
        self.hex()[..SHORT].to_owned()
    }
}
