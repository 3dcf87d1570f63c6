//! Lines: how an event reads when no filter words it, and what keeps any text to one harmless line.

use std::fmt::Write as _;

use crate::identity::Identity;
use crate::json::{compact, readable};
use crate::paths::Difference;

#[cfg(test)]
mod tests;

/// A line has at most so many characters.
const MAX_LINE: usize = 2_000;
/// A value in a line has at most so many characters.
const MAX_VALUE: usize = 40;
/// A line tells at most so many changes.
const MAX_CHANGES: usize = 3;

/// `text` as one line of bounded length, as [`visible`] makes it.
pub(crate) fn single(text: &str) -> String {
    visible(text, MAX_LINE)
}

/// `text` as one line of at most `max` characters, in which nothing is invisible or turns the direction of reading.
pub(crate) fn visible(text: &str, max: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut rest = text.trim_end_matches(['\n', '\r']).chars().peekable();
    while let Some(c) = rest.next() {
        let start = line.len();
        match c {
            '\r' if rest.peek() == Some(&'\n') => continue,
            '\n' => line.push_str("\\n"),
            c if is_deceptive(c) => line.extend(c.escape_unicode()),
            c => line.push(c),
        }
        length += line[start..].chars().count();
        if length >= max && (length > max || rest.peek().is_some()) {
            line.truncate(start);
            line.push('…');
            break;
        }
    }
    line
}

/// Controls, and the characters that hide text or reorder it; those that scripts need to join letters are left alone.
fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// The line of an event about an object with a name: `MODIFIED default/web (spec.replicas: 1→2)`.
pub(crate) fn named(kind: &str, name: &str, within: Option<&str>, differences: &[Difference<'_>]) -> String {
    let mut line = if name.is_empty() { kind.to_owned() } else { format!("{kind} {name}") };
    let shown = differences.iter().take(MAX_CHANGES).map(|difference| change(difference, within));
    let shown: Vec<String> = shown.filter(|change| !change.is_empty()).collect();
    if !shown.is_empty() {
        let _ = write!(line, " ({}", shown.join(", "));
        if differences.len() > MAX_CHANGES {
            let _ = write!(line, ", +{} more", differences.len() - MAX_CHANGES);
        }
        line.push(')');
    }
    line
}

/// The line of an event of an event log, given its JSON and what is known of its object.
pub(crate) fn logged(kind: &str, event: &Told<'_>, object: &Identity, differences: &[Difference<'_>]) -> String {
    match (kind, event.message, &object.label) {
        ("GAP", message, _) => gap(message, event.missed, event.reason),
        ("ERROR", Some(message), _) => format!("ERROR {message}"),
        (_, _, Some(label)) => named(kind, label, None, differences),
        _ => compact(event.json),
    }
}

/// The parts of an event that its line may need.
#[derive(Clone, Copy, Default)]
pub(crate) struct Told<'a> {
    pub(crate) json: &'a str,
    pub(crate) message: Option<&'a str>,
    pub(crate) reason: Option<&'a str>,
    pub(crate) missed: Option<u64>,
}

/// The line of a hole in the events.
pub(crate) fn gap(message: Option<&str>, missed: Option<u64>, reason: Option<&str>) -> String {
    let text = match (message, missed) {
        (Some(message), _) => message.to_owned(),
        (None, Some(1)) => "1 event may be missing".to_owned(),
        (None, Some(missed)) => format!("{missed} events may be missing"),
        (None, None) => "events may be missing".to_owned(),
    };
    match reason {
        Some(reason) => format!("GAP {text} (reason: {reason})"),
        None => format!("GAP {text}"),
    }
}

/// `path: old→new`, or the path alone where the values read the same; the path is told from `within` on.
fn change(difference: &Difference<'_>, within: Option<&str>) -> String {
    let path = match within.map(|within| difference.path.strip_prefix(within)) {
        Some(Some(rest)) => rest.trim_start_matches('.'),
        _ => difference.path.trim_start_matches('.'),
    };
    let (old, new) = (shorten(difference.old), shorten(difference.new));
    match (path.is_empty(), old == new) {
        (_, true) => path.to_owned(),
        (true, false) => format!("{old}→{new}"),
        (false, false) => format!("{path}: {old}→{new}"),
    }
}

fn shorten(value: Option<&str>) -> String {
    let text = value.map_or_else(|| "None".to_owned(), readable);
    match text.char_indices().nth(MAX_VALUE) {
        Some(_) => text.chars().take(MAX_VALUE - 1).chain(['…']).collect(),
        None => text,
    }
}
