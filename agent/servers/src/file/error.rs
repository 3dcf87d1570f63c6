//! Why a path cannot be read or watched.

use std::io;
use std::path::PathBuf;

/// Why a path cannot be read or watched.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request itself is wrong.
    #[error("{part}: {problem}")]
    Invalid {
        /// Which part of it.
        part: &'static str,
        /// What is wrong with it, and what is allowed.
        problem: String,
    },
    /// It is not below a root.
    #[error("{} is not served; there is {}", .path.display(), listed(.roots))]
    Outside {
        /// What was asked for.
        path: PathBuf,
        /// What is served.
        roots: Vec<PathBuf>,
    },
    /// A symbolic link leads out of its root.
    #[error("{} leads out of {} by a symbolic link", .path.display(), .root.display())]
    Escapes {
        /// What was asked for.
        path: PathBuf,
        /// Where it must stay.
        root: PathBuf,
    },
    /// There is nothing.
    #[error("{} does not exist{}", .path.display(), if .similar.is_empty() { String::new() } else { format!("; did you mean: {}", .similar.join(", ")) })]
    Missing {
        /// What was asked for.
        path: PathBuf,
        /// Names beside it, closest first.
        similar: Vec<String>,
    },
    /// It is a device, a pipe or a socket.
    #[error("{} is neither a file nor a directory", .path.display())]
    Special {
        /// What was asked for.
        path: PathBuf,
    },
    /// It is larger than an answer may be.
    #[error("{} has {size}, at most {limit} can be read{hint}", .path.display())]
    TooLarge {
        /// What was asked for.
        path: PathBuf,
        /// How large it is.
        size: String,
        /// How large it may be.
        limit: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// The system cannot watch more.
    #[error("{} cannot be watched: the limit {limit} is reached; raise it on the node", .path.display())]
    Limit {
        /// What was to be watched.
        path: PathBuf,
        /// The name of the limit.
        limit: &'static str,
    },
    /// The system's own words.
    #[error("{} cannot be read: {source}", .path.display())]
    Io {
        /// What was asked for.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn invalid(part: &'static str, problem: impl Into<String>) -> Self {
        Self::Invalid { part, problem: problem.into() }
    }
}

fn listed(roots: &[PathBuf]) -> String {
    roots.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(", ")
}
