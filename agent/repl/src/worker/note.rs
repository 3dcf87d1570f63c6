//! The scope note: which names there are, so that the model uses them again instead of asking again.

use std::fmt::Write as _;

use monty_types::MontyObject;

use crate::wire::Names;

/// How long the note is at most, in bytes.
const ROOM: usize = 2 << 10;

/// Looks at every value in Python, because only there it can be looked at without being copied. The names it uses are
/// bound when it is defined: the author may give them other meanings later.
pub(super) const DEFINE: &str = r"
def __asyncai_short(value, room, depth, self, type=type, len=len, repr=repr, str=str, list=list, dict=dict, tuple=tuple, set=set, int=int, float=float, bool=bool):
    kind = type(value)
    if value is None or kind is bool or kind is float:
        return repr(value)
    if kind is int:
        return repr(value) if -10**18 < value < 10**18 else 'an int of ' + str(value.bit_length()) + ' bits'
    if kind is str:
        return repr(value) if len(value) <= room else repr(value[:room]) + '…'
    brackets = '[]' if kind is list else '()' if kind is tuple else '{}' if kind is set or kind is dict else ''
    if brackets == '' or depth == 4:
        return '…' if brackets else ''
    parts = []
    for item in value:
        if room < 16:
            parts.append('…')
            break
        part = self(item, room, depth + 1, self)
        if kind is dict:
            part = part + ': ' + self(value[item], room - len(part), depth + 1, self)
        parts.append(part)
        room = room - len(part) - 2
    return brackets[0] + ', '.join(parts) + brackets[1]

def __asyncai_note(scope, short=__asyncai_short, type=type, len=len, list=list, dict=dict, tuple=tuple, set=set, str=str):
    note = []
    for name in scope:
        if name.startswith('_'):
            continue
        value = scope[name]
        kind = type(value)
        size = len(value) if kind is list or kind is dict or kind is tuple or kind is set or kind is str else None
        note.append((name, kind.__name__, size, short(value, 60, 0, short)))
    return note
";

/// Its call; only at the top `locals()` is the scope.
pub(super) const CALL: &str = "__asyncai_note(locals())";

/// The note: the names in `first` come first, then the others, the newest first.
pub(super) fn write(note: &MontyObject, first: &[String], names: &Names) -> String {
    let mut entries: Vec<(String, String)> = note
        .as_ref()
        .items()
        .unwrap_or_default()
        .into_iter()
        .filter_map(|entry| {
            let entry = entry.items()?;
            let [name, kind, size, short] = entry.as_slice() else { return None };
            let (name, kind) = (name.as_str()?, kind.as_str()?);
            let ours = names.functions.iter().any(|known| known == name) || names.groups.iter().any(|(g, _)| g == name);
            if ours || kind == "module" {
                return None;
            }
            Some((name.to_owned(), entry_text(name, kind, size.as_int(), short.as_str().unwrap_or_default())))
        })
        .collect();
    entries.reverse();
    entries.sort_by_key(|(name, _)| !first.contains(name));
    let mut text = String::new();
    for (n, (_, entry)) in entries.iter().enumerate() {
        if text.len() + entry.len() > ROOM {
            let rest = entries.iter().skip(n).map(|(name, _)| name.as_str()).take(40).collect::<Vec<_>>();
            let _ = write!(text, "; … {} more: {}", entries.len() - n, rest.join(", "));
            break;
        }
        text.push_str(if n == 0 { "" } else { "; " });
        text.push_str(entry);
    }
    text
}

fn entry_text(name: &str, kind: &str, size: Option<i64>, short: &str) -> String {
    let size = match (kind, size) {
        ("dict", Some(size)) => format!(", {size} keys"),
        ("str", Some(size)) => format!(", {size} characters"),
        (_, Some(size)) => format!(", {size}"),
        _ => String::new(),
    };
    let value = if short.is_empty() { String::new() } else { format!(": {short}") };
    format!("{name} ({kind}{size}){value}")
}
