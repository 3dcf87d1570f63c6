//! Tests of what can be done about errors.

use super::*;

fn kind(status: u16, message: &str, code: Option<&str>) -> Kind {
    let status = StatusCode::from_u16(status).unwrap();
    Error::Status { status, message: message.into(), code: code.map(str::to_owned), retry_after: None }.kind()
}

#[test]
fn statuses_that_pass_are_transient() {
    for status in [408, 409, 425, 429, 500, 502, 503, 504, 529] {
        assert_eq!(kind(status, "", None), Kind::Transient, "{status}");
    }
    for status in [301, 400, 401, 403, 404, 405, 422] {
        assert_eq!(kind(status, "", None), Kind::Refused, "{status}");
    }
}

#[test]
fn endpoints_say_too_long_in_many_words() {
    for (status, message, code) in [
        (400, "This model's maximum context length is 128000 tokens.", Some("context_length_exceeded")),
        (400, "the request exceeds the available context size, try increasing it", Some("exceed_context_size_error")),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", Some("invalid_request_error")),
        (400, "The input token count (1100000) exceeds the maximum number of tokens allowed", None),
        (413, "Input exceeds the context window of this model", None),
    ] {
        assert_eq!(kind(status, message, code), Kind::ContextTooLong, "{message}");
    }
    assert_eq!(kind(503, "context window cache is warming up", None), Kind::Transient);
}
