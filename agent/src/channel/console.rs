//! The terminal: lines of stdin are input, and replies are shown as they come.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::sync::mpsc;
use tracing::warn;

use crate::channel::line::{self, Line};
use crate::event::Event;

mod editor;
mod printable;
mod screen;
#[cfg(test)]
mod tests;

pub(crate) use self::editor::{Editor, Typed};
pub(crate) use self::printable::printable;
pub(crate) use self::screen::Screen;

/// Name of the channel.
pub(crate) const NAME: &str = "console";
/// Most bytes of a line.
const LONGEST: u64 = 1 << 20;

/// Reads stdin to its end: with line editing if it and stdout are a terminal, and `screen` is there to show it on.
pub(crate) fn spawn(events: mpsc::Sender<Event>, screen: Option<Screen>, history: Option<PathBuf>) {
    match screen {
        Some(screen) if io::stdin().is_terminal() && io::stdout().is_terminal() => edit(events, screen, history),
        _ => {
            tokio::spawn(read(BufReader::new(tokio::io::stdin()), events));
        }
    }
}

async fn read(mut input: impl AsyncBufRead + Unpin, events: mpsc::Sender<Event>) {
    loop {
        match next(&mut input).await {
            Ok(Some(line)) => {
                if events.send(Event::Console(line)).await.is_err() {
                    return;
                }
            }
            Ok(None) => break,
            Err(error) => {
                warn!(%error, "stdin cannot be read");
                break;
            }
        }
    }
    let _ = events.send(Event::ConsoleClosed).await;
}

/// The next line that is not blank; None at the end. One that makes no sense ends nothing.
async fn next(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Line>> {
    loop {
        let mut line = Vec::new();
        if (&mut *input).take(LONGEST + 1).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        if line.len() as u64 > LONGEST && !line.ends_with(b"\n") {
            skip(input).await?;
            return Ok(Some(Line::Wrong(format!("a line was longer than {LONGEST} bytes and is left out"))));
        }
        match str::from_utf8(&line) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => return Ok(Some(line::parse(text.trim()))),
            Err(error) => {
                let place = error.valid_up_to() + 1;
                return Ok(Some(Line::Wrong(format!("a line is left out, since it is no UTF-8 from byte {place} on"))));
            }
        }
    }
}

/// Leaves out the rest of a line.
async fn skip(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf().await?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (length, done) = (end.map_or(buffer.len(), |at| at + 1), end.is_some() || buffer.is_empty());
        input.consume(length);
        if done {
            return Ok(());
        }
    }
}

/// The editor waits for a key in a thread of its own.
fn edit(events: mpsc::Sender<Event>, screen: Screen, history: Option<PathBuf>) {
    let (typed, mut keys) = mpsc::channel(1);
    Editor::spawn(screen, history, typed);
    tokio::spawn(async move {
        while let Some(key) = keys.recv().await {
            let event = match key {
                Typed::Line(line) => Event::Console(line::parse(line.trim())),
                // As SIGINT: the first ends in order, the next one at once.
                Typed::Interrupt => Event::Stop,
            };
            if events.send(event).await.is_err() {
                return;
            }
        }
        let _ = events.send(Event::ConsoleClosed).await;
    });
}
