//! Tests of the reasons.

use std::collections::BTreeSet;

use regex::Regex;

use super::*;
use crate::schema::pattern;

#[test]
fn every_reason_is_one_that_the_schema_takes() {
    let allowed = Regex::new(pattern::REASON).unwrap();
    for reason in Reason::ALL {
        assert!(allowed.is_match(reason.as_str()) && reason.as_str().len() <= 64, "{reason}");
    }
}

#[test]
fn every_reason_is_a_word_of_its_own() {
    let words: BTreeSet<_> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!(words.len(), Reason::ALL.len());
    assert_eq!(Reason::NotYetSupported.to_string(), "NotYetSupported");
}
