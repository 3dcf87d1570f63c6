//! Cuts a watch's byte stream into its lines, one JSON document each.

#[cfg(test)]
mod tests;

use bytes::{Bytes, BytesMut};

/// Collects chunks and gives back whole lines.
#[derive(Debug)]
pub(crate) struct Frames {
    buffer: BytesMut,
    /// How much of the buffer is known to hold no line break.
    searched: usize,
    limit: usize,
}

/// A line that is longer than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

impl Frames {
    /// Lines of up to `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), searched: 0, limit }
    }

    /// Takes the next bytes of the stream.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    /// The next whole line that is not blank, without its end.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, TooLong> {
        while let Some(end) = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n') {
            let line = self.buffer.split_to(self.searched + end + 1).freeze();
            self.searched = 0;
            if line.len() > self.limit {
                return Err(TooLong);
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
        self.searched = self.buffer.len();
        if self.searched > self.limit { Err(TooLong) } else { Ok(None) }
    }
}
