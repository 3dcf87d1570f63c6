//! Tests of putting a reply together.

use super::*;

/// The reply made of `events`, and the pieces that a caller sees.
fn assemble(events: &[&str]) -> (Result<Reply, Error>, Vec<String>) {
    let mut assembly = Assembly::default();
    let mut pieces = Vec::new();
    for event in events {
        let chunk = serde_json::from_str(event).expect("an event");
        assembly.absorb(chunk, &mut |piece: &str| pieces.push(piece.to_owned())).expect("no error");
    }
    (assembly.finish(), pieces)
}

fn text(events: &[&str]) -> String {
    assemble(events).0.unwrap().text
}

#[test]
fn foreign_fields_do_no_harm() {
    let (reply, pieces) = assemble(&[
        r#"{"id": "1", "provider": "x", "choices": [{"delta": {"role": "assistant", "content": null, "reasoning_content": "hm"}, "logprobs": null}]}"#,
        r#"{"choices": [{"index": 0, "delta": {"content": "yes"}, "finish_reason": null, "native_finish_reason": "s"}], "usage": null}"#,
        r#"{"choices": [{"index": 0, "delta": null, "finish_reason": "stop"}]}"#,
        r#"{"choices": null, "usage": {"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": null}, "timings": {}}"#,
    ]);
    let usage = Some(Usage { prompt: 5, completion: 1 });
    assert_eq!(reply.unwrap(), Reply { text: "yes".into(), finish: Finish::Stop, usage });
    assert_eq!(pieces, ["yes"]);
}

#[test]
fn content_may_be_parts_of_which_thoughts_are_none() {
    let parts = r#"{"choices": [{"delta": {"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "yes"}]}, "finish_reason": "stop"}]}"#;
    assert_eq!(text(&[parts]), "yes");
}

#[test]
fn a_refusal_is_a_reply() {
    let refusal = r#"{"choices": [{"delta": {"refusal": "I cannot."}, "finish_reason": "stop"}]}"#;
    assert_eq!(text(&[refusal]), "I cannot.");
}

#[test]
fn a_second_choice_is_not_mixed_in() {
    let events = [
        r#"{"choices": [{"index": 1, "delta": {"content": "no"}}]}"#,
        r#"{"choices": [{"index": 0, "delta": {"content": "yes"}, "finish_reason": "stop"}]}"#,
    ];
    assert_eq!(text(&events), "yes");
}

#[test]
fn the_finish_reason_is_kept() {
    for (word, finish) in [
        ("length", Finish::Length),
        ("content_filter", Finish::Filtered),
        ("tool_calls", Finish::Other("tool_calls".into())),
    ] {
        let event = format!(r#"{{"choices": [{{"delta": {{}}, "finish_reason": "{word}"}}]}}"#);
        assert_eq!(assemble(&[&event]).0.unwrap().finish, finish);
    }
}

#[test]
fn a_stream_without_a_finish_reason_broke_off() {
    let (reply, _) = assemble(&[r#"{"choices": [{"delta": {"content": "ha"}}]}"#]);
    assert!(matches!(reply, Err(Error::BrokenOff { bytes: 2, .. })));
}

#[test]
fn thoughts_before_the_text_are_left_out() {
    assert_eq!(without_thoughts("<think>NO_REPLY?\nno</think>\n\nyes"), "yes");
    assert_eq!(without_thoughts("\n<think>and so on"), "");
    assert_eq!(without_thoughts("a <think> tag"), "a <think> tag");
}
