//! Why there is no reply.

use std::time::Duration;

use async_openai::error::OpenAIError;
use reqwest::StatusCode;

/// Why there is no reply. No message holds the API key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address cannot be used.
    #[error("invalid model URL {url:?}: {reason}; allowed is http(s)://HOST[:PORT][/PATH]")]
    BaseUrl {
        /// As it was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The key cannot be used.
    #[error("invalid API key: it holds characters that no HTTP header can carry; allowed is visible ASCII")]
    ApiKey,
    /// The process has not chosen a TLS implementation.
    #[error("no TLS crypto provider is installed in this process")]
    NoCryptoProvider,
    /// The HTTP client could not be made.
    #[error("cannot set up the HTTP client: {0}")]
    Client(#[source] reqwest::Error),
    /// No connection, or it broke before an answer.
    #[error("cannot reach the model endpoint: {0}")]
    Unreachable(String),
    /// An answer that is an error.
    #[error("model endpoint answered {status}: {message}")]
    Status {
        /// The HTTP status.
        status: StatusCode,
        /// What the endpoint says about it.
        message: String,
        /// Its machine-readable word for it.
        code: Option<String>,
        /// How long it asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// An answer that is neither an error nor a stream.
    #[error("model endpoint answered with {content_type:?} instead of an event stream: {excerpt}")]
    NotAStream {
        /// The content type it claims.
        content_type: String,
        /// How it begins.
        excerpt: String,
    },
    /// The stream holds something that is no part of a reply.
    #[error("model endpoint sent an event that is not understood ({reason}): {excerpt}")]
    Malformed {
        /// What the parser says.
        reason: String,
        /// How the event begins.
        excerpt: String,
    },
    /// The endpoint reported an error in the middle of its reply.
    #[error("model endpoint failed in mid-reply: {message}")]
    Reported {
        /// What the endpoint says about it.
        message: String,
        /// Its machine-readable word for it.
        code: Option<String>,
    },
    /// The stream ended before the reply did.
    #[error("the reply broke off after {bytes} bytes: {reason}")]
    BrokenOff {
        /// Bytes of text that had come.
        bytes: usize,
        /// What ended it.
        reason: String,
    },
    /// It took too long.
    #[error("no complete reply within {} s", .0.as_secs())]
    Timeout(Duration),
}

/// What can be done about an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Try again later.
    Transient,
    /// It will not work without a change: of the key, the model's name, the request.
    Refused,
    /// Try again with a shorter conversation.
    ContextTooLong,
}

impl Error {
    /// What can be done about it.
    pub fn kind(&self) -> Kind {
        match self {
            Self::BaseUrl { .. }
            | Self::ApiKey
            | Self::NoCryptoProvider
            | Self::Client(_)
            | Self::NotAStream { .. } => Kind::Refused,
            Self::Unreachable(_) | Self::Malformed { .. } | Self::BrokenOff { .. } | Self::Timeout(_) => {
                Kind::Transient
            }
            Self::Reported { message, code } if is_context_length(message, code.as_deref()) => Kind::ContextTooLong,
            Self::Reported { .. } => Kind::Transient,
            Self::Status { status, message, code, .. } => status_kind(*status, message, code.as_deref()),
        }
    }

    /// How long the endpoint asks to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

impl From<Error> for OpenAIError {
    fn from(error: Error) -> Self {
        Self::Boxed(Box::new(error))
    }
}

fn status_kind(status: StatusCode, message: &str, code: Option<&str>) -> Kind {
    if status.is_client_error() && is_context_length(message, code) {
        return Kind::ContextTooLong;
    }
    match status.as_u16() {
        // An empty account is reported with the status of a rate limit.
        429 if code == Some("insufficient_quota") => Kind::Refused,
        408 | 409 | 425 | 429 | 500.. => Kind::Transient,
        _ => Kind::Refused,
    }
}

/// Whether an error says that the conversation is too long. There is no common code for it: these are
/// the words of OpenAI, vLLM, llama.cpp, Anthropic and Google.
fn is_context_length(message: &str, code: Option<&str>) -> bool {
    const CODES: [&str; 2] = ["context_length_exceeded", "exceed_context_size_error"];
    const WORDS: [&str; 6] = [
        "context length",
        "context window",
        "context size",
        "prompt is too long",
        "input is too long",
        "input token count",
    ];
    let message = message.to_lowercase();
    code.is_some_and(|code| CODES.contains(&code)) || WORDS.iter().any(|words| message.contains(words))
}

#[cfg(test)]
mod tests;
