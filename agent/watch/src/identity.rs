//! Who an object is: its key among others, and its name for people.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::string;

#[cfg(test)]
mod tests;

/// The API group whose own status writes make no events.
const OWN_GROUP: &str = "asyncai.dev/";

/// What is known of an object from the fields that objects are commonly told apart by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The first present of `metadata.uid`, `uid`, `id`, `metadata.name` and `name`.
    pub(crate) key: Option<String>,
    /// `namespace/name` or `name` of an object like those of Kubernetes.
    pub(crate) label: Option<String>,
    /// Whether it is of the kinds of this product.
    pub(crate) own: bool,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields<'a> {
    #[serde(borrow)]
    api_version: Option<&'a RawValue>,
    metadata: Option<&'a RawValue>,
    uid: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    name: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Metadata<'a> {
    #[serde(borrow)]
    uid: Option<&'a RawValue>,
    name: Option<&'a RawValue>,
    namespace: Option<&'a RawValue>,
}

impl Identity {
    /// Looks at a JSON object; anything else has no identity.
    pub(crate) fn of(object: &str) -> Self {
        if !object.starts_with('{') {
            return Self::default();
        }
        let fields: Fields<'_> = serde_json::from_str(object).unwrap_or_default();
        let metadata = fields.metadata.map(RawValue::get).filter(|raw| raw.starts_with('{'));
        let metadata: Metadata<'_> = metadata.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        let key = [metadata.uid, fields.uid, fields.id, metadata.name, fields.name].into_iter().find_map(text);
        let label = text(metadata.name).map(|name| match text(metadata.namespace) {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name,
        });
        let own = text(fields.api_version).is_some_and(|version| version.starts_with(OWN_GROUP));
        Self { key, label, own }
    }
}

/// A string that is not empty, or a number.
fn text(raw: Option<&RawValue>) -> Option<String> {
    let raw = raw?.get();
    if raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        return Some(raw.to_owned());
    }
    string(raw).filter(|text| !text.is_empty())
}
