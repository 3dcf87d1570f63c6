//! Events: a change looked at, with its line, and as the filter sees it.

use std::fmt::Write as _;

use crate::change::Change;
use crate::identity::Identity;
use crate::json::{is_json, members, quote, string};
use crate::line::{Told, gap, logged, named, single};
use crate::paths::{Difference, differences};
use crate::what::{Kind, Place, What};

/// The `type` of an event that comes without one.
const UNTYPED: &str = "UNKNOWN";
/// Members of the filter's event that the engine sets.
const RESERVED: [&str; 4] = ["watch", "uri", "old", "changed"];

/// An event that may be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its `type`.
    pub(crate) kind: String,
    /// The object that it is about.
    pub(crate) object: Option<String>,
    /// How it reads without a filter.
    pub(crate) line: String,
    /// Whether the line shows a difference, which it may shorten: two that read the same are two changes all the same.
    pub(crate) differs: bool,
    /// As the filter sees it: a JSON object; empty if there is no filter.
    pub(crate) dict: String,
}

impl Event {
    /// Whether the agent must know of it, whatever the filter says.
    pub(crate) fn is_alarm(&self) -> bool {
        self.is_gap() || self.is_error()
    }

    /// Whether events may be missing.
    pub(crate) fn is_gap(&self) -> bool {
        self.kind == "GAP"
    }

    /// Whether the source reports a failure.
    pub(crate) fn is_error(&self) -> bool {
        self.kind == "ERROR"
    }
}

/// An event that changes nothing of interest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ignored {
    /// Its `type`.
    pub(crate) kind: String,
    /// It is of our own kinds: what we write ourselves makes no event, not even one to count.
    pub(crate) own: bool,
}

/// Whose events are looked at, and whether a filter is to see them.
#[derive(Clone, Copy)]
pub(crate) struct Lens<'a> {
    pub(crate) watch: &'a str,
    pub(crate) uri: &'a str,
    pub(crate) filtered: bool,
}

impl Lens<'_> {
    /// The event that a change makes, or why it makes none.
    pub(crate) fn look(&self, change: &Change) -> Result<Event, Ignored> {
        match &change.what {
            What::Logged(json) => self.logged(json),
            What::Differs { kind, place, old, new } => self.differs(*kind, place, old.as_deref(), new.as_deref()),
            What::Gap { reason, missed } => Ok(self.gap(change.seq, reason, *missed)),
        }
    }

    fn logged(&self, json: &str) -> Result<Event, Ignored> {
        let fields = members(json).unwrap_or(crate::json::Members(Vec::new()));
        let text = |key| fields.get(key).and_then(string);
        let kind = text("type").unwrap_or_else(|| UNTYPED.to_owned());
        let object = fields.get("object");
        let old = fields.get("old").filter(|old| kind == "MODIFIED" && *old != "null");
        let changed = object.zip(old).map(|(new, old)| differences(None, old, new));
        let identity = object.map(Identity::of).unwrap_or_default();
        if is_without_effect(changed.as_deref(), &identity) {
            return Err(Ignored { kind, own: identity.own });
        }
        let (message, reason) = (text("message"), text("reason"));
        let missed = fields.get("missed").and_then(|missed| missed.parse().ok());
        let told = Told { json, message: message.as_deref(), reason: reason.as_deref(), missed };
        let line = single(&logged(&kind, &told, &identity, changed.as_deref().unwrap_or_default()));
        let mut dict = self.dict();
        if self.filtered {
            for (key, value) in fields.0.iter().filter(|(key, _)| !RESERVED.contains(&&**key)) {
                field(&mut dict, key, value);
            }
            if fields.get("type").and_then(string).is_none() {
                field(&mut dict, "type", &quote(&kind));
            }
        }
        let differs = changed.is_some();
        Ok(Event { object: identity.key, line, differs, dict: self.close(dict, old, changed.as_deref()), kind })
    }

    fn differs(&self, kind: Kind, place: &Place, old: Option<&str>, new: Option<&str>) -> Result<Event, Ignored> {
        let value = new.or(old);
        let (identity, key, at) = match place {
            Place::Item(key) => (value.map(Identity::of).unwrap_or_default(), Some(key), None),
            Place::Member(key) => (Identity::default(), Some(key), Some(&**key)),
            Place::Whole => (Identity::default(), None, None),
        };
        let compared = old.zip(new).map(|(old, new)| match place {
            Place::Item(_) | Place::Member(_) => differences(at, old, new),
            Place::Whole => vec![Difference { path: ".".to_owned(), old: Some(old), new: Some(new) }],
        });
        let changed = compared.as_deref().filter(|_| kind == Kind::Modified);
        if is_without_effect(changed, &identity) {
            return Err(Ignored { kind: kind.name().to_owned(), own: identity.own });
        }
        let name = identity.label.as_deref().or(key.map(|key| &**key)).unwrap_or_default();
        let line = single(&named(kind.name(), name, at, compared.as_deref().unwrap_or_default()));
        let mut dict = self.dict();
        if self.filtered {
            field(&mut dict, "type", &quote(kind.name()));
            field(&mut dict, "key", &key.map_or_else(|| "null".to_owned(), |key| quote(key)));
            match place {
                Place::Item(_) => field(&mut dict, "item", value.unwrap_or("null")),
                Place::Member(_) => field(&mut dict, "new", new.unwrap_or("null")),
                Place::Whole => field(&mut dict, "new", &new.map_or_else(|| "null".to_owned(), json_or_quoted)),
            }
        }
        let old = old.filter(|_| kind == Kind::Modified);
        let object = key.map(ToString::to_string);
        let differs = compared.is_some();
        Ok(Event { kind: kind.name().to_owned(), object, line, differs, dict: self.close(dict, old, changed) })
    }

    fn gap(&self, seq: u64, reason: &str, missed: Option<u64>) -> Event {
        let mut dict = self.dict();
        if self.filtered {
            field(&mut dict, "type", "\"GAP\"");
            field(&mut dict, "seq", &seq.to_string());
            field(&mut dict, "reason", &quote(reason));
            field(&mut dict, "missed", &missed.map_or_else(|| "null".to_owned(), |missed| missed.to_string()));
        }
        let line = gap(None, missed, Some(reason));
        Event { kind: "GAP".to_owned(), object: None, line, differs: false, dict: self.close(dict, None, None) }
    }

    fn dict(&self) -> String {
        let mut dict = String::new();
        if self.filtered {
            field(&mut dict, "watch", &quote(self.watch));
            field(&mut dict, "uri", &quote(self.uri));
        }
        dict
    }

    fn close(&self, mut dict: String, old: Option<&str>, changed: Option<&[Difference<'_>]>) -> String {
        if self.filtered {
            field(&mut dict, "old", old.unwrap_or("null"));
            let paths = |changed: &[Difference<'_>]| {
                let paths: Vec<&str> = changed.iter().map(|difference| &*difference.path).collect();
                serde_json::Value::from(paths).to_string()
            };
            field(&mut dict, "changed", &changed.map_or_else(|| "null".to_owned(), paths));
            dict.push('}');
        }
        dict
    }
}

/// A `MODIFIED` in which nothing differs, or nothing but the status of an object of our own kinds, which we write.
fn is_without_effect(changed: Option<&[Difference<'_>]>, identity: &Identity) -> bool {
    changed.is_some_and(|changed| {
        changed.iter().all(|difference| identity.own && difference.path.split('.').next() == Some("status"))
    })
}

fn field(dict: &mut String, key: &str, value: &str) {
    let separator = if dict.is_empty() { '{' } else { ',' };
    let _ = write!(dict, "{separator}{}:{value}", quote(key));
}

fn json_or_quoted(text: &str) -> String {
    if is_json(text) { text.to_owned() } else { quote(text) }
}
