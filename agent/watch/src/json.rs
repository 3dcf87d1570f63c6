//! JSON that is looked at without being built: values stay text, and only what is asked for is parsed.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

#[cfg(test)]
pub(crate) mod tests;

/// Values nested deeper than this are compared as they are written, which bounds the stack.
const MAX_DEPTH: usize = 64;

/// The members of an object in the order of the text, their values unparsed.
pub(crate) struct Members<'a>(pub(crate) Vec<(Cow<'a, str>, &'a str)>);

/// The members of `text` if it is an object.
pub(crate) fn members(text: &str) -> Option<Members<'_>> {
    text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok())?
}

/// The elements of `text` if it is a list.
pub(crate) fn elements(text: &str) -> Option<Vec<&str>> {
    let elements: Vec<&RawValue> = text.trim_start().starts_with('[').then(|| serde_json::from_str(text).ok())??;
    Some(elements.into_iter().map(RawValue::get).collect())
}

/// The value of a JSON string; `None` for any other value.
pub(crate) fn string(raw: &str) -> Option<String> {
    raw.starts_with('"').then(|| serde_json::from_str(raw).ok())?
}

/// `text` as a JSON string.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Whether `text` is JSON of any kind.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

impl<'a> Members<'a> {
    /// The value of the member `key`.
    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// Sorted by key; of equal keys the last one holds.
    pub(crate) fn sorted(mut self) -> Vec<(Cow<'a, str>, &'a str)> {
        self.0.reverse();
        self.0.sort_by(|a, b| a.0.cmp(&b.0));
        self.0.dedup_by(|later, kept| later.0 == kept.0);
        self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push((key, value.get()));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Whether two values mean the same: white space, the order of keys, escapes and forms like `1.0` make no difference.
pub(crate) fn same(a: &str, b: &str) -> bool {
    same_within(a, b, MAX_DEPTH)
}

fn same_within(a: &str, b: &str, depth: usize) -> bool {
    if a == b {
        return true;
    }
    if depth == 0 {
        return false;
    }
    match (a.as_bytes().first(), b.as_bytes().first()) {
        (Some(b'{'), Some(b'{')) => match (members(a), members(b)) {
            (Some(a), Some(b)) => {
                let (a, b) = (a.sorted(), b.sorted());
                a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.0 == b.0 && same_within(a.1, b.1, depth - 1))
            }
            _ => false,
        },
        (Some(b'['), Some(b'[')) => match (elements(a), elements(b)) {
            (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same_within(a, b, depth - 1)),
            _ => false,
        },
        (Some(b'"'), Some(b'"')) => string(a).is_some_and(|a| Some(a) == string(b)),
        _ => number(a) == number(b),
    }
}

/// A value written in the one way in which values that mean the same are written alike.
///
/// Members of an object for which `skip` holds, given the keys above them and their own, are left out.
pub(crate) fn canonical(raw: &str, skip: fn(&[&str], &str) -> bool, within: &[&str]) -> String {
    let mut text = String::with_capacity(raw.len());
    write_canonical(&mut text, raw, skip, within, MAX_DEPTH);
    text
}

fn write_canonical(text: &mut String, raw: &str, skip: fn(&[&str], &str) -> bool, within: &[&str], depth: usize) {
    if depth == 0 {
        text.push_str(raw);
    } else if let Some(members) = members(raw) {
        text.push('{');
        for (index, (key, value)) in members.sorted().iter().filter(|(key, _)| !skip(within, key)).enumerate() {
            text.push_str(if index > 0 { "," } else { "" });
            text.push_str(&quote(key));
            text.push(':');
            write_canonical(text, value, skip, &[within, &[key]].concat(), depth - 1);
        }
        text.push('}');
    } else if let Some(elements) = elements(raw) {
        text.push('[');
        for (index, element) in elements.into_iter().enumerate() {
            text.push_str(if index > 0 { "," } else { "" });
            write_canonical(text, element, |_, _| false, &[], depth - 1);
        }
        text.push(']');
    } else if let Some(string) = string(raw) {
        text.push_str(&quote(&string));
    } else {
        text.push_str(&number(raw));
    }
}

/// A number in its shortest form; any other text as it is.
fn number(raw: &str) -> Cow<'_, str> {
    if !raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()) || !raw.contains(['.', 'e', 'E']) && raw != "-0" {
        return Cow::Borrowed(raw);
    }
    match raw.parse::<f64>() {
        Ok(0.0) => Cow::Borrowed("0"),
        Ok(value) if value.is_finite() => Cow::Owned(value.to_string()),
        _ => Cow::Borrowed(raw),
    }
}

/// JSON without white space between its tokens.
pub(crate) fn compact(raw: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    raw.chars()
        .filter(|&c| {
            let keep = quoted || !matches!(c, ' ' | '\t' | '\n' | '\r');
            if c == '"' && !escaped {
                quoted = !quoted;
            }
            escaped = quoted && c == '\\' && !escaped;
            keep
        })
        .collect()
}

/// A value for people to read: a string as it is, anything else as compact JSON, what is no JSON as it is.
pub(crate) fn readable(raw: &str) -> String {
    if raw.starts_with(['{', '[']) { compact(raw) } else { string(raw).unwrap_or_else(|| raw.to_owned()) }
}
