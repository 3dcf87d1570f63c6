//! How a server is reached: the newest protocol first, the old handshake on a fresh transport.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ClientCapabilities, ClientConfig, ErrorCode, Implementation, ProtocolVersion};
use rmcp::service::{ClientCacheConfig, ClientInitializeError, NotificationContext, RoleClient, RunningService};
use rmcp::transport::IntoTransport;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt as _};
use tokio::sync::Notify;

use crate::child::{self, LastWords};
use crate::error::{causes, describe};
use crate::http;
use crate::source::Source;

/// How long is waited for a server.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For the answer to `server/discover`, and again for that to `initialize`.
    pub connect: Duration,
    /// For the acknowledgement of a subscription.
    pub acknowledge: Duration,
    /// For any other answer, unless the source has its own timeout.
    pub request: Duration,
    /// For any sign of life on an HTTP stream: after so much silence its server counts as dead.
    /// Must exceed the servers' keep-alive, commonly 15 s.
    pub silence: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            acknowledge: Duration::from_secs(10),
            request: Duration::from_mins(1),
            silence: Duration::from_secs(45),
        }
    }
}

/// What a server may tell outside of subscriptions.
#[derive(Clone, Default)]
pub(crate) struct Handler {
    /// A server of an old protocol version changed its lists.
    pub(crate) lists_changed: Arc<Notify>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let me = Implementation::new("asyncai", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), me)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.lists_changed.notify_one();
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.lists_changed.notify_one();
    }
}

/// An established connection.
pub(crate) struct Open {
    pub(crate) service: RunningService<RoleClient, Handler>,
    pub(crate) last_words: LastWords,
}

/// Connects with `server/discover`; if that fails as it does on servers that do not know it, with
/// `initialize` on a new transport.
///
/// A new one in every case, because a server may exit, close or fall silent on the probe.
pub(crate) async fn open(name: &str, source: &Source, timeouts: &Timeouts) -> Result<Open, String> {
    let discover = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let probe = match start(name, source, discover, timeouts).await {
        Ok(open) => return Ok(open),
        Err(failure) if failure.old_server() => failure,
        Err(failure) => return Err(failure.to_string()),
    };
    tracing::debug!(target: "mcp", server = name, %probe, "trying the old handshake");
    start(name, source, ClientLifecycleMode::Initialize, timeouts).await.map_err(|failure| {
        let (probe, failure) = (probe.to_string(), failure.to_string());
        if probe == failure { failure } else { format!("server/discover: {probe}; initialize: {failure}") }
    })
}

enum Failure {
    /// There is no transport to speak over.
    Transport(String),
    Handshake(Box<ClientInitializeError>, LastWords),
    Silence(Duration, LastWords),
}

impl Failure {
    /// Whether the handshake failed in a way that an old server explains.
    fn old_server(&self) -> bool {
        match self {
            Self::Transport(_) => false,
            Self::Silence(..) => true,
            Self::Handshake(error, _) => match error.as_ref() {
                ClientInitializeError::JsonRpcError(error) => {
                    !matches!(error.code, ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY | ErrorCode::HEADER_MISMATCH)
                }
                error => !causes(error).any(unreachable),
            },
        }
    }
}

/// An outage or a refusal: a modern server must not be taken for an old one because of it.
fn unreachable(cause: &(dyn std::error::Error + 'static)) -> bool {
    if let Some(error) = cause.downcast_ref::<reqwest::Error>() {
        return error.is_connect() || error.is_timeout();
    }
    matches!(
        cause.downcast_ref::<StreamableHttpError<reqwest::Error>>(),
        Some(
            StreamableHttpError::HttpStatus(_)
                | StreamableHttpError::AuthRequired(_)
                | StreamableHttpError::InsufficientScope(_)
        )
    )
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(message) => f.write_str(message),
            Self::Handshake(error, last) => {
                let text = match error.as_ref() {
                    ClientInitializeError::ConnectionClosed(_) => {
                        last.explain("the connection was closed during the handshake")
                    }
                    ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
                    ClientInitializeError::TransportError { error, .. } => {
                        // A child that dies early closes its stdin before it closes its stdout.
                        last.explain(&describe(error.error.as_ref()))
                    }
                    error => describe(error),
                };
                f.write_str(&text)
            }
            Self::Silence(timeout, last) => {
                let text = format!("no answer within {} s", timeout.as_secs_f32());
                f.write_str(&last.explain(&text))
            }
        }
    }
}

async fn start(name: &str, source: &Source, mode: ClientLifecycleMode, timeouts: &Timeouts) -> Result<Open, Failure> {
    let (none, timeout) = (LastWords::default(), timeouts.connect);
    match source {
        Source::InProcess(connect) => handshake(connect(), none, mode, timeout).await,
        Source::Stdio { command, env } => {
            let (process, last_words) =
                child::spawn(name, command, env).map_err(|error| Failure::Transport(error.to_string()))?;
            handshake(process, last_words, mode, timeout).await
        }
        Source::Http { url, headers, timeout: request } => {
            // A slow tool is silent too, where the server does not stream its answer.
            let silence = timeouts.silence.max(*request);
            let transport = http::transport(url, headers, silence).map_err(Failure::Transport)?;
            handshake(transport, none, mode, timeout).await
        }
    }
}

async fn handshake<T, E, A>(
    transport: T,
    last_words: LastWords,
    mode: ClientLifecycleMode,
    timeout: Duration,
) -> Result<Open, Failure>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let started = Handler::default().serve_with_lifecycle(transport, mode);
    match tokio::time::timeout(timeout, started).await {
        Ok(Ok(service)) => {
            // It would answer a read from before the change that caused it.
            service.set_response_cache_config(ClientCacheConfig::disabled()).await;
            Ok(Open { service, last_words })
        }
        Ok(Err(error)) => {
            last_words.complete().await;
            Err(Failure::Handshake(Box::new(error), last_words))
        }
        Err(_) => Err(Failure::Silence(timeout, last_words)),
    }
}
