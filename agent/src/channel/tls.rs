//! TLS as the rest of the program does it: rustls, the system's certificate authorities (`SSL_CERT_FILE` names others).

use std::sync::Arc;

use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;

/// Settings for a client's connections.
///
/// # Errors
/// When the certificate authorities cannot be read.
pub(super) fn config() -> Result<Arc<ClientConfig>, rustls::Error> {
    Ok(Arc::new(ClientConfig::builder().with_platform_verifier()?.with_no_client_auth()))
}
