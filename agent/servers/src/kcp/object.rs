//! Objects as this server keeps them: their JSON without `managedFields`, without secrets, not parsed further.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::kcp::redact::{Redactor, placeholder};

/// Holds the whole object again, so it would give a Secret away.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// One version of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    /// `metadata.uid`, or namespace and name where there is none.
    pub(crate) uid: Box<str>,
    /// `metadata.resourceVersion`.
    pub(crate) version: u64,
    /// The object, `apiVersion` and `kind` first.
    pub(crate) json: String,
}

/// Why an object of the API server could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not the JSON of an object.
    #[error("the API server sent an object that cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// The order of changes would be unknown.
    #[error("the API server sent resourceVersion {0:?}, which must be a number to order the events by")]
    Version(String),
}

/// What the objects of a list may leave out, since the list says it for all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    /// The `apiVersion` of each.
    pub(crate) api_version: String,
    /// The `kind` of each.
    pub(crate) kind: String,
}

/// Whether to hide values, and on whose account.
#[derive(Debug)]
pub(crate) enum Scrub<'a> {
    /// No secrets here.
    Nothing,
    /// Secrets, the newest version of each.
    Newest(&'a mut Redactor),
    /// Secrets, at an older version than the redactor has seen.
    Older(&'a Redactor),
}

impl Object {
    /// Reads an object and leaves out what nobody should see.
    pub(crate) fn parse(json: &str, types: &Types, scrub: Scrub<'_>) -> Result<Self, Error> {
        let source = Source::read(json)?;
        let version = source.meta.text("resourceVersion")?;
        let version = version.parse().map_err(|_| Error::Version(version.into_owned()))?;
        let uid = source.uid()?;
        Ok(Self { version, json: source.write(&uid, json.len(), types, scrub)?, uid: uid.into() })
    }
}

/// An object without what nobody should see; it need not have a version.
pub(crate) fn clean(json: &str, types: &Types, scrub: Scrub<'_>) -> Result<String, Error> {
    let source = Source::read(json)?;
    Ok(source.write(&source.uid()?, json.len(), types, scrub)?)
}

struct Source<'a> {
    fields: Fields<'a>,
    meta: Fields<'a>,
}

impl<'a> Source<'a> {
    fn read(json: &'a str) -> Result<Self, serde_json::Error> {
        let fields: Fields<'a> = serde_json::from_str(json)?;
        let meta = fields.get("metadata").map_or(Ok(Fields::default()), |raw| serde_json::from_str(raw.get()))?;
        Ok(Self { fields, meta })
    }

    fn uid(&self) -> Result<Cow<'a, str>, serde_json::Error> {
        let uid = self.meta.text("uid")?;
        if uid.is_empty() {
            return Ok(Cow::Owned(format!("{}/{}", self.meta.text("namespace")?, self.meta.text("name")?)));
        }
        Ok(uid)
    }

    fn write(&self, uid: &str, size: usize, types: &Types, mut scrub: Scrub<'_>) -> Result<String, serde_json::Error> {
        let mut out = Writer::with_capacity(size);
        out.text("apiVersion", &non_empty(self.fields.text("apiVersion")?, &types.api_version))?;
        out.text("kind", &non_empty(self.fields.text("kind")?, &types.kind))?;
        for (key, raw) in &self.fields.0 {
            match (key.as_ref(), &mut scrub) {
                ("apiVersion" | "kind", _) => {}
                ("metadata", scrub) => out.raw(key, &metadata(&self.meta, scrub)?)?,
                ("data" | "stringData", Scrub::Newest(redactor)) => {
                    out.raw(key, &hidden(raw, |k, v| redactor.mark(uid, k, v))?)?;
                }
                ("data" | "stringData", Scrub::Older(redactor)) => {
                    out.raw(key, &hidden(raw, |k, v| redactor.recall(uid, k, v))?)?;
                }
                _ => out.raw(key, raw.get())?,
            }
        }
        Ok(out.finish())
    }
}

fn non_empty<'a>(text: Cow<'a, str>, other: &'a str) -> Cow<'a, str> {
    if text.is_empty() { Cow::Borrowed(other) } else { text }
}

fn metadata(meta: &Fields<'_>, scrub: &Scrub<'_>) -> Result<String, serde_json::Error> {
    let mut out = Writer::with_capacity(256);
    for (key, raw) in &meta.0 {
        match (key.as_ref(), scrub) {
            ("managedFields", _) => {}
            ("annotations", Scrub::Newest(_) | Scrub::Older(_)) => {
                let annotations: Option<Fields<'_>> = serde_json::from_str(raw.get())?;
                let annotations = annotations.unwrap_or_default();
                let mut others = annotations.0.iter().filter(|(key, _)| key != LAST_APPLIED).peekable();
                // An empty map where there was none would look like a change.
                if others.peek().is_some() {
                    let mut kept = Writer::with_capacity(raw.get().len());
                    for (key, raw) in others {
                        kept.raw(key, raw.get())?;
                    }
                    out.raw(key, &kept.finish())?;
                }
            }
            _ => out.raw(key, raw.get())?,
        }
    }
    Ok(out.finish())
}

/// The same keys, each with its number in place of its value.
fn hidden(raw: &RawValue, mut number: impl FnMut(&str, &str) -> u32) -> Result<String, serde_json::Error> {
    let values: Option<Fields<'_>> = serde_json::from_str(raw.get())?;
    let mut out = Writer::with_capacity(64);
    for (key, raw) in &values.unwrap_or_default().0 {
        out.text(key, &placeholder(number(key, raw.get())))?;
    }
    Ok(out.finish())
}

/// The fields of a JSON object in their order, the values not parsed.
#[derive(Default)]
pub(crate) struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// The value of a field.
    pub(crate) fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, raw)| *raw)
    }

    /// A string field; empty if absent or null.
    pub(crate) fn text(&self, key: &str) -> Result<Cow<'a, str>, serde_json::Error> {
        let text: Option<Text<'a>> = self.get(key).map_or(Ok(None), |raw| serde_json::from_str(raw.get()))?;
        Ok(text.map_or(Cow::Borrowed(""), |text| text.0))
    }
}

/// A string that borrows unless it has escapes.
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some((key, value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                    fields.push((key.0, value));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Writes a JSON object field by field.
struct Writer(String);

impl Writer {
    fn with_capacity(bytes: usize) -> Self {
        let mut out = String::with_capacity(bytes + 2);
        out.push('{');
        Self(out)
    }

    fn raw(&mut self, key: &str, value: &str) -> Result<(), serde_json::Error> {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&serde_json::to_string(key)?);
        self.0.push(':');
        self.0.push_str(value);
        Ok(())
    }

    fn text(&mut self, key: &str, value: &str) -> Result<(), serde_json::Error> {
        self.raw(key, &serde_json::to_string(value)?)
    }

    fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}
