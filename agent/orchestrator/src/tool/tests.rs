//! Tests of what a call comes to.

use super::*;

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: "a".into(), name: name.into(), arguments: arguments.into() }
}

#[test]
fn code_is_an_argument_or_a_bare_string() {
    assert_eq!(read(&call(RUN_CODE, r#"{"code": "1 + 1"}"#)), Call::Run("1 + 1".into()));
    assert_eq!(read(&call(RUN_CODE, r#"{"code": "x", "language": "python"}"#)), Call::Run("x".into()));
    assert_eq!(read(&call(RUN_CODE, r#""1 + 1""#)), Call::Run("1 + 1".into()));
}

#[test]
fn what_cannot_be_run_is_told_with_what_can() {
    for (name, arguments, says) in [
        ("kcp_get", "{}", "no function \"kcp_get\", only run_code"),
        (RUN_CODE, "print(1)", "not JSON (expected value at line 1 column 1)"),
        (RUN_CODE, r#"{"code": "pri"#, "not JSON"),
        (RUN_CODE, "", "not JSON"),
        (RUN_CODE, "{}", "have no \"code\""),
        (RUN_CODE, r#"{"code": 1}"#, "\"code\" is not a string"),
        (RUN_CODE, "[1]", "no JSON object"),
    ] {
        let Call::Refused(text) = read(&call(name, arguments)) else { panic!("{arguments} is run") };
        assert!(text.contains(says) && text.contains(USAGE), "{text}");
    }
}

#[test]
fn silence_may_be_said_in_code() {
    for code in ["NO_REPLY", " NO_REPLY\n", "'NO_REPLY'", r#"print("NO_REPLY")"#, "print( 'NO_REPLY' )", "`NO_REPLY`"] {
        let arguments = serde_json::json!({ "code": code }).to_string();
        assert_eq!(read(&call(RUN_CODE, &arguments)), Call::Silence, "{code}");
    }
    for code in ["print('NO_REPLY', x)", "x = 'NO_REPLY'", "NO_REPLY()"] {
        let arguments = serde_json::json!({ "code": code }).to_string();
        assert_eq!(read(&call(RUN_CODE, &arguments)), Call::Run(code.into()), "{code}");
    }
}

#[test]
fn in_the_conversation_arguments_are_an_object() {
    for (arguments, expected) in [
        (r#"{"code": "1"}"#, r#"{"code": "1"}"#),
        (r#""1""#, r#"{"code":"1"}"#),
        (r#"{"code": "pri"#, r#"{"code":"{\"code\": \"pri"}"#),
        ("", r#"{"code":""}"#),
    ] {
        assert_eq!(presentable(call(RUN_CODE, arguments)).arguments, expected);
    }
}
