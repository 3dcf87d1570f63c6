//! A filter's source as a function that a loop can call: its names are the module's, its last expression is returned.
//!
//! A loop that is fed once does not grow, and a function keeps the loop so small that it can be fed again after an
//! exception. Lines stay lines; only columns move, and [`Embedded::original`] moves them back.

use ruff_python_ast::Stmt;
use ruff_python_ast::token::{TokenKind, Tokens};
use ruff_text_size::Ranged as _;

use crate::worker::analysis::{awaits_at_the_top, parse, position};
use crate::worker::scopes;

/// The function's name.
pub(super) const FUNCTION: &str = "__asyncai_filter";
const RETURN: &str = "return (";
const RETURN_LENGTH: u32 = 8;

pub(super) struct Embedded {
    pub(super) text: String,
    /// Whether the function is to be awaited.
    pub(super) is_async: bool,
    /// Lines before the source's first.
    header: u32,
    /// The lines, of the source, that were not indented because they begin inside of a string.
    flush: Vec<u32>,
    /// Where the last expression begins, in the source: line and column.
    returned: Option<(u32, u32)>,
}

impl Embedded {
    /// None if the source does not parse.
    pub(super) fn new(source: &str) -> Option<Self> {
        let parsed = parse(source)?;
        let body = parsed.suite();
        let is_async = awaits_at_the_top(body);
        let mut names = scopes::bound(body);
        // The event may be assigned to, then it is in the list already.
        names.retain(|name| name != "event");
        names.push("event".to_owned());
        let asynchronous = if is_async { "async " } else { "" };
        let mut text = format!("{asynchronous}def {FUNCTION}():\n global {}\n", names.join(", "));
        let header = 2;
        let strings = strings(parsed.tokens());
        let returned = match body.last() {
            Some(Stmt::Expr(last)) => Some((last.start().to_usize(), last.end().to_usize())),
            _ => None,
        };
        let mut flush = Vec::new();
        let mut start = 0;
        for (n, line) in (1..).zip(source.split('\n')) {
            if strings.iter().any(|(from, to)| *from < start && start < *to) {
                flush.push(n);
            } else {
                text.push(' ');
            }
            push_line(&mut text, line, start, returned);
            text.push('\n');
            start += line.len() + 1;
        }
        text.push_str(" pass\n");
        let returned = returned.map(|(from, _)| position(source, from));
        Some(Self { text, is_async, header, flush, returned })
    }

    /// Line and column in the source, for those in the text.
    pub(super) fn original(&self, line: u32, column: u32) -> (u32, u32) {
        let line = line.saturating_sub(self.header).max(1);
        let mut column = if self.flush.contains(&line) { column } else { column.saturating_sub(1) };
        if let Some((of, from)) = self.returned
            && of == line
            && column > from
        {
            column = column.saturating_sub(RETURN_LENGTH).max(from);
        }
        (line, column.max(1))
    }
}

/// Copies a line, with the return around the last expression where it begins and ends on it.
fn push_line(text: &mut String, line: &str, start: usize, returned: Option<(usize, usize)>) {
    let end = start + line.len();
    let mut rest = 0;
    if let Some((from, to)) = returned {
        for (at, insert) in [(from, RETURN), (to, ")")] {
            // An expression ends after its first character, so its end may be the line's.
            let here = if insert == ")" { start < at && at <= end } else { start <= at && at < end };
            if here {
                text.push_str(line.get(rest..at - start).unwrap_or_default());
                text.push_str(insert);
                rest = at - start;
            }
        }
    }
    text.push_str(line.get(rest..).unwrap_or_default());
}

/// Where the strings are, f-strings whole.
fn strings(tokens: &Tokens) -> Vec<(usize, usize)> {
    let mut strings = Vec::new();
    let mut open = Vec::new();
    for token in tokens {
        let (start, end) = (token.start().to_usize(), token.end().to_usize());
        match token.kind() {
            TokenKind::String => strings.push((start, end)),
            TokenKind::FStringStart | TokenKind::TStringStart => open.push(start),
            TokenKind::FStringEnd | TokenKind::TStringEnd => strings.extend(open.pop().map(|start| (start, end))),
            _ => {}
        }
    }
    strings
}

#[cfg(test)]
mod tests;
