//! What people see: whole lines, above the line that is being typed if one is.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use asyncai_orchestrator::event;
use rustix::termios::{self, OptionalActions, Termios};

use crate::channel::console::printable;
use crate::channel::stream::Stream;

#[cfg(test)]
mod tests;

/// The terminal, or wherever stdout goes.
#[derive(Clone, Default)]
pub(crate) struct Screen(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    /// What was written since the last flush.
    buffer: Vec<u8>,
    /// Prints above the line that is being typed.
    printer: Option<Printer>,
    /// How the terminal was before a line was typed.
    before: Option<Termios>,
    stream: Stream,
    /// The run whose pieces are shown.
    run: Option<u64>,
}

/// The way of texts to the editor.
pub(super) struct Printer {
    pub(super) texts: mpsc::Sender<String>,
    /// Ends when all texts are on the terminal, once there will be no more.
    pub(super) is_printed: mpsc::Receiver<()>,
}

/// What the last texts get to be printed, at the end.
const LAST_TEXTS: Duration = Duration::from_secs(1);

impl Screen {
    /// A piece of the reply of `run`, if it is to be shown as it comes.
    pub(crate) fn delta(&self, run: u64, text: &str) {
        let mut inner = self.lock();
        if inner.printer.is_none() {
            return;
        }
        if inner.run.replace(run) != Some(run) {
            inner.stream = Stream::default();
        }
        let lines = inner.stream.piece(text);
        inner.show(lines);
    }

    /// A reply.
    pub(crate) fn reply(&self, text: &str) {
        let mut inner = self.lock();
        let rest = inner.stream.finish(text);
        inner.show(rest);
    }

    /// What was said until now is no part of the reply.
    fn aside(&self) {
        let mut inner = self.lock();
        let rest = inner.stream.aside();
        inner.show(rest);
    }

    /// What happens in a run beside talk, by its name in the log.
    pub(crate) fn observe(&self, event: &str) {
        match event {
            event::REPLY_SUPPRESSED => self.lock().stream = Stream::default(),
            event::CODE_STARTED | event::RUN_FAILED | event::RUN_ABANDONED | event::RUN_CANCELLED => self.aside(),
            _ => {}
        }
    }

    /// Lines go to `printer` from now on; how the terminal is now comes back when the last screen is dropped.
    pub(super) fn attach(&self, printer: Printer) {
        let mut inner = self.lock();
        inner.printer = Some(printer);
        inner.before = termios::tcgetattr(io::stdin()).ok();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn show(&mut self, lines: Option<String>) {
        if let Some(lines) = lines {
            self.print(&(lines + "\n"));
        }
    }

    fn print(&mut self, text: &str) {
        let text = printable(text).into_owned();
        let left = match &self.printer {
            Some(printer) => printer.texts.send(text).err().map(|error| error.0),
            None => Some(text),
        };
        if let Some(text) = left {
            // Who closed stdout does not want to hear of it.
            let _ = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
        }
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut inner = self.lock();
        let text = std::mem::take(&mut inner.buffer);
        inner.print(&String::from_utf8_lossy(&text));
        Ok(())
    }
}

impl Drop for Inner {
    /// The editor may be waiting for a key, with the terminal as only an editor wants it.
    fn drop(&mut self) {
        if let Some(Printer { texts, is_printed }) = self.printer.take() {
            drop(texts);
            let _ = is_printed.recv_timeout(LAST_TEXTS);
        }
        if let Some(before) = &self.before {
            let _ = termios::tcsetattr(io::stdin(), OptionalActions::Drain, before);
        }
    }
}
