//! Reads and calls.

use asyncai_mcp::{Contents, Error, Kind};
use serde_json::{Map, Value, json};

use crate::script::{Script, URI, contents, error, modern, modern_but, result, servers, within};

async fn read(blocks: Value) -> Result<Contents, Error> {
    let script = modern_but("resources/read", move |request| vec![result(request, contents(blocks.clone()))]);
    within("a read", servers(&script.source).read(URI, None, None)).await
}

#[tokio::test]
async fn the_cursor_goes_along() {
    let mut script = Script::new(modern);
    let servers = servers(&script.source);
    servers.read(URI, None, Some(("e1", 7))).await.expect("a read");
    let request = script.hears("resources/read").await;
    assert_eq!(request["params"]["_meta"]["asyncai.dev/since"], json!({"epoch": "e1", "seq": 7}));
    assert_eq!(request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    servers.read(URI, None, None).await.expect("a read");
    let request = script.hears("resources/read").await;
    assert_eq!(request["params"]["_meta"].get("asyncai.dev/since"), None);
}

#[tokio::test]
async fn text_comes_with_its_type_and_server() {
    let got = read(json!([{"uri": URI, "mimeType": "text/plain", "text": "hello"}])).await.expect("text");
    assert_eq!((got.server.as_str(), got.mime.as_deref(), got.text.as_str()), ("s", Some("text/plain"), "hello"));
}

#[tokio::test]
async fn of_several_blocks_it_is_the_one_with_the_uri() {
    let two = json!([{"uri": "x://other", "text": "no"}, {"uri": URI, "text": "yes"}]);
    assert_eq!(read(two).await.expect("text").text, "yes");
    let none = json!([{"uri": "x://a", "text": ""}, {"uri": "x://b", "text": ""}]);
    let error = read(none).await.expect_err("neither");
    assert!(error.to_string().contains("2 contents, none of which is x://thing"), "{error}");
    let alone = json!([{"uri": "x://canonical", "text": "it"}]);
    assert_eq!(read(alone).await.expect("text").text, "it");
}

#[tokio::test]
async fn an_empty_text_may_be_left_out() {
    let got = read(json!([{"uri": URI, "mimeType": "text/plain"}])).await.expect("empty text");
    assert_eq!((got.mime.as_deref(), got.text.as_str()), (Some("text/plain"), ""));
}

#[tokio::test]
async fn something_binary_comes_as_base64() {
    let got = read(json!([{"uri": URI, "mimeType": "image/png", "blob": "AAAA"}])).await.expect("a blob");
    assert_eq!((got.text.as_str(), got.blob), ("AAAA", true));
    assert_eq!(got.value(), json!({"type": "blob", "mimeType": "image/png", "bytes": 3, "data": "AAAA"}));
}

#[tokio::test]
async fn code_sees_json_as_data_and_other_text_as_text() {
    let got = read(json!([{"uri": URI, "text": "{\"a\": [1]}"}])).await.expect("JSON");
    assert_eq!(got.value(), json!({"a": [1]}));
    let got = read(json!([{"uri": URI, "text": "{a"}])).await.expect("text");
    assert_eq!(got.value(), json!("{a"));
}

#[tokio::test]
async fn an_answer_without_contents_is_an_error_that_says_so() {
    let error = read(json!([])).await.expect_err("nothing");
    assert_eq!(error.kind(), Kind::SourceError);
    assert!(error.to_string().contains("no contents"), "{error}");
}

#[tokio::test]
async fn the_servers_error_is_passed_on() {
    let script = modern_but("resources/read", |request| vec![error(request, -32602, "did you mean y?")]);
    let error = servers(&script.source).read(URI, None, None).await.expect_err("refused");
    assert_eq!(error.kind(), Kind::SourceError);
    assert_eq!(error.to_string(), "s: did you mean y?");
}

#[tokio::test]
async fn a_tool_says_that_it_failed() {
    let script = modern_but("tools/call", |request| {
        vec![result(
            request,
            json!({
                "resultType": "complete", "isError": true,
                "content": [{"type": "text", "text": "no"}, {"type": "image", "data": "", "mimeType": "image/png"}],
            }),
        )]
    });
    let called = servers(&script.source).call("s", "look", Map::new()).await.expect("a result");
    assert!(called.failed);
    assert_eq!(called.text, "no\n[image, image/png]");
    let image = json!({"type": "image", "mimeType": "image/png", "bytes": 0, "data": ""});
    assert_eq!(called.value(), json!(["no", image]));
}

#[tokio::test]
async fn a_structured_result_is_data() {
    for data in [json!({"a": 1}), json!([1, 2]), json!(7), json!("text")] {
        let structured = data.clone();
        let script = modern_but("tools/call", move |request| {
            let content = json!([{"type": "text", "text": "as text"}]);
            let answer = json!({"resultType": "complete", "content": content, "structuredContent": structured});
            vec![result(request, answer)]
        });
        let called = servers(&script.source).call("s", "look", Map::new()).await.expect("a result");
        assert_eq!((called.value(), called.text.as_str()), (data, "as text"));
    }
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled_on_the_wire() {
    let mut script = modern_but("tools/call", |_| vec![]);
    let servers = servers(&script.source);
    let calling = tokio::spawn(async move { servers.call("s", "look", Map::new()).await });
    let call = script.hears("tools/call").await;
    calling.abort();
    let cancelled = script.hears("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
}

#[tokio::test]
async fn an_unknown_server_is_named_with_those_there_are() {
    let script = Script::new(modern);
    let error = servers(&script.source).call("t", "look", Map::new()).await.expect_err("no server t");
    assert_eq!(error.kind(), Kind::UnknownServer);
    assert_eq!(error.to_string(), "no MCP server is named \"t\"; there is s");
}
