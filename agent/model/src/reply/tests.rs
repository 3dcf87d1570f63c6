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
    assert_eq!(reply.unwrap(), Reply { text: "yes".into(), calls: Vec::new(), finish: Finish::Stop, usage });
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
        ("tool_calls", Finish::Stop),
        ("eos", Finish::Other("eos".into())),
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
fn calls_are_put_together_whatever_the_finish_reason() {
    for finish in ["tool_calls", "stop", "function_call"] {
        let last = format!(r#"{{"choices": [{{"delta": {{}}, "finish_reason": "{finish}"}}]}}"#);
        let (reply, pieces) = assemble(&[
            r#"{"choices": [{"delta": {"role": "assistant", "content": "So: "}}]}"#,
            r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "run_code", "arguments": "{\"code\":"}}]}}]}"#,
            r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": " \"1\"}"}}]}}]}"#,
            &last,
        ]);
        let call = ToolCall { id: "a".into(), name: "run_code".into(), arguments: r#"{"code": "1"}"#.into() };
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.calls, reply.finish), ("So: ", vec![call], Finish::Stop));
        assert_eq!(pieces, ["So: "]);
    }
}

#[test]
fn a_call_that_was_cut_is_given_with_the_reason() {
    let cut = r#"{"choices": [{"delta": {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{\"co"}}]}, "finish_reason": "length"}]}"#;
    let reply = assemble(&[cut]).0.unwrap();
    assert_eq!((reply.calls[0].arguments.as_str(), reply.finish), ("{\"co", Finish::Length));
}

#[test]
fn pieces_of_thoughts_are_not_shown() {
    let piece = |text: &str| format!(r#"{{"choices": [{{"delta": {{"content": "{text}"}}}}]}}"#);
    let end = r#"{"choices": [{"delta": {}, "finish_reason": "stop"}]}"#.to_owned();
    let pieces = |texts: &[&str]| {
        let mut events: Vec<String> = texts.iter().map(|text| piece(text)).collect();
        events.push(end.clone());
        assemble(&events.iter().map(String::as_str).collect::<Vec<_>>()).1
    };
    assert_eq!(pieces(&["<th", "ink>NO", "</thi", "nk>", "\\n\\n", "yes", " and no"]), ["yes", " and no"]);
    assert_eq!(pieces(&["<", "b> is a tag"]), ["<b> is a tag"]);
    assert_eq!(pieces(&["yes", "<think>"]), ["yes", "<think>"]);
}

#[test]
fn thoughts_before_the_text_are_left_out() {
    assert_eq!(without_thoughts("<think>NO_REPLY?\nno</think>\n\nyes"), "yes");
    assert_eq!(without_thoughts("\n<think>and so on"), "");
    assert_eq!(without_thoughts("a <think> tag"), "a <think> tag");
}
