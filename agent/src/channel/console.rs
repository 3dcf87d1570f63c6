//! The terminal: lines of stdin are input, and replies are shown as they come.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::mpsc;

use crate::channel::line;
use crate::event::Event;

mod editor;
mod screen;

pub(crate) use self::editor::{Editor, Typed};
pub(crate) use self::screen::Screen;

/// Name of the channel.
pub(crate) const NAME: &str = "console";

/// Reads stdin to its end: with line editing if it and stdout are a terminal, and `screen` is there to show it on.
pub(crate) fn spawn(events: mpsc::Sender<Event>, screen: Option<Screen>, history: Option<PathBuf>) {
    match screen {
        Some(screen) if io::stdin().is_terminal() && io::stdout().is_terminal() => edit(events, screen, history),
        _ => {
            tokio::spawn(read(events));
        }
    }
}

async fn read(events: mpsc::Sender<Event>) {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if line.trim().is_empty() {
            continue;
        }
        if events.send(Event::Console(line::parse(line.trim()))).await.is_err() {
            return;
        }
    }
    let _ = events.send(Event::ConsoleClosed).await;
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
