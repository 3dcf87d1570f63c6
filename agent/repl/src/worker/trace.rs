//! Exceptions as their author reads them: with line, column and text of his source.

use std::fmt::Write as _;

use monty_types::{CodeLoc, MontyException, StackFrame};

use crate::wire::Problem;

/// Frames shown of a long traceback, at either end.
const SHOWN: usize = 4;
/// Longest line of source shown, and longest message.
const LINE: usize = 160;
const MESSAGE: usize = 2000;

/// Where a frame is in the author's source.
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
    /// The line's text.
    pub(super) text: String,
    /// Besides the function's name: which source it is, if not the one that runs.
    pub(super) of: &'static str,
    /// The function; none at the top.
    pub(super) function: Option<String>,
}

impl Place {
    /// A frame that is in the author's source as it stands.
    pub(super) fn plain(frame: &StackFrame, source: Option<&str>, of: &'static str) -> Self {
        let CodeLoc { line, column } = frame.start;
        let text = source.and_then(|source| nth_line(source, line)).or(frame.preview_line.as_deref());
        Self { line, column, text: text.unwrap_or_default().to_owned(), of, function: frame.frame_name.clone() }
    }
}

/// A line of a source, counted from 1.
pub(super) fn nth_line(source: &str, line: u32) -> Option<&str> {
    source.split('\n').nth(usize::try_from(line).ok()?.checked_sub(1)?)
}

/// The exception with its frames; `place` says where each is, or that it is none of the author's.
pub(super) fn problem(error: &MontyException, place: impl Fn(&StackFrame) -> Option<Place>) -> Problem {
    let exception: &'static str = error.exc_type().into();
    let message = clip(error.message().unwrap_or_default(), MESSAGE);
    let places: Vec<Place> = error.traceback().iter().filter_map(place).collect();
    let (line, column) = places.last().map_or((0, 0), |last| (last.line, last.column));
    let mut text = String::new();
    for (n, place) in places.iter().enumerate() {
        if n < SHOWN || n + SHOWN >= places.len() {
            frame(&mut text, place);
        } else if n == SHOWN {
            let _ = writeln!(text, "  … {} more", places.len() - 2 * SHOWN);
        }
    }
    let separator = if message.is_empty() { "" } else { ": " };
    let _ = write!(text, "{exception}{separator}{message}");
    Problem { exception: exception.to_owned(), message, line, column, traceback: text }
}

/// An exception of ours, which is about no place.
pub(super) fn bare(exception: &str, message: String) -> Problem {
    let traceback = format!("{exception}: {message}");
    Problem { exception: exception.to_owned(), message, line: 0, column: 0, traceback }
}

fn frame(out: &mut String, place: &Place) {
    let Place { line, column, text, of, function } = place;
    let function = function.as_deref().filter(|name| *name != "<module>");
    let function = function.map(|name| format!(", in {name}")).unwrap_or_default();
    let _ = writeln!(out, "{of}line {line}, column {column}{function}:");
    let code = text.trim_end();
    if !code.trim().is_empty() {
        let _ = writeln!(out, "    {}", clip(code.trim_start(), LINE));
    }
}

fn clip(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room).chain(['…']).collect()
}
