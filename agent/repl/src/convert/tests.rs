//! JSON into Python and back.

use monty_types::MontyObject;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has numbers only", |number| number.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn json_comes_back_as_it_went(value in value()) {
        // The parser may miss a float's last bit: what it makes of it must stay.
        let value: Value = serde_json::from_str(&value.to_string()).unwrap();
        let again: Value = serde_json::from_str(&value.to_string()).unwrap();
        prop_assume!(again == value);
        let object = from_json(&value.to_string()).unwrap();
        prop_assert_eq!(to_json(object.as_ref()), Ok(value.clone()));
        let text = to_text(object.as_ref(), usize::MAX).into_text();
        prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn text_is_cut_between_characters(text in any::<String>(), room in 0_usize..40) {
        let mut clipped = Clipped::new(room);
        clipped.push(&text);
        let kept = clipped.into_text();
        let whole = text.len() <= room;
        prop_assert_eq!(kept == text, whole);
        let said = format!("… ({} characters, cut)", text.chars().count());
        prop_assert!(whole || kept.ends_with(&said), "{}", kept);
    }
}

#[test]
fn depth_has_an_end() {
    let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
    assert!(from_json(&deep(127)).is_ok());
    assert!(from_json(&deep(128)).is_err());
    assert!(from_json(&deep(1_000_000)).is_err());
    let mut object = MontyObject::none();
    for _ in 0..200 {
        object = MontyObject::list([object]);
    }
    assert_eq!(to_json(object.as_ref()), Err("nested more than 120 deep".to_owned()));
    assert!(to_text(object.as_ref(), usize::MAX).into_text().contains('…'));
}

#[test]
fn what_is_no_json_goes_to_no_tool() {
    let big = from_json("18446744073709551615").unwrap();
    assert_eq!(to_json(big.as_ref()), Ok(json!(u64::MAX)));
    for (object, text) in [
        (MontyObject::float(f64::NAN), "NaN"),
        (MontyObject::float(f64::NEG_INFINITY), "-Infinity"),
        (MontyObject::bytes(*b"a\0"), "\"b'a\\\\x00'\""),
        (MontyObject::dict([(MontyObject::int(1), MontyObject::none())]), "{\"1\":null}"),
    ] {
        assert!(to_json(object.as_ref()).is_err(), "{text}");
        assert_eq!(to_text(object.as_ref(), usize::MAX).into_text(), text);
    }
    let tuple = MontyObject::tuple([MontyObject::int(1)]);
    assert_eq!(to_json(tuple.as_ref()), Ok(json!([1])));
}
