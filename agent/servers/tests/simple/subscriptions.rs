//! The registry of subscriptions: leases, changes, closing.

use asyncai_mcp::{Change, Kind};
use asyncai_servers::serve::Server;
use asyncai_servers::subscriptions::Subscriptions;
use rmcp::model::{ServerCapabilities, ServerConfig, SubscriptionFilter};
use rmcp::service::SubscriptionContext;
use rmcp::{ErrorData, ServerHandler};
use tokio::sync::mpsc;

use crate::support::{Client, ended, here, next, within};

/// Tells when it is dropped.
struct Lease {
    uri: String,
    dropped: mpsc::UnboundedSender<String>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let _ = self.dropped.send(std::mem::take(&mut self.uri));
    }
}

/// Watches everything that begins with `ok:`.
#[derive(Clone)]
struct Leasing {
    subscriptions: Subscriptions<Lease>,
    dropped: mpsc::UnboundedSender<String>,
}

impl ServerHandler for Leasing {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_resources().enable_resources_subscribe().build())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(self.subscriptions.accept(requested, |uri| {
            let dropped = self.dropped.clone();
            uri.starts_with("ok:").then(|| Lease { uri: uri.to_owned(), dropped })
        }))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.subscriptions.listen(context).await
    }
}

impl Server for Leasing {
    fn close(&self) {
        self.subscriptions.close();
    }
}

fn leasing() -> (Client, Subscriptions<Lease>, mpsc::UnboundedReceiver<String>) {
    let (dropped, drops) = mpsc::unbounded_channel();
    let subscriptions = Subscriptions::new();
    let server = Leasing { subscriptions: subscriptions.clone(), dropped };
    (Client::new(here(server)), subscriptions, drops)
}

async fn listen(client: &Client, uri: &str) -> asyncai_mcp::Subscription {
    within("a subscription", client.servers.listen(uri, None)).await.expect("a subscription")
}

#[tokio::test]
async fn a_lease_lasts_as_long_as_its_subscription() {
    let (client, subscriptions, mut drops) = leasing();
    let (one, mut two) = (listen(&client, "ok:1").await, listen(&client, "ok:1").await);
    drop(one);
    assert_eq!(within("a drop", drops.recv()).await.as_deref(), Some("ok:1"));
    subscriptions.changed("ok:1");
    assert_eq!(next(&mut two).await, Change::Updated);
    assert!(drops.try_recv().is_err());
    drop(two);
    assert_eq!(within("a drop", drops.recv()).await.as_deref(), Some("ok:1"));
}

#[tokio::test]
async fn without_a_lease_a_uri_is_not_honoured() {
    let (client, _subscriptions, _drops) = leasing();
    let error = client.servers.listen("no:1", None).await.expect_err("no lease");
    assert_eq!(error.kind(), Kind::NotWatchable);
}

#[tokio::test]
async fn a_change_is_told_to_the_listeners_of_its_uri_alone() {
    let (client, subscriptions, _drops) = leasing();
    let (mut one, mut two) = (listen(&client, "ok:1").await, listen(&client, "ok:2").await);
    subscriptions.changed("ok:1");
    assert_eq!(next(&mut one).await, Change::Updated);
    subscriptions.close();
    assert_eq!(next(&mut two).await, Change::Ended("the server ended the subscription".to_owned()));
}

#[tokio::test]
async fn closing_ends_all_and_accepts_none() {
    let (client, subscriptions, mut drops) = leasing();
    let mut one = listen(&client, "ok:1").await;
    subscriptions.close();
    assert_eq!(ended(&mut one).await, "the server ended the subscription");
    assert_eq!(within("a drop", drops.recv()).await.as_deref(), Some("ok:1"));
    let error = client.servers.listen("ok:1", None).await.expect_err("it is closing");
    assert_eq!(error.kind(), Kind::NotWatchable);
}
