//! A model server that says what a scenario tells it to and records what it was asked.
//!
//! It speaks the real API, so that what calls it cannot tell the difference. Stories run it in a pod
//! (the program `scripted-model`), tests in their own process by [`ScriptedModel::start`].
//!
//! | Request | What |
//! |---|---|
//! | `POST /v1/chat/completions` | a reply, streamed or not |
//! | `GET /v1/models` | the one model there is |
//! | `GET /requests[?wait=N]` | the completions asked for; with `wait`, not before there are N |
//! | `PUT /scenario` | replaces the scenario by the YAML sent; what was recorded stays |
//! | `POST /gates/NAME` | lets one request go that is, or will be, held by that gate |
//! | `GET /healthz` | that it is up |

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

mod answer;
mod http;
mod scenario;
mod state;

/// The name of the one model; any other is answered too.
pub const MODEL: &str = "scripted";

pub use http::router;
pub use scenario::{Call, Ending, Reply, Response, Rule, Scenario, ScenarioError, Usage};
pub use state::{Recorded, State};

/// A server in this process, on a port of its own. Dropping it stops it.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    state: Arc<State>,
    _server: AbortOnDropHandle<io::Result<()>>,
}

impl ScriptedModel {
    /// Serves `scenario`, YAML.
    pub async fn start(scenario: &str) -> anyhow::Result<Self> {
        let state = Arc::new(State::new(scenario.parse()?));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let server = tokio::spawn(axum::serve(listener, router(Arc::clone(&state))).into_future());
        Ok(Self { address, state, _server: AbortOnDropHandle::new(server) })
    }

    /// What a client calls its base URL.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What was asked so far.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state.requests()
    }

    /// What was asked, once there are `count` requests.
    pub async fn wait_for(&self, count: usize) -> Vec<Recorded> {
        self.state.wait_for(count).await
    }

    /// Lets one request through `gate`.
    pub fn open(&self, gate: &str) {
        self.state.open(gate);
    }
}
