//! What Python printed.

use std::borrow::Cow;

use monty_types::{MontyException, PrintWriter, PrintWriterCallback};

use crate::convert::Clipped;

/// The beginning of what is kept.
const ROOM: usize = 12 << 10;

/// Both streams in one text, of which the beginning is kept.
pub(super) struct Printed(Clipped);

impl Printed {
    pub(super) fn new() -> Self {
        Self(Clipped::new(ROOM))
    }

    pub(super) fn writer(&mut self) -> PrintWriter<'_> {
        PrintWriter::Callback(self)
    }

    /// What came since the last time.
    pub(super) fn take(&mut self) -> String {
        std::mem::replace(&mut self.0, Clipped::new(ROOM)).into_text()
    }
}

impl PrintWriterCallback for Printed {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.0.push(&output);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.0.push(end.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn stderr_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.stdout_write(output)
    }

    fn stderr_push(&mut self, end: char) -> Result<(), MontyException> {
        self.stdout_push(end)
    }
}
