//! What is saved of a state, and what is told from it.

use std::collections::{BTreeMap, BTreeSet};

use super::MAX_DIGESTS;
use crate::state::State;
use crate::what::{Kind, Place, What};
use proptest::prelude::*;

fn object(map: &BTreeMap<String, u8>) -> String {
    let members: Vec<String> = map.iter().map(|(key, value)| format!(r#""{key}": {value}"#)).collect();
    format!("{{{}}}", members.join(","))
}

proptest! {
    #[test]
    fn exactly_the_keys_that_differ_are_told(
        old in prop::collection::btree_map("[a-f]", 0_u8..3, 0..6),
        new in prop::collection::btree_map("[a-f]", 0_u8..3, 0..6),
    ) {
        let saved = State::parse(&object(&old), None).baseline();
        let told = State::parse(&object(&new), None).changes_since_saved(&saved);
        let told: BTreeSet<String> = told
            .into_iter()
            .map(|what| match what {
                What::Differs { kind: Kind::Changed, place: Place::Member(key), old: None, .. } => key.to_string(),
                other => panic!("{other:?}"),
            })
            .collect();
        let must = old.keys().chain(new.keys()).filter(|key| old.get(*key) != new.get(*key));
        prop_assert_eq!(told, must.cloned().collect::<BTreeSet<_>>());
    }
}

#[test]
fn form_order_and_bookkeeping_make_no_difference() {
    let saved = State::parse(r#"[{"id":1,"v":1.0},{"metadata":{"name":"a","resourceVersion":"1"}}]"#, None).baseline();
    let now = State::parse(r#"[{"metadata":{"resourceVersion":"2","name":"a"}}, {"v":1, "id":1}]"#, None);
    assert_eq!(now.baseline(), saved);
    let saved = State::parse(r#"{"metadata":{"name":"a","generation":1}}"#, None).baseline();
    assert_eq!(State::parse(r#"{"metadata":{"name":"a","generation":2}}"#, None).baseline(), saved);
    assert_ne!(State::parse(r#"{"metadata":{"name":"b","generation":2}}"#, None).baseline(), saved);
}

#[test]
fn digests_that_would_be_too_long_are_left_out() {
    let state = |items: usize| {
        let items: Vec<String> = (0..items).map(|id| format!(r#"{{"id":"{id:030}"}}"#)).collect();
        State::parse(&format!("[{}]", items.join(",")), None)
    };
    let fits = state(170).baseline();
    assert!(!fits.truncated && fits.digests.is_some_and(|digests| digests.len() <= MAX_DIGESTS));
    let many = state(200).baseline();
    assert_eq!((many.truncated, many.digests.clone(), many.items), (true, None, 200));
    assert!(state(200).changes_since_saved(&many).is_empty(), "what is the same is no gap");
    assert!(matches!(state(201).changes_since_saved(&many)[..], [What::Gap { reason: "truncated", missed: None }]));
}

#[test]
fn another_kind_of_state_is_changed() {
    let text = State::parse("text", None).baseline();
    assert_eq!((text.items, text.truncated, text.digests.clone()), (0, false, None));
    for now in ["other", "{}", "[1]"] {
        let told = State::parse(now, None).changes_since_saved(&text);
        assert!(matches!(&told[..], [What::Differs { kind: Kind::Changed, place: Place::Whole, .. }]), "{told:?}");
    }
    let object = State::parse(r#"{"a":1}"#, None).baseline();
    let told = State::parse("text", None).changes_since_saved(&object);
    assert!(matches!(&told[..], [What::Differs { kind: Kind::Changed, place: Place::Whole, .. }]), "{told:?}");
}
