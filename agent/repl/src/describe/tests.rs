//! The description of `run_code` with few, many and no functions.

use serde_json::json;

use super::*;
use crate::worker::tests::{catalogue, function};

fn many(servers: usize, tools: usize) -> Catalogue {
    let schema = json!({"properties": {"name": {"type": "string"}}, "required": ["name"]});
    let tools = (0..servers)
        .flat_map(|server| (0..tools).map(move |tool| (format!("server{server}"), format!("tool_number_{tool}"))));
    let built_in = function("", "watch_list", true, &json!({}));
    Catalogue::new(tools.map(|(server, tool)| function(&server, &tool, true, &schema)).chain([built_in]))
}

#[test]
fn few_functions_have_their_signatures() {
    let text = describe(&catalogue());
    assert!(
        text.contains("\nkcp.get(resource: str, limit: int = None, namespace: str | None = None) - Does get.\n"),
        "{text}"
    );
    assert!(
        text.contains("\nwatch_start(name: str, uri: str, on_event: str | None = None) - Does watch_start.\n"),
        "{text}"
    );
    assert!(text.len() < ROOM);
}

#[test]
fn many_functions_stay_within_the_room() {
    for (servers, tools) in [(1, 60), (3, 40), (1, 200), (10, 100), (300, 30), (2000, 1)] {
        let text = describe(&many(servers, tools));
        assert!(text.len() <= ROOM, "{servers} {tools}: {}", text.len());
        assert!(text.contains("tool_help") && text.contains("server0") && text.contains("watch_list"), "{text}");
    }
    assert!(describe(&many(1, 120)).contains("\nserver0.tool_number_99 - Does tool_number_99.\n"));
    assert!(describe(&many(1, 200)).contains("server0: 200 functions: tool_number_0, "));
}

#[test]
fn nothing_is_said_of_functions_that_are_not_there() {
    assert!(describe(&Catalogue::default()).ends_with("There are no functions now: no server is connected.\n"));
}
