//! `asyncai run`: the agent without a cluster, from the same manifests.

use std::path::Path;

use anyhow::{Result, bail};
use asyncai_crds::{Agent, Watch};
use asyncai_mcp::Servers;
use kube::ResourceExt;
use tokio::sync::mpsc;

use super::setup;
use crate::agent::{Parts, QUEUE, Running};
use crate::args::RunArgs;
use crate::channel::{Channels, console, spec};
use crate::event::Event;
use crate::fleet::Fleet;
use crate::metrics::Metrics;
use crate::output::Sink;
use crate::secrets::Secrets;
use crate::serve::Readiness;
use crate::session::Session;
use crate::store::Store;
use crate::store::local::folder::{self, Made};
use crate::store::local::{self, manifests};

/// The command line names something that is not there.
const USAGE: u8 = 2;

/// Runs until stdin has ended and the agent is idle, or until a signal.
pub(crate) async fn run(args: RunArgs) -> Result<u8> {
    let stop = setup::stop_signals()?;
    let made = Made::open(args.state_dir.as_deref())?;
    let made_folder = made.folder().to_path_buf();
    let fleet = Fleet::new(folder::read(&args.files, &made_folder));
    let (agent, watches) = match fleet.single() {
        Ok(single) => single,
        Err(problems) => {
            for problem in problems {
                eprintln!("{problem}");
            }
            return Ok(1);
        }
    };
    let only = match only(&args, &agent) {
        Ok(only) => only,
        Err(wrong) => {
            eprintln!("{wrong}");
            return Ok(USAGE);
        }
    };
    let default_model = setup::default_model()?;
    if agent.spec.model.is_none() && default_model.is_none() {
        bail!("the Agent {} names no model: set spec.model, with provider Relay to do without one", agent.name_any());
    }
    let history = args.state_dir.as_ref().map(|folder| folder.join("history"));
    let session = args.state_dir.as_deref().map(|state| Session::open(&state.join("session")));
    let store = local::Store::open(args.state_dir, made, agent, watches)?;
    let (agent, watches) = store.objects();
    let (agent, watches) = (Box::new(agent.clone()), watches.to_vec());
    let (sender, events) = mpsc::channel(QUEUE);
    setup::forward_stop(stop, sender.clone());
    let mut sink = Sink::stdout(&agent.name_any(), args.output, args.verbose);
    sink.say(&format!("# agent {} with {} watches; /help lists the commands", agent.name_any(), watches.len()));
    let changes = setup::changes(&sender, || Event::Channels);
    let running = Running::new(Parts {
        agent,
        servers: Servers::new(setup::changes(&sender, || Event::Servers)),
        events,
        sender: sender.clone(),
        store: Store::Local(Box::new(store)),
        secrets: Secrets::given(fleet.secrets.clone())?,
        channels: Channels::new(sender.clone(), changes, None, sink.screen()),
        sink,
        metrics: Metrics::new()?,
        readiness: Readiness::default(),
        default_model,
        cluster_id: None,
        session,
        console: only.as_ref().is_none_or(|only| only.iter().any(|name| name == console::NAME)),
        only,
        history,
    });
    let _follower = manifests::follow(args.files, made_folder, fleet.secrets, sender.clone())?;
    tokio::spawn(tell(watches, sender));
    running.run().await;
    Ok(0)
}

/// The channels to which the command line restricts the agent; an error if that, or what goes with it, makes no sense.
fn only(args: &RunArgs, agent: &Agent) -> Result<Option<Vec<String>>, String> {
    if let Some(folder) = args.files.iter().find(|path| holds(path, args.state_dir.as_deref())) {
        return Err(format!("--state-dir must not be inside {}, from which manifests are read", folder.display()));
    }
    let only = spec::select(&agent.name_any(), &agent.spec, &args.channels).map_err(|unknown| unknown.to_string())?;
    Ok(Some(only).filter(|only| !only.is_empty()))
}

/// Whether `state` is, or will be, inside the folder `path`.
fn holds(path: &Path, state: Option<&Path>) -> bool {
    let state = state.and_then(|state| state.ancestors().find_map(|part| part.canonicalize().ok()));
    path.is_dir() && path.canonicalize().is_ok_and(|path| state.is_some_and(|state| state.starts_with(path)))
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
