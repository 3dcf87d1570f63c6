//! Runs of code mode, each session in a worker.

use super::*;
use crate::worker::tests::{Recorder, catalogue, code_limits, silent};

async fn run(sources: &[&str]) -> Vec<String> {
    let mut session = Session::new(code_limits());
    let (catalogue, host) = (catalogue(), Recorder::new());
    let mut texts = Vec::new();
    for source in sources {
        texts.push(session.run(source, &catalogue, &host).await.text());
    }
    texts
}

#[tokio::test]
async fn names_persist_and_are_told() {
    let texts =
        run(&["bids = [{'name': 'a', 'n': n} for n in range(12)]\nlen(bids)", "bids[3]['n'] + 1", "t = 'x'"]).await;
    assert_eq!(texts[0], "12\n\nnames: bids (list, 12): [{'name': 'a', 'n': 0}, {'name': 'a', 'n': 1}, …]");
    assert!(texts[1].starts_with("4\n"), "{texts:?}");
    assert!(texts[2].contains("names: t (str, 1 characters): 'x'; bids (list, 12)"), "{texts:?}");
}

#[tokio::test]
async fn errors_are_tracebacks() {
    let texts = run(&["def f(x):\n  return x['a']\n", "f({})", "f("]).await;
    assert!(texts[0].contains("names: f (function)"), "{texts:?}");
    assert!(
        texts[1].starts_with(
            "line 1, column 1:\n    f({})\nin an earlier run, line 2, column 10, in f:\n    return x['a']\nKeyError: a"
        ),
        "{}",
        texts[1]
    );
    assert!(texts[2].contains("SyntaxError"), "{texts:?}");
}

#[tokio::test]
async fn arguments_are_bound_before_any_call() {
    let mut session = Session::new(code_limits());
    let (catalogue, host) = (catalogue(), Recorder::new());
    let mut error = async |source: &str| {
        let text = session.run(source, &catalogue, &host).await.error.unwrap_or_default();
        text.lines().last().unwrap_or_default().to_owned()
    };
    let takes = "it takes resource (str), limit (int, optional), namespace (str | None, optional)";
    assert_eq!(
        error("kcp.get(resorce='a')").await,
        format!("TypeError: kcp.get() has no argument 'resorce'; did you mean: resource; {takes}")
    );
    assert_eq!(error("kcp.get()").await, format!("TypeError: kcp.get() misses the argument resource; {takes}"));
    assert_eq!(error("kcp.get(5)").await, "TypeError: kcp.get() argument 'resource' must be str, not int");
    assert_eq!(
        error("kcp.get('a', resource='b')").await,
        "TypeError: kcp.get() got two values for argument 'resource'"
    );
    assert_eq!(
        error("watch_start(name='a', uri='b', on_event=print)").await,
        "TypeError: watch_start() cannot take argument 'on_event': it is a function (pass its source as text), not data"
    );
    assert_eq!(
        error("def fmt(e): return 1\nwatch_start(name='a', uri='b', on_event=fmt)").await,
        "TypeError: watch_start() cannot take argument 'on_event': it is a function (pass its source as text), not data"
    );
    assert_eq!(error("kcp.gett('a')").await, "AttributeError: 'kcp' has no function 'gett'; did you mean: get");
    assert_eq!(error("kpc.get('a')").await, "NameError: name 'kpc' is not defined; did you mean: kcp");
    assert_eq!(
        error("metadata = 1\nmetdata").await,
        "NameError: name 'metdata' is not defined; did you mean: metadata"
    );
    assert_eq!(error("ecko(1)").await, "NameError: name 'ecko' is not defined; did you mean: echo");
    assert_eq!(error("git_hub.fail()").await, "RuntimeError: the server says no");
    assert_eq!(host.take(), ["git-hub/fail {}"]);
}

#[tokio::test]
async fn calls_of_one_gather_run_at_the_same_time() {
    struct Together(std::sync::Arc<tokio::sync::Barrier>);
    impl crate::call::Host for Together {
        fn call(
            &self,
            _: crate::call::Call,
        ) -> futures::future::BoxFuture<'static, Result<serde_json::Value, crate::call::CallError>> {
            let barrier = std::sync::Arc::clone(&self.0);
            Box::pin(async move {
                barrier.wait().await;
                Ok(serde_json::json!(1))
            })
        }
    }
    let host = Together(std::sync::Arc::new(tokio::sync::Barrier::new(3)));
    let mut session = Session::new(code_limits());
    for source in [
        "import asyncio\nawait asyncio.gather(echo(), echo(), get('a'))",
        "from asyncio import gather\ntasks = [echo() for _ in range(3)]\nawait gather(*tasks)",
        "tasks = []\nfor n in range(3):\n  tasks.append(echo(n))\nawait asyncio.gather(*tasks)",
        "async def one(n):\n  return await echo(n)\nawait asyncio.gather(*(one(n) for n in range(3)))",
        "a = echo(1)\nb = echo(2)\nc = echo(3)\n[await a, await b, await c]",
        "def go(n):\n  return echo(n)\nawait asyncio.gather(go(1), go(2), go(3))",
    ] {
        let outcome = session.run(source, &catalogue(), &host).await;
        assert_eq!((outcome.value.as_deref(), outcome.error), (Some("[1,1,1]"), None), "{source}");
    }
}

#[tokio::test]
async fn tools_are_listed_and_explained() {
    let texts = run(&["list_tools(query='del')", "print(tool_help('kcp.get'))", "tool_help('kcp.gte')"]).await;
    assert!(
        texts[0].starts_with(r#"[{"description":"Does delete.","name":"kcp.delete","read_only":false}]"#),
        "{texts:?}"
    );
    assert!(texts[1].starts_with("kcp.get(resource: str, limit: int = None, namespace: str | None = None)\nDoes get.\nMore of it.\n  resource: str\n"), "{}", texts[1]);
    assert!(texts[2].contains("ValueError: there is no function kcp.gte; did you mean: kcp.get"), "{}", texts[2]);
}

/// What the description of `run_code` says of this Python.
#[tokio::test]
async fn python_is_as_it_is_described() {
    let mut session = Session::new(code_limits());
    let (catalogue, host) = (catalogue(), Recorder::new());
    for source in [
        "class A: pass\nclass B(A): pass",
        "def f():\n  yield 1",
        "x = 1\ndel x",
        "globals()",
        "import asyncio\nasyncio.create_task(1)",
        "raise ValueError('a', 'b')",
        "open('x')",
        "import os\nos.getenv('x')",
        "import time\ntime.sleep (1)",
        "import requests",
    ] {
        let outcome = session.run(source, &catalogue, &host).await;
        assert!(outcome.error.is_some() && !outcome.lost, "{source}: {outcome:?}");
    }
    for (source, value) in [
        ("class P:\n  def __init__(self, a): self.a = a\n  def twice(self): return self.a * 2\nP(2).twice()", "4"),
        ("{k: [x for x in range(v)] for k, v in {'a': 2}.items()}", r#"{"a":[0,1]}"#),
        ("f'{3.14159:.2f} {\"a\"!r:>5}'", r#""3.14   'a'""#),
        ("try:\n  1 / 0\nexcept ZeroDivisionError as e:\n  r = str(e)\nfinally:\n  pass\nr", r#""division by zero""#),
        ("class C:\n  def __enter__(self): return 5\n  def __exit__(self, *a): pass\nwith C() as c: pass\nc", "5"),
        ("match {'a': [1, 2]}:\n  case {'a': [x, *y]}: r = (x, y)\nr", "[1,[2]]"),
        ("sorted([3, 1], key=lambda x: -x)", "[3,1]"),
        ("async def f(): return 6\nawait f()", "6"),
        (
            "import json, re, datetime, collections, itertools, math\njson.loads('[1]') + re.findall('a', 'aa')",
            r#"[1,"a","a"]"#,
        ),
        ("from dataclasses import dataclass\n@dataclass\nclass D:\n  a: int\nD(1).a", "1"),
        ("datetime.datetime.fromisoformat('2026-01-02T03:04:05').year", "2026"),
        ("collections.Counter('aab').most_common(1)", r#"[["a",2]]"#),
    ] {
        let outcome = session.run(source, &catalogue, &host).await;
        assert_eq!((outcome.value.as_deref(), &outcome.error), (Some(value), &None), "{source}");
    }
}

#[tokio::test]
async fn output_is_bounded_and_said_to_be_cut() {
    let mut session = Session::new(code_limits());
    let (catalogue, host) = (catalogue(), Recorder::new());
    let source = "for n in range(3000): print('line', n)\n'x' * 100000";
    let outcome = session.run(source, &catalogue, &host).await;
    assert!(outcome.stdout.ends_with("characters, cut)"), "{}", outcome.stdout);
    assert!(outcome.value.as_ref().unwrap().ends_with("… (100002 characters, cut)"));
    assert!(outcome.text().len() <= 16 << 10, "{}", outcome.text().len());
    let many = (0..500).map(|n| format!("name_{n} = {n}")).collect::<Vec<_>>().join("\n");
    let outcome = session.run(&many, &catalogue, &host).await;
    assert!(outcome.names.len() < 3 << 10 && outcome.names.starts_with("name_499 (int): 499; "), "{}", outcome.names);
    assert!(outcome.names.contains(" more: "), "{}", outcome.names);
    let outcome = session.run(&"#".repeat(65 << 10), &catalogue, &host).await;
    assert_eq!(outcome.error.as_deref(), Some("the source has 66560 bytes, at most 65536 are allowed"));
    assert_eq!(session.run("name_7", &catalogue, &host).await.value.as_deref(), Some("7"));
}

#[tokio::test]
async fn a_lost_worker_is_said_and_replaced() {
    let limits = crate::limits::Limits { wall: std::time::Duration::from_secs(1), ..code_limits() };
    let mut session = Session::new(crate::limits::Limits { program: silent(), ..limits });
    let (catalogue, host) = (catalogue(), Recorder::new());
    assert_eq!(
        session.run("x = 1", &catalogue, &host).await.text(),
        "TimeoutError: stopped after 1 s: longer no run may take\n\nnames: none, all earlier ones are lost"
    );
    session.limits = code_limits();
    let outcome = session.run("x", &catalogue, &host).await;
    assert_eq!(
        (outcome.error.as_deref(), outcome.lost),
        (Some("line 1, column 1:\n    x\nNameError: name 'x' is not defined"), false)
    );
}

#[tokio::test]
async fn a_call_without_an_answer_costs_no_names() {
    let mut session = Session::new(crate::limits::Limits { wall: std::time::Duration::from_secs(2), ..code_limits() });
    let (catalogue, host) = (catalogue(), Recorder::new());
    assert!(!session.run("x = 1", &catalogue, &host).await.lost);
    for source in ["stuck()", "import asyncio\nawait asyncio.gather(*[stuck() for _ in range(50)])"] {
        let outcome = session.run(source, &catalogue, &host).await;
        let error = outcome.error.unwrap_or_default();
        assert!(error.ends_with("TimeoutError: stuck has no answer yet, and the time is nearly up"), "{error}");
        assert!(!outcome.lost);
    }
    let source =
        "y = [get('a')]\nfor _ in range(2):\n  try: y.append(stuck())\n  except TimeoutError: y.append('late')\ny";
    assert_eq!(session.run(source, &catalogue, &host).await.value.as_deref(), Some(r#"[7,"late","late"]"#));
    assert_eq!(session.run("x + y[0]", &catalogue, &host).await.value.as_deref(), Some("8"));
}

#[tokio::test]
async fn a_run_that_is_given_up_leaves_a_session_that_works_and_says_what_is_lost() {
    let mut session = Session::new(code_limits());
    let (catalogue, host) = (catalogue(), Recorder::new());
    session.run("x = 1", &catalogue, &host).await;
    let given_up =
        tokio::time::timeout(std::time::Duration::from_millis(300), session.run("stuck()", &catalogue, &host)).await;
    assert!(given_up.is_err());
    let outcome = session.run("y = 2\ny", &catalogue, &host).await;
    assert_eq!(outcome.text(), "2\n\nnames, all earlier ones are lost: y (int): 2");
    assert!(!session.run("y", &catalogue, &host).await.lost);
}

#[tokio::test]
async fn the_catalogue_may_change_between_runs() {
    let mut session = Session::new(code_limits());
    let host = Recorder::new();
    let all = catalogue();
    assert_eq!(session.run("g = kcp.get\ne = echo\ne(x=1)", &all, &host).await.value.as_deref(), Some(r#"{"x":1}"#));
    let none = Catalogue::default();
    let error = session.run("echo(x=1)", &none, &host).await.error.unwrap();
    assert!(error.ends_with("NameError: name 'echo' is not defined"), "{error}");
    let error = session.run("g('a')", &none, &host).await.error.unwrap();
    assert!(error.ends_with("NameError: name 'kcp.get' is not defined"), "{error}");
    assert_eq!(session.run("g('a')", &all, &host).await.value.as_deref(), Some("7"));
}
