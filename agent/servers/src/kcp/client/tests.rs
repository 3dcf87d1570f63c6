//! Which server a kubeconfig means, and whose token.

use std::io::Write as _;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use super::*;

#[test]
fn a_service_account_is_namespace_and_name() {
    let account: ServiceAccount = "kube-system/reader.v1".parse().expect("an account");
    assert_eq!((account.namespace.as_str(), account.name.as_str()), ("kube-system", "reader.v1"));
    for text in ["", "a", "/a", "a/", "a/b/c", "a/../b", "A/b", "a b/c", "a/b?x=y"] {
        assert!(text.parse::<ServiceAccount>().is_err(), "{text:?}");
    }
}

#[test]
fn another_workspace_replaces_that_of_the_kubeconfig() {
    let base = |url: &'static str| without_workspace(&http::Uri::from_static(url)).expect(url).to_string();
    assert_eq!(base("https://kcp:6443/clusters/root:app"), "https://kcp:6443/");
    assert_eq!(base("https://kcp:6443"), "https://kcp:6443/");
    assert_eq!(base("https://front/kcp/clusters/root"), "https://front/kcp");
}

#[test]
fn a_cluster_is_named_by_address_and_authority() {
    let config = |url: &'static str, ca: &[u8]| {
        let mut config = Config::new(http::Uri::from_static(url));
        config.root_cert = Some(vec![ca.to_vec()]);
        identity(&config)
    };
    assert_eq!(config("https://a", b"1"), config("https://a", b"1"));
    assert_ne!(config("https://a", b"1"), config("https://b", b"1"));
    assert_ne!(config("https://a", b"1"), config("https://a", b"2"));
    assert_eq!(config("https://a", b"1").len(), 16);
}

/// A kubeconfig of an API server that mints tokens in the workspace `answers`, but not in `hangs`; and what comes when
/// it is asked to.
async fn half_hanging() -> (tempfile::NamedTempFile, UnboundedReceiver<()>) {
    const TOKEN: &str = "api/v1/namespaces/{namespace}/serviceaccounts/{name}/token";
    let (sender, asked) = unbounded_channel();
    let hangs = |State(asked): State<UnboundedSender<()>>| async move {
        let _ = asked.send(());
        std::future::pending::<()>().await;
    };
    let router = Router::new()
        .route(&format!("/clusters/hangs/{TOKEN}"), post(hangs))
        .route(&format!("/clusters/answers/{TOKEN}"), post(async || r#"{"status": {"token": "t"}}"#))
        .with_state(sender);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let server = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    let kubeconfig = serde_json::json!({
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    });
    file.write_all(kubeconfig.to_string().as_bytes()).expect("a kubeconfig");
    (file, asked)
}

#[tokio::test]
async fn a_workspace_that_hangs_holds_up_no_other() {
    let (file, mut asked) = half_hanging().await;
    let account = "default/agent".parse().expect("an account");
    let clients = Clients::new(Credentials::Kubeconfig(file.path().to_owned()), Some(account), None);
    let (hangs, answers) = (Workspace::parse("hangs").expect("a name"), Workspace::parse("answers").expect("a name"));
    let other = async {
        asked.recv().await.expect("an attempt");
        let first = clients.get(&answers).await.expect("a connection");
        let second = clients.get(&answers).await.expect("a connection");
        assert!(Arc::ptr_eq(&first, &second));
    };
    let first = async {
        tokio::select! {
            biased;
            () = other => {}
            _ = clients.get(&hangs) => panic!("it hangs"),
        }
    };
    timeout(Duration::from_secs(10), first).await.expect("a connection in time");
}
