//! What can go wrong with a server, and whose fault it is.

use rmcp::model::{ErrorCode, ErrorData};
use rmcp::service::ServiceError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use thiserror::Error as ThisError;

use crate::limits::LARGEST;

#[cfg(test)]
mod tests;

/// The protocol version that watching needs.
pub(crate) const WATCHABLE: &str = "2026-07-28";

/// What decides how a failure is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The named server is not configured.
    UnknownServer,
    /// The server lives, but the URI cannot be watched on it.
    NotWatchable,
    /// The server cannot be reached; it is being reconnected.
    ServerDown,
    /// The server answered with an error.
    SourceError,
}

/// A failed request.
#[derive(Debug, Clone, ThisError)]
pub enum Error {
    /// No such server.
    #[error("no MCP server is named {name:?}; {}", there_is(.known))]
    UnknownServer {
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// Nothing routes the URI.
    #[error("no MCP server offers {uri}: {}", if .reasons.is_empty() { "none is configured".to_owned() } else { .reasons.join("; ") })]
    Unrouted {
        /// The URI.
        uri: String,
        /// Why not, for each server.
        reasons: Vec<String>,
    },
    /// The server cannot push changes of the URI.
    #[error("{uri} cannot be watched on {server}: {reason}")]
    NotWatchable {
        /// The URI.
        uri: String,
        /// The server's name.
        server: String,
        /// What it lacks.
        reason: String,
    },
    /// The server cannot be reached.
    #[error("{server} is down: {message}")]
    ServerDown {
        /// The server's name.
        server: String,
        /// What happened last.
        message: String,
    },
    /// The server refused, or answered with nonsense.
    #[error("{server}: {message}")]
    Source {
        /// The server's name.
        server: String,
        /// Its own words.
        message: String,
    },
}

fn there_is(known: &[String]) -> String {
    if known.is_empty() { "none is configured".to_owned() } else { format!("there is {}", known.join(", ")) }
}

impl Error {
    /// What decides how the failure is handled.
    pub fn kind(&self) -> Kind {
        match self {
            Self::UnknownServer { .. } => Kind::UnknownServer,
            Self::Unrouted { reasons, .. } if reasons.is_empty() => Kind::UnknownServer,
            Self::NotWatchable { .. } | Self::Unrouted { .. } => Kind::NotWatchable,
            Self::ServerDown { .. } => Kind::ServerDown,
            Self::Source { .. } => Kind::SourceError,
        }
    }

    pub(crate) fn source(server: &str, message: impl Into<String>) -> Self {
        Self::Source { server: server.to_owned(), message: message.into() }
    }

    pub(crate) fn down(server: &str, message: impl Into<String>) -> Self {
        Self::ServerDown { server: server.to_owned(), message: message.into() }
    }

    /// Sorts a failed request: the server's own error, or no answer from it.
    pub(crate) fn from_service(server: &str, error: &ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Self::source(server, words(error)),
            ServiceError::UnexpectedResponse => Self::source(server, "the answer does not follow the protocol"),
            ServiceError::Timeout { timeout } => {
                let (seconds, mib) = (timeout.as_secs_f32(), LARGEST >> 20);
                Self::down(server, format!("no answer within {seconds} s; one of more than {mib} MiB is dropped"))
            }
            ServiceError::TransportClosed => Self::down(server, "the connection is closed"),
            other => match too_large(other) {
                Some(message) => Self::source(server, message),
                None => Self::down(server, describe(other)),
            },
        }
    }
}

/// The server's words; a bare code where it sent none.
fn words(error: &ErrorData) -> String {
    if error.message.is_empty() {
        format!("error {}", error.code.0)
    } else if error.code == ErrorCode::METHOD_NOT_FOUND {
        format!("not served: {}", error.message)
    } else {
        error.message.to_string()
    }
}

type Http = StreamableHttpError<reqwest::Error>;

/// An answer over the bound is the resource's fault, not an outage.
fn too_large(error: &ServiceError) -> Option<String> {
    let large = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<Http>() {
        Some(StreamableHttpError::ResponseBodyTooLarge { max_size }) => {
            Some(format!("the answer has more than {max_size} bytes"))
        }
        _ => None,
    };
    causes(error).find_map(large)
}

/// The error and everything it is caused by, in one line and without repetitions.
pub(crate) fn describe(error: &(dyn std::error::Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in causes(error) {
        if matches!(cause.downcast_ref::<Http>(), Some(StreamableHttpError::Client(_))) {
            continue;
        }
        let text = cause.to_string();
        // An error that ends in its own cause adds nothing of its own but the head.
        if let Some(last) = parts.last_mut()
            && let Some(head) = last.strip_suffix(&text)
        {
            *last = head.trim_end_matches([':', ' ']).to_owned();
        }
        parts.push(text);
    }
    parts.retain(|part| !part.is_empty());
    parts.dedup();
    parts.join(": ")
}

/// `error` and its sources; the HTTP client's error hides its own, so that one is unwrapped.
pub(crate) fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| match error.downcast_ref::<Http>() {
        Some(StreamableHttpError::Client(inner)) => Some(inner),
        _ => error.source(),
    })
}
