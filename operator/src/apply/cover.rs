//! Whether an object on the API server already says all that we would say.

use serde_json::Value;

/// Lists that the API server merges by a key of their items: others may add items beside ours.
const MERGED: &[&str] = &["containers", "env", "initContainers", "ownerReferences", "ports", "volumeMounts", "volumes"];
/// Fields whose values are quantities, which the API server writes in its own way: `0.5` becomes `500m`.
const QUANTITIES: &[&str] = &["limits", "requests", "sizeLimit"];

/// True if each field of `desired` stands in `live` with the same value; what `live` has besides (defaults, status,
/// other people's fields) does not count.
///
/// That a field *went away* from `desired` cannot be seen here: the pod template carries a hash of itself for that.
pub(super) fn covers(live: &Value, desired: &Value) -> bool {
    field("", live, desired, false)
}

fn field(name: &str, live: &Value, desired: &Value, quantity: bool) -> bool {
    let quantity = quantity || QUANTITIES.contains(&name);
    match (live, desired) {
        (Value::Object(live), Value::Object(desired)) => {
            desired.iter().all(|(key, wanted)| field(key, live.get(key).unwrap_or(&Value::Null), wanted, quantity))
        }
        (Value::Array(live), Value::Array(desired)) if MERGED.contains(&name) => {
            desired.iter().all(|wanted| live.iter().any(|item| field("", item, wanted, quantity)))
        }
        (Value::Array(live), Value::Array(desired)) => {
            live.len() == desired.len() && live.iter().zip(desired).all(|(l, d)| field("", l, d, quantity))
        }
        // An empty list, map or object says nothing.
        (Value::Null, Value::Array(desired)) => desired.is_empty(),
        (Value::Null, Value::Object(desired)) => desired.values().all(|wanted| field("", &Value::Null, wanted, false)),
        (Value::String(live), Value::String(desired)) if quantity => {
            live == desired || amount(live).is_some_and(|live| Some(live) == amount(desired))
        }
        _ => live == desired,
    }
}

/// The number that a quantity stands for.
fn amount(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (number, scale) = match &text[digits.len()..] {
        "n" => (digits, 1e-9),
        "u" => (digits, 1e-6),
        "m" => (digits, 1e-3),
        "k" => (digits, 1e3),
        "M" => (digits, 1e6),
        "G" => (digits, 1e9),
        "T" => (digits, 1e12),
        "P" => (digits, 1e15),
        "E" => (digits, 1e18),
        "Ki" => (digits, 1_024.0),
        "Mi" => (digits, 1_048_576.0),
        "Gi" => (digits, 1_073_741_824.0),
        "Ti" => (digits, 1_099_511_627_776.0),
        "Pi" => (digits, 1_125_899_906_842_624.0),
        "Ei" => (digits, 1_152_921_504_606_846_976.0),
        _ => (text, 1.0),
    };
    number.parse::<f64>().ok().map(|n| n * scale)
}

#[cfg(test)]
mod tests;
