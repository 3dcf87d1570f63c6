//! News of changes to a server's lists.

use rmcp::model::SubscriptionFilter;
use rmcp::service::{Peer, RoleClient, Subscription};
use tokio::time::Instant;

use crate::connect::Timeouts;
use crate::limits::STEADY;

/// The subscription to changes of a server's lists.
#[derive(Default)]
pub(crate) struct Feed {
    open: Option<(Subscription, Instant)>,
    /// The server broke it off at once, and would do so again.
    useless: bool,
}

impl Feed {
    /// Subscribes, unless it has or the server does not offer it.
    pub(crate) async fn open(&mut self, peer: &Peer<RoleClient>, timeouts: &Timeouts) {
        let Some(info) = peer.peer_info() else { return };
        if self.useless || self.open.is_some() || info.protocol_version.has_initialize() {
            return;
        }
        let wanted = SubscriptionFilter::builder()
            .tools_list_changed()
            .resources_list_changed()
            .build()
            .supported_by(&info.capabilities);
        if wanted == SubscriptionFilter::new() {
            return;
        }
        match tokio::time::timeout(timeouts.acknowledge, peer.listen(wanted)).await {
            Ok(Ok(subscription)) => self.open = Some((subscription, Instant::now())),
            Ok(Err(error)) => tracing::debug!(target: "mcp", %error, "no news of lists"),
            Err(_) => tracing::debug!(target: "mcp", "no news of lists: not acknowledged"),
        }
    }

    /// Waits for a change; false if there will be none any more.
    pub(crate) async fn changed(&mut self) -> bool {
        let Some((subscription, since)) = &mut self.open else {
            return std::future::pending().await;
        };
        if let Ok(Some(_)) = subscription.next().await {
            return true;
        }
        self.useless = since.elapsed() < STEADY;
        self.open = None;
        false
    }
}
