//! Serves one MCP server over stdio, Streamable HTTP or an in-memory pipe.

use std::future::IntoFuture as _;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

/// Where a server is reached over HTTP.
pub const PATH: &str = "/mcp";

const PIPE: usize = 256 * 1024;
const KEEP_ALIVE: Duration = Duration::from_secs(15);
const GRACE: Duration = Duration::from_secs(5);
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// An MCP server that can be served here.
pub trait Server: ServerHandler + Clone {
    /// Ends every subscription gracefully, because the process is about to end.
    fn close(&self);
}

/// Why a server could not be served.
#[derive(Debug, Error)]
pub enum Error {
    /// An address that cannot be listened on.
    #[error("{text:?} is no address to listen on; write PORT, IP:PORT or localhost:PORT")]
    Address {
        /// What was given.
        text: String,
    },
    /// The socket could not be bound.
    #[error("cannot listen on {addr}")]
    Bind {
        /// Where.
        addr: SocketAddr,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The listening socket failed.
    #[error("the HTTP server failed")]
    Http(#[source] io::Error),
    /// The client's first message made no sense.
    #[error("the client could not be served")]
    Start(#[source] Box<ServerInitializeError>),
}

/// Serves on stdin and stdout until the client closes stdin or `cancel` is triggered.
///
/// Then every subscription gets its final result before this returns.
pub async fn stdio<S: Server>(server: S, cancel: CancellationToken) -> Result<(), Error> {
    let (inner, write) = stdio_pipes();
    // The end of stdin is a reason to stop as good as a signal: without it the listens would
    // hold the connection open for the library's drain time.
    let read = UntilEof { inner, eof: cancel.clone() };
    connection(server, read, write, cancel).await
}

/// Serves in this process; returns the client's end. Dropping that ends the connection.
pub fn in_process<S: Server>(server: S) -> DuplexStream {
    let (client, stream) = tokio::io::duplex(PIPE);
    let (read, write) = tokio::io::split(stream);
    tokio::spawn(async move {
        let never = CancellationToken::new();
        if let Err(error) = connection(server, read, write, never).await {
            tracing::warn!(target: "mcp", ?error, "an in-process server could not be started");
        }
    });
    client
}

async fn connection<S, R, W>(server: S, read: R, write: W, cancel: CancellationToken) -> Result<(), Error>
where
    S: Server,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let started = tokio::select! {
        started = server.clone().serve((read, write)) => started,
        () = cancel.cancelled() => return Ok(()),
    };
    let service = match started {
        Ok(service) => service,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Error::Start(Box::new(error))),
    };
    let stop = service.cancellation_token();
    let mut running = pin!(service.waiting());
    tokio::select! {
        _ = &mut running => return Ok(()),
        () = cancel.cancelled() => {}
    }
    server.close();
    // Lets the listens answer, then closes.
    stop.cancel();
    let _ = running.await;
    Ok(())
}

/// A bound HTTP endpoint, not serving yet.
pub struct Http {
    listener: TcpListener,
    hosts: Vec<String>,
    keep_alive: Duration,
}

impl Http {
    /// Listens on `addr`; requests for loopback names and for `hosts` are answered.
    ///
    /// A host is a name or an address with or without a port. Any other `Host` or `Origin` gets
    /// 403, so that a web page cannot reach the server by rebinding its own name.
    pub async fn bind(addr: SocketAddr, hosts: &[String]) -> Result<Self, Error> {
        if !addr.ip().is_loopback() && hosts.is_empty() {
            tracing::warn!(target: "mcp", %addr, "only clients that ask for a loopback name are answered");
        }
        let listener = TcpListener::bind(addr).await;
        let listener = listener.map_err(|source| Error::Bind { addr, source })?;
        let loopback = LOOPBACK.into_iter().map(str::to_owned);
        Ok(Self { listener, hosts: loopback.chain(hosts.iter().cloned()).collect(), keep_alive: KEEP_ALIVE })
    }

    /// How often an idle stream carries a sign of life; 15 s unless set.
    #[must_use]
    pub fn keep_alive(mut self, every: Duration) -> Self {
        self.keep_alive = every;
        self
    }

    /// Where it listens, with the port that the system chose.
    pub fn addr(&self) -> Result<SocketAddr, Error> {
        self.listener.local_addr().map_err(Error::Http)
    }

    /// Serves [`PATH`] until `cancel` is triggered, then ends the subscriptions gracefully.
    pub async fn serve<S: Server>(self, server: S, cancel: CancellationToken) -> Result<(), Error> {
        // Not the library's token: cancelling that one cuts off the final results.
        let abort = CancellationToken::new();
        let config = self.config(abort.clone());
        let factory = server.clone();
        let service =
            StreamableHttpService::new(move || Ok(factory.clone()), Arc::new(LocalSessionManager::default()), config);
        let router = axum::Router::new().route_service(PATH, service);
        let stopping = cancel.clone();
        let running = axum::serve(self.listener, router)
            .with_graceful_shutdown(async move { stopping.cancelled().await })
            .into_future();
        let mut running = pin!(running);
        tokio::select! {
            result = &mut running => return result.map_err(Error::Http),
            () = cancel.cancelled() => {}
        }
        server.close();
        let result = tokio::time::timeout(GRACE, &mut running).await;
        abort.cancel();
        result.unwrap_or(Ok(())).map_err(Error::Http)
    }

    fn config(&self, abort: CancellationToken) -> StreamableHttpServerConfig {
        let origins = self.hosts.iter().flat_map(|host| {
            let host = host.rsplit_once(':').map_or(host.as_str(), |(name, port)| {
                let has_port = !name.contains(':') && port.parse::<u16>().is_ok();
                if has_port { name } else { host.as_str() }
            });
            let host = if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.to_owned() };
            ["http", "https"].map(|scheme| format!("{scheme}://{host}:*"))
        });
        StreamableHttpServerConfig::default()
            .with_allowed_hosts(self.hosts.clone())
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            .with_json_response(true)
            .with_sse_keep_alive(Some(self.keep_alive))
            .with_cancellation_token(abort)
    }
}

/// The address that `text` means: `PORT` and `:PORT` are on loopback, other addresses must be
/// written out.
pub fn address(text: &str) -> Result<SocketAddr, Error> {
    let loopback = |port: &str| {
        let port = port.parse().ok()?;
        Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))
    };
    let port = text.strip_prefix("localhost:").or(text.strip_prefix(':'));
    loopback(port.unwrap_or(text)).or_else(|| text.parse().ok()).ok_or_else(|| Error::Address { text: text.to_owned() })
}

/// Triggers a token when the stream ends.
struct UntilEof<R> {
    inner: R,
    eof: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for UntilEof<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        if matches!(polled, Poll::Ready(Ok(()))) && buf.filled().len() == before {
            self.eof.cancel();
        }
        polled
    }
}
