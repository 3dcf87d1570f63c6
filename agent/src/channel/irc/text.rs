//! What is said: whether it addresses the agent, and how a reply fits into lines. Pure.

#[cfg(test)]
mod tests;

/// Longest line of the protocol, with its CR and LF.
const LINE: usize = 512;
/// What a server puts before a line when it passes it on, beside the nick: `:nick!~username@host `.
const PREFIX: usize = 80;

/// Whether two nicks or channels are the same to a server.
pub(super) fn same(a: &str, b: &str) -> bool {
    a.chars().map(fold).eq(b.chars().map(fold))
}

/// RFC 1459 takes these brackets for the two cases of letters of its authors' alphabet.
fn fold(c: char) -> char {
    match c {
        '{' => '[',
        '}' => ']',
        '|' => '\\',
        '^' => '~',
        c => c.to_ascii_lowercase(),
    }
}

/// What `text` says to one of `nicks`: `alice: …` or `alice, …`. None: it is not for them, or says nothing.
pub(super) fn addressed<'a>(text: &'a str, nicks: &[&str]) -> Option<&'a str> {
    let (name, said) = text.trim_start().split_once([':', ','])?;
    let said = said.trim();
    (nicks.iter().any(|nick| same(nick, name)) && !said.is_empty()).then_some(said)
}

/// `text` without what colours it, rings bells or ends lines.
pub(super) fn clean(text: &str) -> String {
    text.replace('\t', " ").chars().filter(|c| !c.is_control()).collect()
}

/// `text` as commands that say it to `target`, which others get whole although the server adds who says it: `nick`.
/// They are cut between words where they can be, and never within a character.
pub(super) fn messages(nick: &str, target: &str, text: &str) -> Vec<String> {
    let room = LINE.saturating_sub("\r\n".len() + PREFIX + nick.len() + "PRIVMSG  :".len() + target.len()).max(1);
    text.lines()
        .map(clean)
        .flat_map(|line| split(&line, room))
        .map(|line| format!("PRIVMSG {target} :{line}"))
        .collect()
}

fn split(line: &str, room: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = line.trim_end();
    while rest.len() > room {
        let most = rest.floor_char_boundary(room).max(rest.chars().next().map_or(0, char::len_utf8));
        // A word that ends just where the room does is whole.
        let end = rest[..rest.ceil_char_boundary(most + 1)].rfind(' ').filter(|end| *end > 0).unwrap_or(most);
        parts.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    parts.push(rest.to_owned());
    parts.retain(|part| !part.trim().is_empty());
    parts
}
