//! Objects at rest: compressed against one of their kind, since most of an object is like every other.

#[cfg(test)]
mod tests;

use lz4_flex::block::{compress_prepend_size_with_dict, decompress_size_prepended_with_dict};

/// The format looks no further back than this.
const WINDOW: usize = 64 << 10;

/// A compressed object.
#[derive(Clone, Debug)]
pub(crate) struct Packed(Box<[u8]>);

/// Compresses the objects of one collection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packer {
    /// The first object, which the others are expected to resemble.
    model: Box<[u8]>,
}

impl Packer {
    /// Compresses an object. Only the packer that did so can unpack it.
    pub(crate) fn pack(&mut self, json: &str) -> Packed {
        if self.model.is_empty() {
            self.model = json.as_bytes()[..json.len().min(WINDOW)].into();
        }
        let packed = compress_prepend_size_with_dict(json.as_bytes(), &self.model);
        // A copy of the exact size: the output was allocated for the worst case, and allocators shrink in place.
        Packed(Box::from(packed.as_slice()))
    }

    /// The object again.
    pub(crate) fn unpack(&self, packed: &Packed) -> String {
        let bytes = decompress_size_prepended_with_dict(&packed.0, &self.model);
        // It does not fail on what `pack` wrote; null at least stays JSON.
        bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| "null".to_owned())
    }
}

impl Packed {
    /// In bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
