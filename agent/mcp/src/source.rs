//! Where a server is.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::DuplexStream;

#[cfg(test)]
mod tests;

/// Where a server is.
#[derive(Clone)]
pub enum Source {
    /// A server in this process: each call opens a connection and returns the client's end.
    InProcess(Arc<dyn Fn() -> DuplexStream + Send + Sync>),
    /// A child process that speaks on stdin and stdout. It inherits `PATH`, `HOME` and the like,
    /// and nothing else of our environment.
    Stdio {
        /// The program and its arguments.
        command: Vec<String>,
        /// Environment variables of its own.
        env: BTreeMap<String, String>,
    },
    /// Streamable HTTP.
    Http {
        /// The endpoint.
        url: String,
        /// Sent with each request; the values are secret and never logged.
        headers: Vec<(String, String)>,
        /// How long a request may take.
        timeout: Duration,
    },
}

impl Source {
    /// Whether a connection to `self` is one to `other`.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::InProcess(a), Self::InProcess(b)) => Arc::ptr_eq(a, b),
            (Self::Stdio { command, env }, Self::Stdio { command: other_command, env: other_env }) => {
                command == other_command && env == other_env
            }
            (
                Self::Http { url, headers, timeout },
                Self::Http { url: other_url, headers: other_headers, timeout: other_timeout },
            ) => url == other_url && headers == other_headers && timeout == other_timeout,
            _ => false,
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InProcess(_) => f.write_str("InProcess"),
            Self::Stdio { command, env } => {
                let env: Vec<_> = env.keys().collect();
                f.debug_struct("Stdio").field("command", command).field("env", &env).finish()
            }
            Self::Http { url, headers, timeout } => {
                let headers: Vec<_> = headers.iter().map(|(name, _)| name).collect();
                f.debug_struct("Http").field("url", url).field("headers", &headers).field("timeout", timeout).finish()
            }
        }
    }
}
