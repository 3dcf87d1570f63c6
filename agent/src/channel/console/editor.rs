//! Line editing with a history, in a thread of its own.

use std::path::PathBuf;
use std::sync::mpsc as std_mpsc;
use std::thread;

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, ExternalPrinter as _};
use tokio::sync::mpsc;
use tracing::warn;

use crate::channel::console::Screen;
use crate::channel::console::screen::Printer;

const PROMPT: &str = "> ";
/// A line up and a line down.
const NOTHING: &str = "\u{1b}[A\n";

/// What was typed.
pub(crate) enum Typed {
    /// A line that is not blank.
    Line(String),
    /// Ctrl-C.
    Interrupt,
}

/// The editor of lines.
pub(crate) struct Editor {
    lines: rustyline::Editor<(), FileHistory>,
    history: Option<PathBuf>,
}

impl Editor {
    /// Gives what is typed to `typed` until Ctrl-D, or until nobody wants it; `screen` prints above the line.
    pub(crate) fn spawn(screen: Screen, history: Option<PathBuf>, typed: mpsc::Sender<Typed>) {
        thread::spawn(move || {
            let editor = match Self::open(&screen, history) {
                Ok(editor) => editor,
                Err(error) => {
                    warn!(%error, "the terminal cannot be read");
                    return;
                }
            };
            // Or else the terminal would stay as the editor wants it.
            drop(screen);
            editor.run(&typed);
        });
    }

    fn open(screen: &Screen, history: Option<PathBuf>) -> rustyline::Result<Self> {
        let config = Config::builder().auto_add_history(true).history_ignore_space(true).build();
        let mut lines = rustyline::Editor::with_config(config)?;
        if let Some(history) = history.as_deref().filter(|history| history.exists())
            && let Err(error) = lines.load_history(history)
        {
            warn!(%error, path = %history.display(), "the history cannot be read");
        }
        let mut printer = lines.create_external_printer()?;
        // Printing waits for the editor, and whoever has something to print must not.
        let (print, texts) = std_mpsc::channel::<String>();
        let (last, is_printed) = std_mpsc::channel();
        thread::spawn(move || {
            while texts.recv().is_ok_and(|text| printer.print(text).is_ok()) {}
            // The editor holds one text: when it has taken a second one of these, all before them are on the terminal.
            let _ = printer.print(NOTHING.to_owned()).and_then(|()| printer.print(NOTHING.to_owned()));
            drop(last);
        });
        screen.attach(Printer { texts: print, is_printed });
        Ok(Self { lines, history })
    }

    fn run(mut self, typed: &mpsc::Sender<Typed>) {
        loop {
            let key = match self.lines.readline(PROMPT) {
                Ok(line) if line.trim().is_empty() => continue,
                Ok(line) => Typed::Line(line),
                Err(ReadlineError::Interrupted) => Typed::Interrupt,
                Err(ReadlineError::Signal(_)) => continue,
                Err(ReadlineError::Eof) => return,
                Err(error) => {
                    warn!(%error, "the terminal cannot be read");
                    return;
                }
            };
            if let Some(history) = &self.history
                && let Err(error) = self.lines.append_history(history)
            {
                warn!(%error, path = %history.display(), "the history cannot be written");
                self.history = None;
            }
            if typed.blocking_send(key).is_err() {
                return;
            }
        }
    }
}
