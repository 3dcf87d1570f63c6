//! All reasons of conditions. They are part of the API: programs match on them, so they are added to, not changed.

use std::fmt;

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// Why a condition has its status.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $name,)+
        }

        impl Reason {
            /// Every reason there is.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The word that stands in the condition.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }
        }
    };
}

reasons! {
    /// Accepted: the spec is valid and served.
    Accepted,
    /// ResolvedRefs: all that the spec refers to is there.
    ResolvedRefs,
    /// Ready: everything works.
    Ready,
    /// Ready, Suspended: the spec suspends it.
    Suspended,
    /// Ready, Reconciling: work that ends by itself is under way.
    Progressing,
    /// Ready, Accepted, Subscribed: nothing is known yet, or not of this generation.
    Pending,

    /// Accepted is False: the spec uses something that this version does not serve.
    NotYetSupported,
    /// Accepted is False: the Agent names no model and the operator has no default.
    NoModel,
    /// Accepted is False: an object of a name that the Agent needs belongs to somebody else.
    NameConflict,
    /// Accepted is False: the Watch's `onEvent` is not valid Python or uses an unknown name.
    InvalidFilter,
    /// Accepted is False: the Agent serves as many older Watches as it may.
    TooManyWatches,

    /// ResolvedRefs is False: there is no such Agent.
    AgentNotFound,
    /// Ready is False: the Agent is not accepted.
    AgentNotAccepted,
    /// Ready is Unknown: the Agent's pod is down.
    AgentNotReady,
    /// ResolvedRefs is False: there is no such Secret, or no such key in it.
    SecretNotFound,
    /// ResolvedRefs is False: an MCP server of the Agent cannot be reached.
    ServerUnavailable,
    /// ResolvedRefs is False: a channel of the Agent cannot be reached.
    ChannelUnavailable,
    /// Agent: the session cannot be kept, so that a restart forgets the conversation.
    SessionUnavailable,

    /// Ready is False: the pod cannot be scheduled.
    Unschedulable,
    /// Ready is False: an image cannot be pulled.
    ImagePullFailed,
    /// Ready is False: the agent ends as soon as it starts.
    CrashLooping,
    /// Ready is False: the pod runs and is not ready.
    PodNotReady,
    /// Ready is False: the API server refused an object of the Agent.
    ApplyFailed,
    /// Ready is Unknown: the pod's node is lost.
    NodeLost,

    /// Subscribed is True.
    Subscribed,
    /// Subscribed is False: the first attempt is under way.
    Connecting,
    /// Subscribed is False: the subscription ended and is being made anew.
    Resubscribing,
    /// Subscribed is False: the Agent has no MCP server of that name, or none that serves the URI.
    UnknownServer,
    /// Subscribed is False: the MCP server does not offer what watching needs.
    NotWatchable,
    /// Subscribed is False: the MCP server cannot be reached.
    ServerDown,
    /// Subscribed is False: the MCP server reports that its source fails, or refuses the URI.
    SourceError,
    /// Subscribed is False: the Watch could not be resumed after a restart.
    RestoreFailed,

    /// FilterFailing: the filter failed ten times in a row.
    FilterFailing,

    /// ModelWatchesDenied: nothing in the cluster confines an agent to its own Watches.
    NoAdmissionPolicy,

    /// Throttled: as many notices were sent in the last hour as the Watch allows.
    NoticeLimit,
    /// Throttled: as many turns were taken in the last hour as the limits allow.
    TurnLimit,
    /// Throttled: as many tokens were used today as the limits allow.
    TokenLimit,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
