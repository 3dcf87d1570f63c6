//! Tests of the notes.

use serde_json::{Value, json};

use super::{BYTES, KEY_CHARS, KEYS, Simple, arguments};

fn called(call: &Value) -> Result<(String, Value), String> {
    arguments(call.as_object().cloned())
}

#[test]
fn setting_the_same_value_is_no_change() {
    let simple = Simple::new();
    assert_eq!(simple.set("a", json!(1)), Ok(true));
    assert_eq!(simple.set("a", json!(1)), Ok(false));
    assert_eq!(simple.set("a", json!(2)), Ok(true));
}

#[test]
fn null_removes_a_key() {
    let simple = Simple::new();
    assert_eq!(simple.set("a", Value::Null), Ok(false));
    simple.set("a", json!({"deep": [1]})).expect("room");
    assert_eq!(simple.set("a", Value::Null), Ok(true));
    assert!(simple.lock().is_empty());
}

#[test]
fn the_notes_are_bounded() {
    let simple = Simple::new();
    for key in 0..KEYS {
        simple.set(&key.to_string(), json!(key)).expect("room");
    }
    let error = simple.set("one more", json!(1)).expect_err("full");
    assert!(error.contains("256 keys"), "{error}");
    assert_eq!(simple.set("0", json!("replaced")), Ok(true));
    let large = "x".repeat(BYTES);
    let error = simple.set("0", json!(large)).expect_err("too large");
    assert!(error.contains("65536 are allowed"), "{error}");
    assert_eq!(simple.lock()["0"], json!("replaced"), "nothing is lost");
    for key in ["", &"k".repeat(KEY_CHARS + 1)] {
        let error = simple.set(key, json!(1)).expect_err("no key");
        assert!(error.contains("1 to 128 characters"), "{error}");
    }
}

#[test]
fn wrong_arguments_are_named() {
    assert_eq!(called(&json!({"key": "a", "value": 1})), Ok(("a".to_owned(), json!(1))));
    for (call, wrong) in [
        (json!({}), "key is missing"),
        (json!({"key": "a"}), "value is missing"),
        (json!({"key": 1, "value": 1}), "key must be a string"),
        (json!({"key": "a", "value": 1, "ttl": 1}), "unknown argument \"ttl\""),
    ] {
        let error = called(&call).expect_err(wrong);
        assert!(error.contains(wrong), "{error}");
    }
}
