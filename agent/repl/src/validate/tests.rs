//! Filters that can work, and filters that cannot.

use super::*;
use crate::worker::tests::{catalogue, filter_limits};

async fn check(source: &str, complete: bool) -> String {
    match validate(source, &catalogue(), complete, &filter_limits()).await {
        Ok(()) => "fine".to_owned(),
        Err(finding) => finding.to_string(),
    }
}

#[tokio::test]
async fn what_depends_on_the_data_is_fine() {
    for source in [
        "event['nothing']['here']",
        "m = event['object']['metadata']\nf'{event[\"type\"].lower()} {m[\"namespace\"]}/{m[\"name\"]}' if event['type'] in ('ADDED', 'DELETED') else None",
        "1 / (event['seq'] - 2)",
        "kcp.get('pods')['items'][0]",
        "import json, re\njson.loads('x')",
        "try:\n  seen\nexcept NameError:\n  seen = {}\nseen[event.get('key')] = 1\nlen(seen)",
        "f = lambda a, *b, c=1, **d: [a, b, c, d]\n[x for x in f(1) for y in str(x) if y]\n{k: v for k, v in event.items()}",
        "class A:\n  n = 1\n  def get(self): return self.n\nA().get()",
        "print(*sorted(map(str, event)), sep=', ')",
        "with_nothing = 1\ndef later(): return defined_later\ndefined_later = 2\nlater()",
    ] {
        assert_eq!(check(source, true).await, "fine", "{source}");
    }
}

#[tokio::test]
async fn what_can_never_work_is_found() {
    for (source, finding) in [
        (
            "x = 1\nm = metdata['a']\nmetadata = 1",
            "line 2, column 5: NameError: name 'metdata' is not defined; did you mean: metadata",
        ),
        ("if False:\n  f'{evnt}'", "line 2, column 6: NameError: name 'evnt' is not defined; did you mean: event"),
        ("def f():\n  return nope\n1", "line 2, column 10: NameError: name 'nope' is not defined"),
        ("[x for y in [1]]", "line 1, column 2: NameError: name 'x' is not defined"),
        ("x\nx = 1", "line 1, column 1: NameError: name 'x' is not defined"),
        (
            "kcp.delete()",
            "line 1, column 1: PermissionError: kcp.delete: a filter may call only tools that are annotated readOnlyHint: true",
        ),
        (
            "if False: delete(1)",
            "line 1, column 11: PermissionError: delete: a filter may call only tools that are annotated readOnlyHint: true",
        ),
        ("kcp.gett('a')", "line 1, column 1: AttributeError: 'kcp' has no function 'gett'; did you mean: get"),
        ("", "the filter is empty: give Python source, or leave it out"),
        ("for n in range(20): get('a')", "line 1, column 21: RuntimeError: more than 10 calls of tools"),
        ("lenn(event)", "line 1, column 1: NameError: name 'lenn' is not defined; did you mean: len"),
    ] {
        assert_eq!(check(source, true).await, finding, "{source}");
    }
    for (source, part) in [
        ("def f(:\n  1", "line 1, column 7: SyntaxError"),
        ("import numpy", "line 1, column 1: ModuleNotFoundError: No module named 'numpy'; there are"),
        ("class A(dict): pass", "line 1, column"),
        ("def f():\n  yield 1", "line 2, column 3: NotImplementedError"),
        ("x = 1\ndel x", "line 2, column 1: NotImplementedError"),
        ("while True: pass", "TimeoutError"),
        ("x = [1]\nwhile True: x = x + x", "memory"),
        ("async def f(): return 1\nf()", "await"),
    ] {
        let finding = check(source, true).await;
        assert!(finding.contains(part), "{source}: {finding}");
    }
    let long = check(&"#".repeat(17 << 10), true).await;
    assert_eq!(long, "the filter has 17408 bytes, at most 16384 are allowed");
}

#[tokio::test]
async fn a_server_that_is_not_known_yet_may_bring_names() {
    assert_eq!(check("other.thing(1)", false).await, "fine");
    assert_eq!(check("thing(1)", false).await, "fine");
    assert_eq!(check("thing", false).await, "line 1, column 1: NameError: name 'thing' is not defined");
    assert_eq!(check("thing(1)", true).await, "line 1, column 1: NameError: name 'thing' is not defined");
}
