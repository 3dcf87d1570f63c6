//! Who an object is.

use super::Identity;

#[track_caller]
fn check(object: &str, key: Option<&str>, label: Option<&str>, own: bool) {
    let must = Identity { key: key.map(str::to_owned), label: label.map(str::to_owned), own };
    assert_eq!(Identity::of(object), must, "{object}");
}

#[test]
fn the_key_is_the_first_present() {
    check(r#"{"metadata":{"uid":"u","name":"n"},"uid":"v"}"#, Some("u"), Some("n"), false);
    check(r#"{"metadata":{"name":"n"},"uid":"v","id":"i"}"#, Some("v"), Some("n"), false);
    check(r#"{"id":"i","name":"n"}"#, Some("i"), None, false);
    check(r#"{"metadata":{"name":"n"},"name":"m"}"#, Some("n"), Some("n"), false);
    check(r#"{"name":"m"}"#, Some("m"), None, false);
    check(r#"{"other":"m"}"#, None, None, false);
}

#[test]
fn numbers_are_keys_and_anything_else_is_none() {
    check(r#"{"id":17}"#, Some("17"), None, false);
    check(r#"{"id":-1.5}"#, Some("-1.5"), None, false);
    check(r#"{"uid":null,"id":{"a":1},"name":""}"#, None, None, false);
    check(r#"{"metadata":"text","name":"m"}"#, Some("m"), None, false);
}

#[test]
fn a_namespace_is_part_of_the_label() {
    check(r#"{"metadata":{"namespace":"default","name":"n"}}"#, Some("n"), Some("default/n"), false);
    check(r#"{"metadata":{"namespace":"","name":"n"}}"#, Some("n"), Some("n"), false);
}

#[test]
fn our_own_kinds_are_known_by_their_group() {
    check(r#"{"apiVersion":"asyncai.dev/v1alpha1","name":"n"}"#, Some("n"), None, true);
    check(r#"{"apiVersion":"asyncai.development/v1","name":"n"}"#, Some("n"), None, false);
}

#[test]
fn what_is_no_object_has_no_identity() {
    for text in ["17", "\"n\"", "[]", "null", "", "{\"name\"", r#"{"name":"a","name":"b"}"#] {
        check(text, None, None, false);
    }
}
