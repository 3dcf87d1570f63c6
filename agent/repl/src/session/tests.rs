use super::*;
use crate::worker::tests::{Recorder, catalogue, code_limits};

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
