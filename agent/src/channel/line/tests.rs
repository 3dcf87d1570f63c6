//! Tests of what is typed.

use serde_json::json;

use super::*;

#[test]
fn a_line_is_a_message_or_a_command() {
    let arguments = json!({"key": "a", "value": [1]}).as_object().unwrap().clone();
    let call = Line::Call { server: "memo".to_owned(), tool: "memo_set".to_owned(), arguments };
    assert_eq!(parse("hello /call"), Line::Message("hello /call".to_owned()));
    assert_eq!(parse(r#"/call memo  memo_set {"key": "a", "value": [1]}"#), call);
    assert_eq!(parse("/servers"), Line::Servers);
    assert_eq!(parse("/help"), Line::Help);
}

#[test]
fn a_wrong_command_says_what_is_allowed() {
    for (line, says) in [
        ("/cal x", "there are /call, /servers and /help"),
        ("/call memo", "/call SERVER TOOL [JSON]"),
        ("/call memo memo_set [1]", "must be a JSON object"),
    ] {
        let Line::Wrong(message) = parse(line) else { panic!("{line}") };
        assert!(message.contains(says), "{message}");
    }
}
