//! What can go wrong while an object is reconciled.

use asyncai_crds::Reason;

/// Why an object could not be reconciled; each is tried again with backoff.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The Agent cannot become objects as it stands; told in its `Accepted` condition.
    #[error("{0}")]
    Refused(Refusal),
    /// The API server could not be asked, or said no.
    #[error("{action} {object}: {}", said(source))]
    Api {
        /// What was tried, such as `apply`.
        action: &'static str,
        /// On what, as `kind/name`.
        object: String,
        /// What the API server or the connection to it said.
        #[source]
        source: kube::Error,
    },
    /// An object was changed between the look at it and the write; the newer one is on its way.
    #[error("{object} changed while it was written")]
    Stale {
        /// As `kind/name`.
        object: String,
    },
    /// The API server took too long.
    #[error("no answer from the API server within {seconds} s")]
    Timeout {
        /// How long was waited.
        seconds: u64,
    },
    /// A generated object has no JSON form.
    #[error("cannot serialise {object}")]
    Serialise {
        /// As `kind/name`.
        object: String,
        /// Where it failed.
        #[source]
        source: serde_json::Error,
    },
}

/// Why an Agent is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Refusal {
    /// The reason of its `Accepted` condition.
    pub(crate) reason: Reason,
    /// What is wrong, where, and what is allowed.
    pub(crate) message: String,
}

impl Error {
    /// A word for the metrics.
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Api { .. } => "api",
            Self::Stale { .. } => "stale",
            Self::Timeout { .. } => "timeout",
            Self::Serialise { .. } => "serialise",
        }
    }
}

/// What the API server said, without what its client wraps around it; or, if it said nothing, all that went wrong.
pub(crate) fn said(error: &(dyn std::error::Error + 'static)) -> String {
    let chain: Vec<_> = std::iter::successors(Some(error), |error| error.source()).collect();
    let answer = chain.iter().find_map(|error| match error.downcast_ref::<kube::Error>() {
        Some(kube::Error::Api(status)) => Some(status.message.clone()),
        _ => None,
    });
    // Some of its layers repeat what the layer below says.
    answer.unwrap_or_else(|| {
        chain.iter().map(ToString::to_string).fold(String::new(), |all, layer| match all.as_str() {
            "" => layer,
            said if said.contains(&layer) => all,
            _ => format!("{all}: {layer}"),
        })
    })
}

#[cfg(test)]
mod tests;
