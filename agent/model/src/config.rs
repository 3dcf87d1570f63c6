//! Which model, where, and how patiently.

use std::fmt;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;

use crate::error::Error;

/// Settings of a [`crate::Model`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The address before `/chat/completions`, such as `http://llm.models.svc/v1`.
    pub base_url: String,
    /// The model's name at that address.
    pub name: String,
    /// Sent as a bearer token. None: no `Authorization` header at all.
    pub api_key: Option<ApiKey>,
    /// Tokens after which the endpoint cuts a reply.
    pub max_output_tokens: u32,
    /// For one completion as a whole, waits between attempts included.
    pub timeout: Duration,
    /// How often, and how soon, a failed request is sent again.
    pub retry: Retry,
}

impl Config {
    /// A model without a key: 8,192 output tokens, 600 s.
    pub fn new(base_url: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            name: name.into(),
            api_key: None,
            max_output_tokens: 8192,
            timeout: Duration::from_mins(10),
            retry: Retry::default(),
        }
    }

    /// The base URL without a slash at its end.
    pub(crate) fn endpoint(&self) -> Result<String, Error> {
        let invalid = |reason: String| Error::BaseUrl { url: self.base_url.clone(), reason };
        let url = Url::parse(&self.base_url).map_err(|error| invalid(error.to_string()))?;
        if !url.username().is_empty() || url.password().is_some() {
            // Not repeated: what stands there is a secret.
            return Err(Error::BaseUrl { url: String::new(), reason: "it holds credentials; use the API key".into() });
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid(format!("the scheme is {}", url.scheme())));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("it has a query or a fragment".into()));
        }
        Ok(url.as_str().trim_end_matches('/').to_owned())
    }
}

/// A secret; `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The `Authorization` header.
    pub(crate) fn header(&self) -> Result<HeaderValue, Error> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0)).map_err(|_| Error::ApiKey)?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// `text` without the key, which some endpoints repeat in their errors.
    pub(crate) fn scrub(&self, text: &str) -> String {
        text.replace(&self.0, "[API key]")
    }
}

impl<T: AsRef<str>> From<T> for ApiKey {
    /// Takes a key as it stands in a file, with a line break at its end.
    fn from(text: T) -> Self {
        Self(text.as_ref().trim().to_owned())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// When a request that failed is sent again. Only what has not begun to answer is: a reply that
/// breaks off is the caller's to ask for again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// Requests in all.
    pub attempts: u32,
    /// Before the second; doubles each time.
    pub first_delay: Duration,
    /// No wait is longer. An endpoint that asks for more gets its way from the caller, by
    /// [`Error::retry_after`].
    pub longest_delay: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 4, first_delay: Duration::from_secs(1), longest_delay: Duration::from_mins(1) }
    }
}

#[cfg(test)]
mod tests;
