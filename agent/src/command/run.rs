//! `asyncai run`: the agent without a cluster, from the same manifests.

use anyhow::{Result, bail};
use asyncai_crds::{Agent, Watch, support};
use asyncai_mcp::Servers;
use kube::ResourceExt;
use tokio::sync::mpsc;

use super::USAGE;
use crate::agent::{Parts, QUEUE, Running};
use crate::args::RunArgs;
use crate::channel::console;
use crate::event::Event;
use crate::fleet::Fleet;
use crate::manifest;
use crate::metrics::Metrics;
use crate::output::Sink;
use crate::secrets::Secrets;
use crate::serve::Readiness;
use crate::store::{Store, local};

/// Runs until stdin has ended and the agent is idle, or until a signal.
pub(crate) async fn run(args: RunArgs) -> Result<u8> {
    let stop = super::stop_signal()?;
    let mut fleet = Fleet::new(&manifest::read(&args.files)?);
    let Some((agent, watches)) = choose(&mut fleet) else {
        for problem in &fleet.problems {
            eprintln!("{problem}");
        }
        return Ok(1);
    };
    if let Some(unknown) = args.channels.iter().find(|channel| *channel != console::NAME) {
        eprintln!("unknown channel {unknown:?}; the agent {} has: {}", agent.name_any(), console::NAME);
        return Ok(USAGE);
    }
    let default_model = super::agent::default_model()?;
    if agent.spec.model.is_none() && default_model.is_none() {
        bail!("the Agent {} names no model: set spec.model, with provider Relay to do without one", agent.name_any());
    }
    let store = local::Store::open(args.state_dir, agent, watches)?;
    let (agent, watches) = store.objects();
    let (agent, watches) = (Box::new(agent.clone()), watches.to_vec());
    let (sender, events) = mpsc::channel(QUEUE);
    forward_stop(stop, sender.clone());
    let mut sink = Sink::stdout(&agent.name_any(), args.output, args.verbose);
    sink.say(&format!("# agent {} with {} watches; /help lists the commands", agent.name_any(), watches.len()));
    let running = Running::new(Parts {
        agent,
        servers: servers(&sender),
        events,
        sender: sender.clone(),
        store: Store::Local(Box::new(store)),
        secrets: Secrets::given(std::mem::take(&mut fleet.secrets))?,
        sink,
        metrics: Metrics::new()?,
        readiness: Readiness::default(),
        default_model,
        cluster_id: None,
        console: true,
    });
    tokio::spawn(tell(watches, sender));
    running.run().await;
    Ok(0)
}

/// The one agent and its watches; None if something is wrong, which then stands among the problems.
fn choose(fleet: &mut Fleet) -> Option<(Agent, Vec<Watch>)> {
    let names = fleet.agents.iter().map(ResourceExt::name_any).collect::<Vec<_>>();
    if !fleet.problems.is_empty() {
        return None;
    }
    let [agent] = fleet.agents.as_slice() else {
        let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        eprintln!("expected one Agent among the manifests, found {found}");
        return None;
    };
    let mut bad = false;
    for unsupported in support::agent(&agent.spec) {
        eprintln!("Agent {}: {unsupported}", agent.name_any());
        bad = true;
    }
    for watch in fleet.watches.iter().filter(|watch| watch.spec.agent_ref.name != names[0]) {
        let wanted = &watch.spec.agent_ref.name;
        eprintln!("Watch {}: spec.agentRef.name: there is no Agent {wanted:?}, only {:?}", watch.name_any(), names[0]);
        bad = true;
    }
    (!bad).then(|| (agent.clone(), std::mem::take(&mut fleet.watches)))
}

/// Tells the agent of its watches, as the store of a cluster does.
async fn tell(watches: Vec<Watch>, events: mpsc::Sender<Event>) {
    for watch in watches {
        if events.send(Event::Watch(Box::new(watch))).await.is_err() {
            return;
        }
    }
    let _ = events.send(Event::Listed).await;
}

/// An empty set of servers whose changes reach the loop.
pub(super) fn servers(events: &mpsc::Sender<Event>) -> Servers {
    let (sender, mut changes) = mpsc::channel(1);
    let events = events.clone();
    tokio::spawn(async move { while changes.recv().await.is_some() && events.send(Event::Servers).await.is_ok() {} });
    Servers::new(sender)
}

/// The first signal ends the agent in order.
pub(super) fn forward_stop(stop: impl Future<Output = ()> + Send + 'static, events: mpsc::Sender<Event>) {
    tokio::spawn(async move {
        stop.await;
        let _ = events.send(Event::Stop).await;
    });
}
