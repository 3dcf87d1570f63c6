//! The terminal: lines of stdin are input.

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::mpsc;

use crate::channel::line;
use crate::event::Event;

/// Name of the channel.
pub(crate) const NAME: &str = "console";

/// Reads stdin to its end.
pub(crate) fn spawn(events: mpsc::Sender<Event>) {
    tokio::spawn(async move {
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
    });
}
