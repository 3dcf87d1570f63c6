//! What is left of an object.

use super::*;

fn kept(json: &str) -> String {
    parse(json, Scrub::Nothing).json
}

fn parse(json: &str, scrub: Scrub<'_>) -> Object {
    let types = Types { api_version: "v1".into(), kind: "ConfigMap".into() };
    Object::parse(json, &types, scrub).expect(json)
}

fn secret(version: u64, token: &str) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Secret","metadata":{{"name":"s","uid":"u","resourceVersion":"{version}","annotations":{{"a":"b","{LAST_APPLIED}":"{{\"data\":{{\"token\":\"{token}\"}}}}"}},"managedFields":[]}},"type":"Opaque","data":{{"token":"{token}","user":"dXNlcg=="}},"stringData":{{"token":"{token}"}}}}"#
    )
}

#[test]
fn managed_fields_are_left_out_and_all_else_stays() {
    assert_eq!(
        kept(
            r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"uid":"u","resourceVersion":"7","managedFields":[{"a":"}"}],"name":"n"},"data":{"a":"1.0","b":"\u0041"}}"#
        ),
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"uid":"u","resourceVersion":"7","name":"n"},"data":{"a":"1.0","b":"\u0041"}}"#,
    );
}

#[test]
fn an_object_of_a_list_gets_the_types_of_the_list() {
    assert_eq!(
        kept(r#"{"metadata":{"uid":"u","resourceVersion":"7"}}"#),
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"uid":"u","resourceVersion":"7"}}"#,
    );
}

#[test]
fn identity_and_version_are_read() {
    let object = parse(r#"{"metadata":{"uid":"u-1","resourceVersion":"18446744073709551615"}}"#, Scrub::Nothing);
    assert_eq!((&*object.uid, object.version), ("u-1", u64::MAX));
    let bare = parse(r#"{"metadata":{"namespace":"a","name":"b","resourceVersion":"1"}}"#, Scrub::Nothing);
    assert_eq!(&*bare.uid, "a/b");
}

#[test]
fn what_cannot_be_ordered_is_refused() {
    for json in [
        r#"{"metadata":{"uid":"u","resourceVersion":"abc"}}"#,
        r#"{"metadata":{"uid":"u"}}"#,
        "{}",
        "[]",
        "{",
        r#"{"metadata":[]}"#,
    ] {
        assert!(Object::parse(json, &Types::default(), Scrub::Nothing).is_err(), "{json}");
    }
}

#[test]
fn escaped_keys_stay_escaped() {
    assert_eq!(
        kept(r#"{"metadata":{"uid":"u","resourceVersion":"7"},"a\"\n":1}"#),
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"uid":"u","resourceVersion":"7"},"a\"\n":1}"#,
    );
}

#[test]
fn a_secret_shows_that_a_value_changed_and_never_the_value() {
    let mut redactor = Redactor::default();
    let mut shown = |version, token| parse(&secret(version, token), Scrub::Newest(&mut redactor)).json;
    let first = shown(1, "Y2FuYXJ5");
    assert!(!first.contains("Y2FuYXJ5") && !first.contains("dXNlcg"), "{first}");
    assert!(first.contains(r#""data":{"token":"<redacted #1>","user":"<redacted #1>"}"#), "{first}");
    assert!(first.contains(r#""annotations":{"a":"b"}"#), "{first}");
    assert!(shown(2, "Y2FuYXJ5").contains(r#""token":"<redacted #1>""#));
    assert!(shown(3, "b3RoZXI=").contains(r#"{"token":"<redacted #2>","user":"<redacted #1>"}"#));
    assert!(shown(4, "Y2FuYXJ5").contains(r#""token":"<redacted #3>""#));
}

#[test]
fn a_secret_of_the_past_is_numbered_beside_the_newest() {
    let mut redactor = Redactor::default();
    parse(&secret(2, "bmV3"), Scrub::Newest(&mut redactor));
    let past = parse(&secret(1, "b2xk"), Scrub::Older(&redactor)).json;
    assert!(past.contains(r#""data":{"token":"<redacted #0>","user":"<redacted #1>"}"#), "{past}");
}

#[test]
fn odd_secrets_are_hidden_too() {
    let mut redactor = Redactor::default();
    let mut shown = |data: &str| {
        let json = format!(r#"{{"metadata":{{"uid":"u","resourceVersion":"1","annotations":null}},"data":{data}}}"#);
        Object::parse(&json, &Types::default(), Scrub::Newest(&mut redactor)).map(|object| object.json)
    };
    assert!(shown("null").expect("null").ends_with(r#""resourceVersion":"1"},"data":{}}"#));
    assert!(shown(r#"{"a":{"b":"c"}}"#).expect("nested").ends_with(r#""data":{"a":"<redacted #1>"}}"#));
    assert!(shown(r#""Y2FuYXJ5""#).is_err());
}
