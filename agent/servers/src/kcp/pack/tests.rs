//! Nothing is lost, and much is saved.

use super::*;

#[test]
fn what_is_packed_comes_out_as_it_was() {
    let mut packer = Packer::default();
    let long = format!(r#"{{"x":"{}"}}"#, "ü€😀".repeat(50_000));
    for json in ["{}", r#"{"a":"ü"}"#, &long, "{}", r#"{"b":1}"#] {
        let stored = packer.pack(json);
        assert_eq!(packer.unpack(&stored), json);
    }
}

#[test]
fn a_copy_stays_readable_however_long_the_model_is() {
    let mut packer = Packer::default();
    let json: String = (0..40_000).map(|number| number.to_string()).collect();
    let first = packer.pack(&json);
    let second = packer.pack(&json);
    assert_eq!((packer.unpack(&first), packer.unpack(&second)), (json.clone(), json));
}

#[test]
fn what_objects_have_in_common_costs_little() {
    let mut packer = Packer::default();
    let object = |index: u32| {
        format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"object-{index}","namespace":"default","creationTimestamp":"2026-11-30T00:00:00Z","labels":{{"app":"a"}}}},"data":{{"k":"{}"}}}}"#,
            index * 7919
        )
    };
    packer.pack(&object(1));
    let bytes = packer.pack(&object(2)).len();
    assert!(bytes * 3 < object(2).len(), "{bytes} of {}", object(2).len());
}
