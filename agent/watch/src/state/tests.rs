//! Differences between states, applied to a copy.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::State;
use crate::what::{Kind, Place, What};
use proptest::prelude::*;

/// A list of items and an object, both from a map.
fn texts(map: &BTreeMap<String, u8>) -> [String; 2] {
    let items: Vec<String> = map.iter().map(|(key, value)| format!(r#"{{"id":"{key}","v":{value}}}"#)).collect();
    let members: Vec<String> = map.iter().map(|(key, value)| format!(r#""{key}":{value}"#)).collect();
    [format!("[{}]", items.join(",")), format!("{{{}}}", members.join(","))]
}

/// Does to a copy what the changes say.
fn apply(copy: &mut BTreeMap<Arc<str>, Arc<str>>, changes: Vec<What>) {
    for what in changes {
        let What::Differs { kind, place: Place::Item(key) | Place::Member(key), old, new } = what else {
            panic!("{what:?}");
        };
        assert_eq!(copy.get(&key), old.as_ref(), "the value before");
        match (kind, new) {
            (Kind::Added | Kind::Modified, Some(new)) => _ = copy.insert(key, new),
            (Kind::Deleted, None) => _ = copy.remove(&key),
            other => panic!("{other:?}"),
        }
    }
}

proptest! {
    #[test]
    fn changes_make_the_new_state_of_the_old(
        states in prop::collection::vec(prop::collection::btree_map("[a-f]", 0_u8..3, 0..6), 1..8),
        turn in any::<bool>(),
    ) {
        for form in 0..2 {
            let mut copy = BTreeMap::new();
            let mut state = State::parse(if form == 0 { "[]" } else { "{}" }, None);
            for map in &states {
                let text = &texts(map)[form];
                let next = State::parse(text, Some(&state));
                apply(&mut copy, next.changes_since(&state));
                let fresh: Vec<_> = State::parse(text, None).as_new();
                prop_assert_eq!(fresh.len(), copy.len());
                prop_assert_eq!(copy.len(), map.len());
                prop_assert!(next.changes_since(&State::parse(text, None)).is_empty());
                prop_assert_eq!(&*next.whole(), text.as_str());
                state = if turn { next } else { State::parse(text, None) };
            }
        }
    }

    #[test]
    fn any_text_is_a_state(old in any::<String>(), new in r#"[\{\}\[\]",:0-9a-c ]{0,20}"#) {
        let old = State::parse(&old, None);
        let new = State::parse(&new, Some(&old));
        let _ = (new.changes_since(&old), old.changes_since(&new), new.as_new(), new.baseline());
    }
}

#[test]
fn parts_that_stay_are_shared() {
    let old = State::parse(r#"[{"id":1},{"id":2},{"id":3}]"#, None);
    let new = State::parse(r#"[{"id":0},{"id":1},{"id":2},{"id":3}]"#, Some(&old));
    let (State::List(old), State::List(new)) = (old, new) else { panic!("lists") };
    assert!(old.iter().zip(&new[1..]).all(|(old, new)| Arc::ptr_eq(old, new)));
}

#[test]
fn an_item_that_stays_is_not_looked_into() {
    // The key of the first item is no Unicode: to look at it would make the whole item the key.
    let old = State::parse(r#"["\ud800",{"id":2}]"#, None);
    let new = State::parse(r#"["\ud800",{"id":3}]"#, Some(&old));
    let (State::List(old), State::List(new)) = (old, new) else { panic!("lists") };
    assert!(Arc::ptr_eq(&old[0], &new[0]) && !Arc::ptr_eq(&old[1], &new[1]));
}

#[test]
fn items_never_share_a_key() {
    let keys = |text: &str| {
        let State::List(parts) = State::parse(text, None) else { panic!("a list") };
        parts.iter().map(|part| part.key.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(keys(r#"[{"name":"a#2"},{"name":"a"},{"name":"a"}]"#), ["a#2", "a", "a#3"]);
}
