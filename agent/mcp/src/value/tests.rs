//! What is shown, and where it is cut.

use super::*;

fn parsed(content: Value) -> Value {
    let content: Vec<ContentBlock> = serde_json::from_value(content).expect("content blocks");
    blocks(&content)
}

#[test]
fn text_is_text() {
    assert_eq!(parsed(json!([])), Value::Null);
    assert_eq!(parsed(json!([{"type": "text", "text": "7"}])), json!("7"));
    assert_eq!(parsed(json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])), json!("a\nb"));
}

#[test]
fn what_is_no_text_is_an_object() {
    let image = json!({"type": "image", "data": "AAAAAA==", "mimeType": "image/png"});
    let shown = json!({"type": "image", "mimeType": "image/png", "bytes": 4, "data": "AAAAAA=="});
    assert_eq!(parsed(json!([image])), shown);
    assert_eq!(parsed(json!([{"type": "text", "text": "see"}, image])), json!(["see", shown]));
    let audio = json!({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"});
    assert_eq!(parsed(json!([audio])), json!({"type": "audio", "mimeType": "audio/wav", "bytes": 3, "data": "AAAA"}));
    let link = json!({"type": "resource_link", "uri": "x://a", "name": "a"});
    assert_eq!(parsed(json!([link])), link);
    let embedded = json!({"type": "resource", "resource": {"uri": "x://a", "mimeType": "text/plain", "text": "t"}});
    let shown = json!({"type": "resource", "uri": "x://a", "mimeType": "text/plain", "text": "t"});
    assert_eq!(parsed(json!([embedded])), shown);
    let embedded = json!({"type": "resource", "resource": {"uri": "x://a", "blob": "AAAA"}});
    assert_eq!(parsed(json!([embedded])), json!({"type": "resource", "uri": "x://a", "bytes": 3, "data": "AAAA"}));
}

#[test]
fn a_long_blob_is_cut_where_it_can_be_decoded() {
    let long = "AAAA".repeat(ENCODED / 4 + 1);
    let shown = blob("image", None, Some("image/png"), &long);
    assert_eq!(shown["data"].as_str().map(str::len), Some(ENCODED));
    assert_eq!((&shown["truncated"], &shown["bytes"]), (&json!(true), &json!(long.len() / 4 * 3)));
    assert_eq!(blob("image", None, None, &long[4..])["truncated"], Value::Null);
}

#[test]
fn long_text_is_cut_between_characters_and_says_so() {
    assert_eq!(text(&"x".repeat(LONGEST)), "x".repeat(LONGEST));
    let long = format!("x{}", "é".repeat(LONGEST / 2));
    let shown = text(&long);
    let (beginning, note) = shown.rsplit_once('\n').expect("a note");
    assert_eq!(note, format!("[cut: {} of {} bytes are shown]", LONGEST - 1, LONGEST + 1));
    assert!(long.starts_with(beginning));
}

#[test]
fn data_that_is_too_large_is_shown_as_the_beginning_of_its_json() {
    let fits = json!(["x".repeat(LONGEST - 4)]);
    assert_eq!(data(&fits), fits);
    let shown = data(&json!(["x".repeat(LONGEST - 3)]));
    assert_eq!((&shown["type"], &shown["bytes"]), (&json!("truncated"), &json!(LONGEST + 1)));
    assert_eq!(shown["text"].as_str().map(str::len), Some(LONGEST));
}
