//! What can go wrong between a client's request and the API server.

use http::StatusCode;
use serde::Deserialize;

use crate::kcp::object;
use crate::kcp::uri::Invalid;

/// Why a read or a tool call failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request itself is wrong; nothing was asked of the API server.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The workspace serves no such resource.
    #[error("workspace {workspace} serves no resource {resource:?}{}", suggestion(.similar, .workspace))]
    UnknownResource {
        /// As the request named it.
        resource: String,
        /// Where it was looked for.
        workspace: String,
        /// What it may have meant, closest first.
        similar: Vec<String>,
    },
    /// The workspace serves no such kind.
    #[error("workspace {workspace} serves no kind {kind:?} of apiVersion {api_version:?}{}", suggestion(.similar, .workspace))]
    UnknownKind {
        /// As the manifest says.
        kind: String,
        /// As the manifest says.
        api_version: String,
        /// Where it was looked for.
        workspace: String,
        /// What it may have meant.
        similar: Vec<String>,
    },
    /// There is no such object, or no such namespace.
    #[error("{message}{}", if .similar.is_empty() { String::new() } else { format!("; did you mean: {}", .similar.join(", ")) })]
    NotFound {
        /// What there is not.
        message: String,
        /// What there is, closest first.
        similar: Vec<String>,
    },
    /// The API server does not offer this for the resource.
    #[error(
        "{resource} cannot be {} in workspace {workspace}: the API server allows {}",
        participle(.verb),
        .allowed.join(", ")
    )]
    Unsupported {
        /// Its qualified name.
        resource: String,
        /// Where.
        workspace: String,
        /// What was wanted.
        verb: &'static str,
        /// What there is.
        allowed: Vec<String>,
    },
    /// The API server refused, with its own words.
    #[error("the API server answered {} {}: {}", .0.code, .0.reason, .0.message)]
    Api(Status),
    /// The API server does not understand a selector, with its own words.
    #[error("the API server does not accept {selectors}: {message}")]
    Selector {
        /// Which ones it was given.
        selectors: String,
        /// What is wrong.
        message: String,
    },
    /// The API server could not be reached, or the connection broke.
    #[error("the API server cannot be reached: {0}")]
    Connection(String),
    /// The credentials could not be read.
    #[error("cannot read the credentials: {0}")]
    Credentials(String),
    /// An answer that is none.
    #[error("the API server sent what cannot be read: {0}")]
    Answer(#[from] serde_json::Error),
    /// An object that is none.
    #[error(transparent)]
    Object(#[from] object::Error),
    /// An answer that does not fit.
    #[error("the API server sent more than {limit} bytes: narrow it by namespace, labelSelector or fieldSelector")]
    TooLarge {
        /// In bytes.
        limit: usize,
    },
    /// No answer in time.
    #[error("the API server did not answer within {seconds} s")]
    Timeout {
        /// How long was waited.
        seconds: u64,
    },
}

/// The API server's own description of a failure.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The HTTP status.
    #[serde(default)]
    pub code: u16,
    /// One word.
    #[serde(default)]
    pub reason: String,
    /// A sentence.
    #[serde(default)]
    pub message: String,
}

impl Status {
    /// Reads the body of a refusal, which proxies may have written instead of the API server.
    pub(crate) fn parse(code: StatusCode, body: &[u8]) -> Self {
        let text = || String::from_utf8_lossy(&body[..body.len().min(500)]).into_owned();
        let mut status: Self =
            serde_json::from_slice(body).unwrap_or_else(|_| Self { message: text(), ..Self::default() });
        status.code = code.as_u16();
        if status.reason.is_empty() {
            code.canonical_reason().unwrap_or("Unknown").clone_into(&mut status.reason);
        }
        status
    }
}

impl Error {
    /// A request that cannot be put together.
    #[expect(clippy::needless_pass_by_value, reason = "it is what map_err passes")]
    pub(crate) fn request(error: kube::core::request::Error) -> Self {
        Self::Connection(error.to_string())
    }

    /// A refusal of a request with these selectors says which they are.
    pub(crate) fn with_selectors(self, label: Option<&str>, field: Option<&str>) -> Self {
        let named = [("labelSelector", label), ("fieldSelector", field)];
        let given: Vec<String> =
            named.iter().filter_map(|(name, text)| text.map(|text| format!("{name} {text:?}"))).collect();
        match self {
            Self::Api(status) if status.code == 400 && !given.is_empty() => {
                Self::Selector { selectors: given.join(" and "), message: status.message }
            }
            other => other,
        }
    }

    /// The version asked for is compacted.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::Api(status) if status.code == 410)
    }

    /// A list at a past version cannot be had: it is compacted, or this API server lists no past versions at all.
    pub(crate) fn is_past_lost(&self) -> bool {
        matches!(self, Self::Api(status) if [400, 410, 422, 501].contains(&status.code))
    }

    /// The version asked for is newer than the API server's data.
    pub(crate) fn is_future_version(&self) -> bool {
        matches!(self, Self::Api(status) if status.code == 504 && status.message.contains("Too large resource version"))
    }

    /// The credentials are not accepted, perhaps because they expired.
    pub(crate) fn is_unauthorized(&self) -> bool {
        matches!(self, Self::Api(status) if status.code == 401)
    }

    /// The path is not served, perhaps because a definition changed since discovery.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Api(status) if status.code == 404)
    }

    /// Whether the request was wrong, rather than what it met.
    pub(crate) fn is_invalid(&self) -> bool {
        matches!(
            self,
            Self::Invalid(_) | Self::UnknownResource { .. } | Self::Unsupported { .. } | Self::Selector { .. }
        )
    }
}

/// An error with what caused it.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

fn suggestion(similar: &[String], workspace: &str) -> String {
    if similar.is_empty() {
        return format!("; kcp-api://{workspace}/resources lists what there is");
    }
    format!("; did you mean: {}", similar.join(", "))
}

fn participle(verb: &str) -> String {
    match verb {
        "get" => "read".to_owned(),
        "watch" => "watched".to_owned(),
        "patch" => "changed".to_owned(),
        "delete" => "deleted".to_owned(),
        other => format!("{other}ed"),
    }
}
