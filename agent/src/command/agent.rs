//! `asyncai agent`: the program of an agent's pod.

use std::env;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use asyncai_crds::contract;
use asyncai_mcp::Servers;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::setup;
use crate::agent::{Parts, QUEUE, Running};
use crate::args::{AgentArgs, Output};
use crate::channel::Channels;
use crate::channel::api::Api;
use crate::event::Event;
use crate::metrics::Metrics;
use crate::output::Sink;
use crate::secrets::Secrets;
use crate::serve::{self, Readiness};
use crate::session::{self, Opened, Session};
use crate::store::{Store, cluster};

/// How often a session folder is tried that another process holds.
const RETRY: Duration = Duration::from_millis(250);

/// Runs until the pod is to end or the Agent is gone.
pub(crate) async fn run(args: AgentArgs) -> Result<u8> {
    let stop = setup::stop_signals()?;
    let metrics = Metrics::new()?;
    let readiness = Readiness::default();
    let address = SocketAddr::from((Ipv4Addr::UNSPECIFIED, contract::HTTP_PORT));
    let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    serve::spawn(listener, readiness.clone(), metrics.clone());

    let client = cluster::connect().await.context("cannot reach the API server")?;
    let (sender, mut events) = mpsc::channel(QUEUE);
    setup::forward_stop(stop, sender.clone());
    let store = cluster::Store::open(&client, &args.namespace, &args.name, &sender);
    let Some((agent, early)) = first(&mut events).await else { return Ok(0) };
    let listener = Api::bind().await.context("cannot listen for messages")?;
    let api = Api::serve(listener, &args.name, sender.clone());
    let channels = Channels::new(sender.clone(), setup::changes(&sender, || Event::Channels), Some(api), None);
    let session = match &agent.spec.session {
        Some(_) => Some(open_session(Path::new(contract::SESSION_DIR)).await),
        None => None,
    };
    let secrets = Secrets::mounted(setup::changes(&sender, || Event::Secrets));
    let mut running = Running::new(Parts {
        agent,
        servers: Servers::new(setup::changes(&sender, || Event::Servers)),
        events,
        sender,
        store: Store::Cluster(Box::new(store)),
        secrets,
        sink: Sink::stdout(&args.name, Output::Ndjson, args.verbose),
        metrics,
        readiness,
        default_model: setup::default_model()?,
        cluster_id: env::var(contract::CLUSTER_ID_ENV).ok(),
        channels,
        session,
        console: false,
        only: None,
        history: None,
    });
    for event in early {
        running.handle(Some(event));
    }
    running.run().await;
    Ok(0)
}

/// Opens the session. A pod that was deleted by force still ends on its node when this one starts, and holds the folder
/// until then.
async fn open_session(folder: &Path) -> Result<Opened, session::Error> {
    let patience = Instant::now() + Duration::from_secs(contract::TERMINATION_GRACE_SECONDS.into());
    loop {
        match Session::open(folder) {
            Err(session::Error::InUse { .. }) if Instant::now() < patience => sleep(RETRY).await,
            opened => return opened,
        }
    }
}

/// Waits for the Agent, which decides how the agent is made; what comes before it is kept. None: the end came first.
async fn first(events: &mut mpsc::Receiver<Event>) -> Option<(Box<asyncai_crds::Agent>, Vec<Event>)> {
    let mut early = Vec::new();
    loop {
        match events.recv().await? {
            Event::Agent(agent) => return Some((agent, early)),
            Event::Stop => return None,
            Event::AgentGone => {}
            event => early.push(event),
        }
    }
}
