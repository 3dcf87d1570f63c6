//! Tests of foreign bodies.

use super::*;

#[test]
fn errors_are_explained_whatever_their_shape() {
    for (body, message, code) in [
        (r#"{"error": {"message": "no", "type": "t", "code": "c"}}"#, "no", Some("c")),
        (r#"{"error": {"message": "no", "type": "t", "code": 400}}"#, "no", Some("t")),
        (r#"{"error": "no"}"#, "no", None),
        (r#"{"object": "error", "message": "no", "code": 404}"#, "no", None),
        (r#"{"detail": "Not Found"}"#, "Not Found", None),
        (r#"{"detail": [{"loc": ["body"]}]}"#, r#"{"detail":[{"loc":["body"]}]}"#, None),
        ("upstream\n  timed out", "upstream timed out", None),
        (" ", "no explanation", None),
    ] {
        assert_eq!(explain(body), (message.to_owned(), code.map(str::to_owned)), "{body}");
    }
}

#[test]
fn an_excerpt_is_short_and_ends_at_a_character() {
    let long = excerpt(&"ä".repeat(1000));
    assert_eq!(long, format!("{}…", "ä".repeat(150)));
    assert_eq!(excerpt("short"), "short");
}
