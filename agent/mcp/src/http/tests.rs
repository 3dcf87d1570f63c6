//! Tests of URLs and headers.

use std::time::Duration;

use http::HeaderName;

use super::{header_map, transport};

#[test]
fn a_header_that_cannot_be_sent_is_named_without_its_value() {
    let headers = |name: &str, value: &str| [(name.to_owned(), value.to_owned())];
    let error = header_map(&headers("X-Key", "can\u{7f}ary")).expect_err("a control character");
    assert!(error.contains("X-Key") && !error.contains("ary"), "{error}");
    let error = header_map(&headers("no name", "v")).expect_err("a space");
    assert!(error.contains("no name"), "{error}");
    // What a file mounted from a Secret usually ends in.
    let trimmed = header_map(&headers("X-Key", "v\n")).expect("a header");
    assert_eq!(trimmed[&HeaderName::from_static("x-key")], "v");
}

#[test]
fn a_url_must_be_one_of_the_web() {
    for (url, wrong) in [("nowhere", "nowhere is no URL"), ("ftp://x", "must begin with http:// or https://")] {
        let error = transport(url, &[], Duration::from_secs(1)).err().expect("no transport");
        assert!(error.contains(wrong), "{error}");
    }
}
