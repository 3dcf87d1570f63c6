//! Text that a terminal shows, and does not obey.

use std::borrow::Cow;
use std::fmt::Write as _;

#[cfg(test)]
mod tests;

/// `text` with every control character but those that break and indent lines as its escape, `\u001b`: what a model or
/// a server says must not move the cursor, set the clipboard or turn the order of what is read. In JSON, where these
/// are only in strings, it says the same as before.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(commands) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        if commands(c) {
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Whether a terminal may do something else with it than to show it. All of them have four hexadecimal digits.
fn commands(c: char) -> bool {
    let bidirectional =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    bidirectional || c.is_control() && !matches!(c, '\n' | '\t')
}
