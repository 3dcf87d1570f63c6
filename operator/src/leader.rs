//! Leader election by a Lease: of several replicas one works.

use kube::Client;
use kube_lease_manager::{LeaseManagerBuilder, LeaseManagerError};
use tokio::{sync::watch, task::JoinHandle};

/// Name of the Lease.
const LEASE: &str = "asyncai-operator";
/// How long the Lease holds without being renewed, and thus how long the others wait at most when it is given back: they
/// look again when it would expire.
const DURATION_SECONDS: u64 = 15;
/// How long before that it is renewed.
const GRACE_SECONDS: u64 = 5;

/// The Lease, held.
pub(crate) struct Leadership {
    leads: watch::Receiver<bool>,
    task: JoinHandle<Result<kube_lease_manager::LeaseManager, LeaseManagerError>>,
}

impl Leadership {
    /// Waits until this replica leads.
    pub(crate) async fn acquire(client: Client, identity: &str) -> Result<Self, LeaseManagerError> {
        let namespace = client.default_namespace().to_owned();
        let lease = LeaseManagerBuilder::new(client, LEASE)
            .with_namespace(namespace)
            .with_identity(identity)
            .with_duration(DURATION_SECONDS)
            .with_grace(GRACE_SECONDS);
        let (mut leads, task) = lease.build().await?.watch().await;
        tracing::info!(event = "leader.waiting", identity);
        // An error means that the task ended, which `lost` tells.
        let _ = leads.wait_for(|leads| *leads).await;
        tracing::info!(event = "leader.elected", identity);
        Ok(Self { leads, task })
    }

    /// Returns when this replica leads no more.
    pub(crate) async fn lost(&mut self) {
        let _ = self.leads.wait_for(|leads| !*leads).await;
    }

    /// Gives the Lease back, so that the replica that looks first may have it.
    pub(crate) async fn release(self) {
        drop(self.leads);
        match self.task.await {
            Ok(Ok(_)) => tracing::info!(event = "leader.released"),
            Ok(Err(error)) => tracing::warn!(event = "leader.release_failed", %error),
            Err(error) => tracing::warn!(event = "leader.release_failed", %error),
        }
    }
}
