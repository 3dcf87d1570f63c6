//! Tests of sources.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Source;

fn source(headers: &[(&str, &str)]) -> Source {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Source::Http {
        url: "https://example.org/mcp".to_owned(),
        headers: headers.iter().map(owned).collect(),
        timeout: Duration::from_secs(1),
    }
}

#[test]
fn secrets_are_not_shown() {
    let http = format!("{:?}", source(&[("Authorization", "canary")]));
    assert!(http.contains("Authorization") && !http.contains("canary"), "{http}");
    let stdio = Source::Stdio {
        command: vec!["x".to_owned()],
        env: BTreeMap::from([("TOKEN".to_owned(), "canary".to_owned())]),
    };
    let stdio = format!("{stdio:?}");
    assert!(stdio.contains("TOKEN") && !stdio.contains("canary"), "{stdio}");
}

#[test]
fn a_rotated_header_is_another_source() {
    assert!(source(&[("a", "1")]).same(&source(&[("a", "1")])));
    assert!(!source(&[("a", "1")]).same(&source(&[("a", "2")])));
}
