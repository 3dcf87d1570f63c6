//! Raw JSON against the same looked at as trees.

use super::{canonical, compact, elements, is_json, members, readable, same};
use proptest::prelude::*;
use serde_json::Value;

/// Any JSON value, small.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..3).prop_map(Value::from),
        prop_oneof![Just(0.5), Just(1.0), Just(-2.0), Just(1e300)].prop_map(Value::from),
        "[a-c\"\\\\é\n ]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-d]", inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

/// With all numbers in one form.
pub(crate) fn normal(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64().map(|number| number + 0.0)),
        Value::Array(values) => values.iter().map(normal).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), normal(value))).collect(),
        other => other.clone(),
    }
}

#[test]
fn white_space_order_escapes_and_number_forms_make_no_difference() {
    for (a, b) in [
        (r#"{"a": 1, "b": [1, 2]}"#, r#"{"b":[1.0,2e0],"a":1}"#),
        (r#""\u00e9""#, r#""é""#),
        ("0", "-0.0"),
        ("100", "1E+2"),
        (r#"{"a": 1, "a": 2}"#, r#"{"a": 2}"#),
    ] {
        assert!(same(a, b), "{a} {b}");
        assert_eq!(canonical(a, |_, _| false, &[]), canonical(b, |_, _| false, &[]), "{a} {b}");
    }
}

#[test]
fn what_differs_is_not_the_same() {
    for (a, b) in [
        ("1", "2"),
        ("9007199254740993", "9007199254740992"),
        ("1", "\"1\""),
        ("null", "{}"),
        ("[1,2]", "[2,1]"),
        (r#"{"a":null}"#, "{}"),
        ("\"a\"", "\"b\""),
        ("true", "false"),
    ] {
        assert!(!same(a, b), "{a} {b}");
        assert_ne!(canonical(a, |_, _| false, &[]), canonical(b, |_, _| false, &[]), "{a} {b}");
    }
}

#[test]
fn deep_values_do_not_exhaust_the_stack() {
    let deep = |end: &str| format!("{}{end}{}", "[".repeat(50_000), "]".repeat(50_000));
    assert!(same(&deep("1"), &deep("1")));
    assert!(!same(&deep("1"), &deep("2")));
    assert!(!canonical(&deep("1"), |_, _| false, &[]).is_empty());
}

#[test]
fn compact_leaves_strings_alone() {
    assert_eq!(compact("{ \"a b\" : [ 1 ,\n\t\"c \\\" \\\\\" , \" d\" ] }"), r#"{"a b":[1,"c \" \\"," d"]}"#);
}

#[test]
fn text_is_read_as_it_is() {
    assert_eq!(readable("\"a b\""), "a b");
    assert_eq!(readable("plain text"), "plain text");
    assert_eq!(readable("[1, 2]"), "[1,2]");
}

proptest! {
    #[test]
    fn same_is_equality_of_trees(a in value(), b in value()) {
        let pretty = serde_json::to_string_pretty(&a).expect("JSON");
        prop_assert!(same(&a.to_string(), &pretty));
        prop_assert_eq!(same(&a.to_string(), &b.to_string()), normal(&a) == normal(&b));
    }

    #[test]
    fn canonical_is_one_form_for_each_tree(a in value(), b in value()) {
        let of = |value: &Value| canonical(&serde_json::to_string_pretty(value).expect("JSON"), |_, _| false, &[]);
        let back: Value = serde_json::from_str(&of(&a)).expect("canonical JSON is JSON");
        prop_assert_eq!(normal(&back), normal(&a));
        prop_assert_eq!(of(&a) == of(&b), normal(&a) == normal(&b));
    }

    #[test]
    fn compact_means_the_same(a in value()) {
        let compacted = compact(&serde_json::to_string_pretty(&a).expect("JSON"));
        prop_assert_eq!(compacted, a.to_string());
    }

    #[test]
    fn no_text_makes_it_panic(a in r#"[\{\}\[\]",:0-9.e\\u \-a-z]{0,30}"#, b in any::<String>()) {
        let _ = (members(&a).is_some(), elements(&a), is_json(&a), same(&a, &b), same(&a, &a));
        let _ = (canonical(&a, |_, _| false, &[]), compact(&a), readable(&a));
    }
}
