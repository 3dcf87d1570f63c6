//! JSON to Python's values and back.

use std::fmt::{self, Write as _};

use monty_types::unstable::{self, MontyGraph, MontyNode, NodeId, PushValue as _};
use monty_types::{MontyObject, ObjectRef};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// How deep Python's values are followed; JSON text may be nested 127 deep.
const DEEPEST: usize = 120;
/// An int of more bits is not written out: that takes longer the longer it is, without end.
const WIDEST: u64 = 100_000;

/// The Python value of a JSON text.
pub(crate) fn from_json(text: &str) -> Result<MontyObject, serde_json::Error> {
    let mut graph = MontyGraph::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    let root = Seed(&mut graph).deserialize(&mut reader)?;
    reader.end()?;
    unstable::object_from_graph(graph, root).map_err(|error| serde_json::Error::custom(error.to_string()))
}

/// Builds a value's node, its children first.
struct Seed<'g>(&'g mut MontyGraph);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = NodeId;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<NodeId, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = NodeId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<NodeId, E> {
        Ok(self.0.push(MontyNode::None))
    }

    fn visit_bool<E>(self, value: bool) -> Result<NodeId, E> {
        Ok(self.0.push(MontyNode::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<NodeId, E> {
        Ok(self.0.push(MontyNode::Int(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<NodeId, E> {
        Ok(value.push_into(self.0))
    }

    fn visit_f64<E>(self, value: f64) -> Result<NodeId, E> {
        Ok(self.0.push(MontyNode::Float(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<NodeId, E> {
        Ok(self.0.push(MontyNode::String(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<NodeId, E> {
        Ok(self.0.push(MontyNode::String(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<NodeId, A::Error> {
        let mut ids = Vec::new();
        while let Some(id) = items.next_element_seed(Seed(self.0))? {
            ids.push(id);
        }
        Ok(self.0.push(MontyNode::List(ids)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<NodeId, A::Error> {
        let mut pairs = Vec::new();
        while let Some(key) = entries.next_key_seed(Seed(self.0))? {
            pairs.push((key, entries.next_value_seed(Seed(self.0))?));
        }
        Ok(self.0.push(MontyNode::Dict(pairs)))
    }
}

/// The JSON of a value that goes to a tool; the error says what cannot go.
pub(crate) fn to_json(value: ObjectRef<'_>) -> Result<Value, String> {
    strict(value, 0)
}

fn strict(value: ObjectRef<'_>, depth: usize) -> Result<Value, String> {
    if depth > DEEPEST {
        return Err(format!("nested more than {DEEPEST} deep"));
    }
    Ok(match unstable::node(value) {
        MontyNode::None => Value::Null,
        MontyNode::Bool(flag) => Value::Bool(*flag),
        MontyNode::Int(number) => Value::from(*number),
        MontyNode::BigInt(number) => {
            let number = u64::try_from(number).map_err(|_| "an int that takes more than 64 bits".to_owned())?;
            Value::from(number)
        }
        MontyNode::Float(number) => Number::from_f64(*number).map(Value::Number).ok_or("a float that is no number")?,
        MontyNode::String(text) => Value::String(text.clone()),
        MontyNode::List(_) | MontyNode::Tuple(_) | MontyNode::Set(_) | MontyNode::FrozenSet(_) => {
            let items = value.items().unwrap_or_default();
            Value::Array(items.into_iter().map(|item| strict(item, depth + 1)).collect::<Result<_, _>>()?)
        }
        MontyNode::Dict(_) => {
            let mut map = Map::new();
            for (key, item) in value.pairs().unwrap_or_default() {
                let key = key.as_str().ok_or_else(|| format!("a dict with a key of type {}", key.type_name()))?;
                map.insert(key.to_owned(), strict(item, depth + 1)?);
            }
            Value::Object(map)
        }
        MontyNode::Function { .. } | MontyNode::BuiltinFunction(_) => return Err(FUNCTION.to_owned()),
        MontyNode::Repr(repr) if repr.starts_with("<function") => return Err(FUNCTION.to_owned()),
        MontyNode::Repr(repr) if is_pending(repr) => return Err("a call without await".to_owned()),
        _ => return Err(format!("of type {}", value.type_name())),
    })
}

/// Code cannot be passed: it runs in another scope, so its text is wanted.
const FUNCTION: &str = "a function (pass its source as text)";

/// Whether this is the repr of something that is to be awaited.
pub(crate) fn is_pending(repr: &str) -> bool {
    repr.starts_with("<coroutine") || repr.starts_with("<Future") || repr.starts_with("<_GatheringFuture")
}

/// The value as compact JSON, as far as it goes: what is no JSON stands as text. Cut after `room` bytes.
pub(crate) fn to_text(value: ObjectRef<'_>, room: usize) -> Clipped {
    let mut out = Clipped::new(room);
    write(value, 0, &mut out);
    out
}

/// Text of which only the beginning is kept.
#[derive(Debug, Default)]
pub(crate) struct Clipped {
    text: String,
    room: usize,
    characters: usize,
    cut: bool,
}

impl Clipped {
    pub(crate) fn new(room: usize) -> Self {
        Self { room, ..Self::default() }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.characters += text.chars().count();
        if self.cut {
            return;
        }
        let room = self.room.saturating_sub(self.text.len());
        let end = (0..=room.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        self.cut = end < text.len();
        self.text.push_str(text.get(..end).unwrap_or_default());
    }

    /// The text; where it was cut, that is said with its whole length.
    pub(crate) fn into_text(self) -> String {
        if self.cut { format!("{}… ({} characters, cut)", self.text, self.characters) } else { self.text }
    }
}

fn write(value: ObjectRef<'_>, depth: usize, out: &mut Clipped) {
    if depth > DEEPEST {
        return out.push("\"…\"");
    }
    match unstable::node(value) {
        MontyNode::None => out.push("null"),
        MontyNode::Bool(flag) => out.push(if *flag { "true" } else { "false" }),
        MontyNode::Int(number) => out.push(&number.to_string()),
        MontyNode::BigInt(number) if number.bits() > WIDEST => {
            out.push(&format!("\"an int of {} bits\"", number.bits()));
        }
        MontyNode::BigInt(number) => out.push(&number.to_string()),
        MontyNode::Float(number) => out.push(&float(*number)),
        MontyNode::String(text) | MontyNode::Repr(text) | MontyNode::Cycle(text) | MontyNode::Decimal(text) => {
            quote(text, out);
        }
        MontyNode::List(_)
        | MontyNode::Tuple(_)
        | MontyNode::Set(_)
        | MontyNode::FrozenSet(_)
        | MontyNode::NamedTuple { .. } => {
            out.push("[");
            for (n, item) in value.items().unwrap_or_default().into_iter().enumerate() {
                out.push(if n == 0 { "" } else { "," });
                write(item, depth + 1, out);
            }
            out.push("]");
        }
        MontyNode::Dict(_) => {
            out.push("{");
            for (n, (key, item)) in value.pairs().unwrap_or_default().into_iter().enumerate() {
                out.push(if n == 0 { "" } else { "," });
                key_text(key, out);
                out.push(":");
                write(item, depth + 1, out);
            }
            out.push("}");
        }
        _ => quote(&value.to_string(), out),
    }
}

/// JSON's keys are strings: others are written as Python's `json` would.
fn key_text(key: ObjectRef<'_>, out: &mut Clipped) {
    match unstable::node(key) {
        MontyNode::String(text) => quote(text, out),
        MontyNode::BigInt(number) if number.bits() > WIDEST => out.push("\"a big int\""),
        MontyNode::Bool(flag) => quote(if *flag { "true" } else { "false" }, out),
        MontyNode::None => quote("null", out),
        _ => quote(&key.to_string(), out),
    }
}

fn float(number: f64) -> String {
    match Number::from_f64(number) {
        Some(number) => number.to_string(),
        None if number.is_nan() => "NaN".to_owned(),
        None => if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned(),
    }
}

fn quote(text: &str, out: &mut Clipped) {
    let mut quoted = String::new();
    let _ = write!(quoted, "{}", Value::from(text));
    out.push(&quoted);
}

#[cfg(test)]
mod tests;
