//! Which server a URI goes to while they come up and go down.

use std::collections::BTreeMap;

use asyncai_mcp::{Kind, Servers, Source};
use tokio::sync::mpsc;

use crate::script::{Script, URI, modern, modern_but, timeouts, until, within};

fn broken() -> Source {
    Source::Stdio {
        command: ["sh", "-c", "echo no licence >&2; exit 1"].map(str::to_owned).to_vec(),
        env: BTreeMap::new(),
    }
}

#[tokio::test]
async fn a_server_that_never_came_up_may_be_the_one() {
    let (events, _changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    servers.apply("b", broken());
    let error = within("an error", servers.listen("y://z", None)).await.expect_err("it is down");
    assert_eq!(error.kind(), Kind::ServerDown);
    assert!(error.to_string().contains("b is down"), "{error}");
    assert!(error.to_string().contains("no licence"), "the last words: {error}");
}

#[tokio::test]
async fn a_server_that_never_came_up_may_be_the_one_beside_others() {
    let script = Script::new(modern);
    let (events, mut changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    servers.apply("s", script.source.clone());
    servers.apply("b", broken());
    until(&servers, &mut changes, |status| status[0].ready && status[1].message.as_deref() != Some("connecting")).await;
    let error = within("an error", servers.listen("y://z", None)).await.expect_err("it may be of the other");
    assert_eq!(error.kind(), Kind::ServerDown);
    assert!(error.to_string().contains("b is down"), "{error}");
    // What is claimed does not wait for it.
    for uri in [URI, "x://other/part"] {
        let contents = within("a read", servers.read(uri, None, None)).await;
        assert_eq!(contents.expect("contents").server, "s");
    }
}

#[tokio::test]
async fn no_server_at_all_is_said() {
    let (events, _changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    let error = servers.listen("y://z", None).await.expect_err("no server");
    assert_eq!(error.kind(), Kind::UnknownServer);
    assert!(error.to_string().contains("none is configured"), "{error}");
}

#[tokio::test]
async fn a_listed_uri_does_not_wait_for_others_and_stays_where_it_is() {
    let script = Script::new(modern);
    let silent = modern_but("server/discover", |_| vec![]);
    let (events, mut changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    servers.apply("silent", silent.source.clone());
    servers.apply("s", script.source.clone());
    let subscription = within("the other server", servers.listen(URI, None)).await;
    assert_eq!(subscription.expect("a subscription").server(), "s");
    // Down, it still owns its URI.
    script.hang_up();
    until(&servers, &mut changes, |status| !status[1].ready).await;
    let error = servers.listen(URI, None).await.expect_err("it is down");
    assert!(error.to_string().starts_with("s is down"), "{error}");
}

#[tokio::test]
async fn a_command_that_does_not_exist_is_named() {
    let (events, mut changes) = mpsc::channel(1);
    let servers = Servers::with_timeouts(events, timeouts());
    let command = vec!["/no/such/program".to_owned()];
    servers.apply("s", Source::Stdio { command, env: BTreeMap::new() });
    let status = until(&servers, &mut changes, |status| {
        status[0].message.as_deref().is_some_and(|message| message != "connecting")
    });
    let message = status.await[0].message.clone().expect("a message");
    assert!(message.contains("cannot start /no/such/program"), "{message}");
}
