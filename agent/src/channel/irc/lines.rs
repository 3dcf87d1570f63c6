//! Lines of a connection: none longer than a bound, and any bytes.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Longest line: the protocol's own with all the tags that a server may add.
const LONGEST: usize = 16 * 1024;

/// Reads lines.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader: BufReader::new(reader), line: Vec::new() }
    }

    /// The next line; None at the end. What has come of it is kept when this is not awaited to its end.
    ///
    /// # Errors
    /// When the connection fails, or a line has no end.
    pub(super) async fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let bytes = self.reader.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            self.line.extend_from_slice(&bytes[..taken]);
            self.reader.consume(taken);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
            }
            if self.line.len() > LONGEST {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a line without an end: this is no IRC server"));
            }
        }
    }
}
