//! Filters over events, each in a worker.

use std::time::{Duration, Instant};

use super::*;
use crate::worker::tests::{Recorder, catalogue, filter_limits, silent};

/// Feeds the events to one filter and gives what each became.
async fn feed(source: &str, events: &[&str]) -> Vec<String> {
    let mut filter = Filter::new(source, filter_limits());
    let (catalogue, host) = (catalogue().read_only(), Recorder::new());
    let mut lines = Vec::new();
    for event in events {
        lines.push(match filter.event(event, &catalogue, &host).await {
            Ok(line) => line.unwrap_or_else(|| "-".to_owned()),
            Err(error) => format!("! {error}"),
        });
    }
    lines
}

#[tokio::test]
async fn the_last_value_is_the_line() {
    assert_eq!(
        feed("event['a']", &[r#"{"a":"text"}"#, r#"{"a":null}"#, r#"{"a":[1,{"b":2.5}]}"#]).await,
        ["text", "-", r#"[1,{"b":2.5}]"#]
    );
    assert_eq!(feed("x = event['a']", &[r#"{"a":1}"#]).await, ["-"]);
}

#[tokio::test]
async fn a_return_ends_the_filter() {
    assert_eq!(feed("if event['a']: return 'x'\n'y'", &[r#"{"a":1}"#, r#"{"a":0}"#]).await, ["x", "y"]);
}

#[tokio::test]
async fn printed_text_comes_first() {
    assert_eq!(feed("print('a', 1)\nprint()\nprint('b')\n3", &["{}"]).await, ["a 1 b 3"]);
    assert_eq!(feed("print('a')", &["{}"]).await, ["a"]);
}

#[tokio::test]
async fn variables_persist_also_after_an_exception() {
    let source = "try:\n    n\nexcept NameError:\n    n = 0\nn += 1\nif n == 2:\n    event['missing']\nn";
    assert_eq!(feed(source, &["{}", "{}", "{}", "{}"]).await, ["1", "! line 7, column 5: KeyError: missing", "3", "4"]);
}

#[tokio::test]
async fn sources_of_any_shape_are_embedded() {
    assert_eq!(feed("'''a\n  b'''", &["{}"]).await, ["a\n  b"]);
    assert_eq!(feed("x = f'''\n{event[\"a\"]}\n'''\nx", &[r#"{"a":1}"#]).await, ["\n1\n"]);
    assert_eq!(feed("if True:\n\tx = 1\n\ty = [\n1,\n\t\t2]\nx; y", &["{}"]).await, ["[1,2]"]);
    assert_eq!(feed("# nothing\n", &["{}"]).await, ["-"]);
    assert_eq!(feed("def f(a):\r\n    return a + 1\r\n\r\nf(\r\n  2\r\n)  # end\r\n", &["{}"]).await, ["3"]);
    assert_eq!(
        feed("import json\nfor k in [1]: pass\n(k,\n json.dumps({'a': 1}))", &["{}"]).await,
        [r#"[1,"{\"a\": 1}"]"#]
    );
    assert_eq!(feed("total = 0\ndef add():\n  global total\n  total += 1\nadd()\nadd()\ntotal", &["{}"]).await, ["2"]);
    assert_eq!(feed("class P:\n  def __init__(self, a):\n    self.a = a\nP(3).a", &["{}"]).await, ["3"]);
    assert_eq!(feed("match event:\n  case {'a': x}:\n    pass\nx", &[r#"{"a":1}"#]).await, ["1"]);
    assert_eq!(feed("[y := v for v in [1, 2]]\ny", &["{}"]).await, ["2"]);
}

#[tokio::test]
async fn builtins_may_be_hidden_and_are_there_until_then() {
    assert_eq!(feed("type = event['a']\ntype", &[r#"{"a":"b"}"#]).await, ["b"]);
    assert_eq!(
        feed("x = str(event['a'])\nif event['a'] > 1: str = repr\nx", &[r#"{"a":1}"#, r#"{"a":2}"#]).await,
        ["1", "2"]
    );
}

#[tokio::test]
async fn positions_are_those_of_the_author() {
    assert_eq!(feed("x = 1\nx + event['a']['b']", &["{}"]).await, ["! line 2, column 5: KeyError: a"]);
    assert_eq!(feed("'''\n''' + event['a']", &["{}"]).await, ["! line 2, column 7: KeyError: a"]);
    assert_eq!(feed("if True:\n    event['a']", &["{}"]).await, ["! line 2, column 5: KeyError: a"]);
    assert_eq!(
        feed("def f():\n    return 1 / 0\nf()", &["{}"]).await,
        ["! line 2, column 12: ZeroDivisionError: division by zero"]
    );
    let syntax = feed("x = = 1", &["{}", "{}"]).await;
    assert!(syntax[0].starts_with("! line 1, column 5: SyntaxError"), "{syntax:?}");
    assert_eq!(syntax[0], syntax[1]);
}

#[tokio::test]
async fn tools_are_called_with_and_without_await() {
    assert_eq!(feed("kcp.get('pods')", &["{}"]).await, ["7"]);
    assert_eq!(feed("await kcp.get(resource='pods')", &["{}"]).await, ["7"]);
    assert_eq!(feed("x = await echo(x=event)\nx['x']['a']", &[r#"{"a":"b"}"#, r#"{"a":"c"}"#]).await, ["b", "c"]);
    let gathered = "import asyncio\nr = await asyncio.gather(*[echo(x=n) for n in range(3)], get('a'))\nr";
    assert_eq!(feed(gathered, &["{}", "{}"]).await, vec![r#"[{"x":0},{"x":1},{"x":2},7]"#; 2]);
}

#[tokio::test]
async fn a_filter_changes_nothing() {
    let denied = "! line 1, column 1: PermissionError: kcp.delete: a filter may call only tools that are annotated readOnlyHint: true";
    assert_eq!(feed("kcp.delete(x=1)", &["{}"]).await, [denied]);
    let started = feed("watch_start(name='a', uri='b')", &["{}"]).await;
    assert!(started[0].contains("PermissionError: watch_start: "), "{started:?}");
    assert_eq!(
        feed("f = kcp.delete\ntry:\n  f(x=1)\nexcept PermissionError:\n  'no'\n'caught'", &["{}"]).await,
        ["caught"]
    );
}

#[tokio::test]
async fn calls_are_counted() {
    let source = "n = 0\ntry:\n  while True:\n    get('a')\n    n += 1\nexcept Exception:\n  pass\nn";
    let lines = feed(source, &["{}"]).await;
    assert_eq!(lines, ["! line 4, column 5: RuntimeError: more than 10 calls of tools"]);
}

#[tokio::test]
async fn the_deadline_ends_the_event_only() {
    let begun = Instant::now();
    let lines = feed("if event['stop']:\n  while True: pass\n'on'", &[r#"{"stop":true}"#, r#"{"stop":false}"#]).await;
    assert!(lines[0].contains("TimeoutError: stopped after"), "{lines:?}");
    assert_eq!(lines[1], "on");
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_worker_that_must_be_killed_loses_the_scope_and_says_so() {
    let limits = Limits { wall: Duration::from_secs(2), program: silent(), ..filter_limits() };
    let mut filter = Filter::new("'on'", limits);
    let (catalogue, host) = (catalogue().read_only(), Recorder::new());
    let error = filter.event("{}", &catalogue, &host).await.unwrap_err();
    assert!(error.lost);
    assert_eq!(error.message, "stopped after 2 s: longer no event may take; the filter's variables are lost");
    assert_eq!(filter.process(), None);
    filter.limits = filter_limits();
    assert_eq!(filter.event("{}", &catalogue, &host).await.unwrap().as_deref(), Some("on"));
}

#[tokio::test]
async fn a_call_without_an_answer_costs_no_variables() {
    let source = "try:\n  n += 1\nexcept NameError:\n  n = 1\nif n == 2: stuck()\nn";
    let mut filter = Filter::new(source, Limits { wall: Duration::from_secs(2), ..filter_limits() });
    let (catalogue, host) = (catalogue().read_only(), Recorder::new());
    assert_eq!(filter.event("{}", &catalogue, &host).await.unwrap().as_deref(), Some("1"));
    let error = filter.event("{}", &catalogue, &host).await.unwrap_err();
    let says = "line 5, column 12: TimeoutError: stuck has no answer yet, and the time is nearly up";
    assert_eq!((error.message.as_str(), error.lost), (says, false));
    assert_eq!(filter.event("{}", &catalogue, &host).await.unwrap().as_deref(), Some("3"));
}

#[tokio::test]
async fn memory_is_limited() {
    let lines = feed("if event:\n  x = [0]\n  while True: x = x + x\n'on'", &[r#"{"a":1}"#, "{}"]).await;
    assert!(lines[0].contains("memory"), "{lines:?}");
    assert_eq!(lines[1], "on");
}

#[tokio::test]
async fn each_event_has_its_whole_time() {
    let source = "import time\nend = time.time() + event['seconds']\nwhile time.time() < end: pass\n'done'";
    let lines = feed(source, &[r#"{"seconds":3}"#, r#"{"seconds":2.5}"#, r#"{"seconds":9}"#]).await;
    assert_eq!(lines[..2], ["done", "done"]);
    assert!(lines[2].contains("TimeoutError") || lines[2].contains("stopped after"), "{lines:?}");
}
