//! The connection to the API server.

use std::time::Duration;

use hyper_util::{
    client::legacy::{Client as HttpClient, connect::HttpConnector},
    rt::TokioExecutor,
};
use kube::{
    Client, Config,
    client::{ConfigExt, retry::RetryPolicy},
};
use tower::{BoxError, ServiceBuilder, retry::RetryLayer};

/// A client whose watches may idle for days: TCP probes, not a read timeout, find a peer that is gone.
pub(crate) fn connect(config: &Config) -> kube::Result<Client> {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    http.set_connect_timeout(config.connect_timeout);
    http.set_keepalive(Some(Duration::from_secs(30)));
    http.set_keepalive_interval(Some(Duration::from_secs(10)));
    http.set_keepalive_retries(Some(3));
    let https = config.rustls_https_connector_with_connector(http)?;
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .layer(RetryLayer::new(RetryPolicy::server_retry()))
        .option_layer(config.auth_layer()?)
        .map_err(BoxError::from)
        .service(HttpClient::builder(TokioExecutor::new()).build(https));
    Ok(Client::new(service, config.default_namespace.clone()))
}
