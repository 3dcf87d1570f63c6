//! What a failed story leaves to look at, printed before its namespace goes.

use crate::chart;
use crate::cluster::Cluster;

/// Prints pods, conditions, events and logs of the story's namespace, and the operator's log.
pub async fn print(cluster: &Cluster, namespace: &str) {
    let wanted: [&[&str]; 5] = [
        &["-n", namespace, "get", "pods,statefulsets,agents,watches", "-o", "wide"],
        &["-n", namespace, "get", "agents,watches", "-o", "yaml"],
        &["-n", namespace, "get", "events", "--sort-by=.lastTimestamp"],
        &["-n", namespace, "logs", "--prefix", "--tail=60", "--all-containers", "-l", "!no-such-label"],
        &["-n", chart::NAMESPACE, "logs", "--prefix", "--tail=40", "-l", chart::OPERATOR_PODS],
    ];
    for args in wanted {
        eprintln!("\n$ kubectl {}", args.join(" "));
        match cluster.kubectl(args).await {
            Ok(text) => eprintln!("{text}"),
            Err(error) => eprintln!("{error:#}"),
        }
    }
}
