//! Tests of error texts.

use std::io;

use thiserror::Error as ThisError;

use super::{Error, Kind, describe};

#[derive(Debug, ThisError)]
#[error("cannot read: {0}")]
struct Repeating(#[source] io::Error);

#[derive(Debug, ThisError)]
#[error("cannot read")]
struct Brief(#[source] io::Error);

#[test]
fn a_chain_is_one_line_without_repetitions() {
    let cause = || io::Error::other("disk on fire");
    assert_eq!(describe(&Repeating(cause())), "cannot read: disk on fire");
    assert_eq!(describe(&Brief(cause())), "cannot read: disk on fire");
}

#[test]
fn an_unknown_server_is_told_with_the_known_ones() {
    let error = |known: &[&str]| Error::UnknownServer {
        name: "a".to_owned(),
        known: known.iter().map(ToString::to_string).collect(),
    };
    assert_eq!(error(&["b", "c"]).to_string(), "no MCP server is named \"a\"; there is b, c");
    assert_eq!(error(&[]).to_string(), "no MCP server is named \"a\"; none is configured");
}

#[test]
fn an_unrouted_uri_tells_why_for_each_server() {
    let error = |reasons: &[&str]| Error::Unrouted {
        uri: "x://1".to_owned(),
        reasons: reasons.iter().map(ToString::to_string).collect(),
    };
    let some = error(&["a: it has no resources", "b: it speaks MCP 2025-06-18"]);
    assert_eq!(some.kind(), Kind::NotWatchable);
    assert_eq!(some.to_string(), "no MCP server offers x://1: a: it has no resources; b: it speaks MCP 2025-06-18");
    assert_eq!(error(&[]).kind(), Kind::UnknownServer);
}
