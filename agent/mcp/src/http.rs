//! The transport for Streamable HTTP: secret headers, bounded answers, silence noticed.

use std::collections::HashMap;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use crate::error::describe;
use crate::limits::LARGEST;

#[cfg(test)]
mod tests;

const TCP_CONNECT: Duration = Duration::from_secs(10);

/// A transport to `url`; a connection that is silent for so long is given up.
pub(crate) fn transport(
    url: &str,
    headers: &[(String, String)],
    silence: Duration,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    let parsed = reqwest::Url::parse(url).map_err(|error| format!("{url} is no URL: {error}"))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(format!("{url} must begin with http:// or https://"));
    }
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Lost only to another thread that does the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    let client = reqwest::Client::builder()
        .connect_timeout(TCP_CONNECT)
        // A stopped peer keeps its connections open; only silence gives it away.
        .read_timeout(silence)
        .pool_max_idle_per_host(0)
        // A redirect would carry the secret headers elsewhere.
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| describe(&error))?;
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(header_map(headers)?)
        .max_json_response_size(LARGEST)
        .max_sse_event_size(LARGEST);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

fn header_map(headers: &[(String, String)]) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let header = |(name, value): &(String, String)| {
        let parsed: HeaderName = name.parse().map_err(|_| format!("{name:?} is no HTTP header name"))?;
        let mut value = HeaderValue::from_str(value.trim_end_matches(['\r', '\n']))
            .map_err(|_| format!("the value of HTTP header {name} has characters that are not allowed"))?;
        value.set_sensitive(true);
        Ok((parsed, value))
    };
    headers.iter().map(header).collect()
}
