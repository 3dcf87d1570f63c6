//! The agent's loop: one event at a time goes to the engines, and what they put out is performed.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use asyncai_crds::agent::Model;
use asyncai_crds::{Agent, Watch, support};
use asyncai_mcp::Servers;
use asyncai_orchestrator::{self as turns, Orchestrator};
use asyncai_watch::{self as watch, Set};
use kube::ResourceExt;
use tokio::sync::mpsc;

use crate::channel::Channels;
use crate::driver::code::Code;
use crate::driver::filter::Filters;
use crate::driver::turn::{Calls, OrchestratorHandle};
use crate::driver::watch::Subscriptions;
use crate::event::Event;
use crate::metrics::Metrics;
use crate::output::Sink;
use crate::python::catalogue::Current;
use crate::python::host::Host;
use crate::report::Report;
use crate::roster::{Roster, Saved};
use crate::secrets::Secrets;
use crate::serve::Readiness;
use crate::servers::Connections;
use crate::session::{self, Opened, Session};
use crate::settings::Settings;
use crate::store::Store;

mod commands;
mod perform;
mod speaking;
mod watching;

/// What a turn that is under way when the agent must end gets, out of the pod's grace period.
const LAST_TURN: Duration = Duration::from_secs(12);
/// What the last reads get.
const LAST_READS: Duration = Duration::from_secs(5);
/// What the last replies get to be posted.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// What the last writes get.
const LAST_WRITES: Duration = Duration::from_secs(5);
/// Events that wait: enough for a burst, and a bound on memory.
pub(crate) const QUEUE: usize = 1024;

/// What an agent is started with.
pub(crate) struct Parts {
    pub(crate) agent: Box<Agent>,
    pub(crate) events: mpsc::Receiver<Event>,
    pub(crate) sender: mpsc::Sender<Event>,
    pub(crate) store: Store,
    pub(crate) secrets: Secrets,
    pub(crate) sink: Sink,
    pub(crate) metrics: Metrics,
    pub(crate) readiness: Readiness,
    pub(crate) servers: Servers,
    /// Stands in where the Agent names no model.
    pub(crate) default_model: Option<Model>,
    /// What tells the cluster apart in which this program runs.
    pub(crate) cluster_id: Option<String>,
    pub(crate) channels: Channels,
    /// The session to go on with; None: none is kept.
    pub(crate) session: Option<Result<Opened, session::Error>>,
    /// Whether the terminal is a channel.
    pub(crate) console: bool,
    /// The channels of the spec to which the command line restricts the agent, the default one first.
    pub(crate) only: Option<Vec<String>>,
    /// Where lines that are typed are remembered.
    pub(crate) history: Option<PathBuf>,
}

/// The terminal's life.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Terminal {
    /// There is none, or the watches are not known yet.
    Idle,
    /// It is read when every watch has started or failed, so that what is typed counts as a change to what they saw.
    Waiting,
    /// Lines come.
    Open,
    /// No more will.
    Closed,
}

/// A running agent.
pub(crate) struct Running {
    agent: Box<Agent>,
    name: String,
    settings: Settings,
    /// What a call of the model needs, as it was when the settings were applied.
    model: Option<Result<asyncai_model::Config, String>>,
    events: mpsc::Receiver<Event>,
    sender: mpsc::Sender<Event>,
    watches: Set,
    turns: Orchestrator,
    roster: Roster,
    report: Report,
    subscriptions: Subscriptions,
    calls: Calls,
    /// What Python may call.
    catalogue: Current,
    filters: Filters,
    code: Code,
    /// Watches that the model waits for.
    starting: watching::Startings,
    servers: Servers,
    connections: Connections,
    store: Store,
    session: Option<Session>,
    secrets: Secrets,
    sink: Sink,
    metrics: Metrics,
    readiness: Readiness,
    default_model: Option<Model>,
    channels: Channels,
    console: bool,
    only: Option<Vec<String>>,
    history: Option<PathBuf>,
    terminal: Terminal,
    /// Tool calls that were typed and have not returned.
    calls_typed: usize,
    /// A limit of the model holds turns back.
    throttled: bool,
    /// The end was asked for.
    stopping: bool,
    finished: bool,
}

impl Running {
    pub(crate) fn new(parts: Parts) -> Self {
        let (now, wall) = (Instant::now(), SystemTime::now());
        let report = Report::new(parts.agent.status.as_ref());
        // Only spreads reconnects of many agents over time.
        let seed = wall.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos().into());
        let handle = OrchestratorHandle::new(parts.sender.clone());
        let catalogue = Current::default();
        let host = Host::new(parts.servers.clone(), parts.sender.clone());
        let mut running = Self {
            name: parts.agent.name_any(),
            watches: Set::new(now, wall, seed),
            turns: Orchestrator::new(now, wall, turns::Config::default(), report.used()),
            roster: Roster::default(),
            report,
            subscriptions: Subscriptions::new(parts.servers.clone(), parts.sender.clone()),
            calls: Calls::new(handle),
            filters: Filters::new(parts.servers.clone(), catalogue.clone(), host.clone(), parts.sender.clone()),
            code: Code::new(catalogue.clone(), host, parts.sender.clone()),
            catalogue,
            starting: watching::Startings::new(),
            connections: Connections::new(parts.servers.clone(), parts.cluster_id),
            servers: parts.servers,
            settings: Settings::default(),
            model: None,
            agent: parts.agent,
            events: parts.events,
            sender: parts.sender,
            store: parts.store,
            session: None,
            secrets: parts.secrets,
            sink: parts.sink,
            metrics: parts.metrics,
            readiness: parts.readiness,
            default_model: parts.default_model,
            channels: parts.channels,
            console: parts.console,
            only: parts.only,
            history: parts.history,
            terminal: Terminal::Idle,
            calls_typed: 0,
            throttled: false,
            stopping: false,
            finished: false,
        };
        let records = running.open_session(parts.session);
        running.configure();
        if let Some(records) = records {
            running.turns.handle(now, turns::Input::Restore(records));
        }
        running
    }

    /// Runs until the agent is stopped, or has nothing more to do.
    pub(crate) async fn run(mut self) {
        self.drain().await;
        while !self.finished {
            let wake = self.next_wake();
            let event = tokio::select! {
                event = self.events.recv() => event,
                () = sleep_until(wake) => None,
            };
            self.handle(event);
            // A burst is taken in as a whole before anything is put out, so that it costs one read and one write.
            for _ in 0..QUEUE {
                let Ok(event) = self.events.try_recv() else { break };
                self.handle(Some(event));
            }
            self.drain().await;
        }
        self.channels.close(LAST_WORDS).await;
        self.servers.close().await;
        if let Some(status) = self.report.write(Instant::now(), SystemTime::now(), true) {
            self.store.save_agent(status);
        }
        self.store.flush(LAST_WRITES).await;
    }

    fn next_wake(&self) -> Option<Instant> {
        [self.watches.next_wake(), self.turns.next_wake(), self.report.next_wake()].into_iter().flatten().min()
    }

    /// Takes in an event; None: the time of `next_wake` has come.
    pub(crate) fn handle(&mut self, event: Option<Event>) {
        let now = Instant::now();
        match event {
            None => self.wake(now),
            Some(Event::Agent(agent)) => {
                self.agent = agent;
                self.configure();
            }
            Some(Event::Secrets) => self.configure(),
            Some(Event::Watch(watch)) => self.take(&watch),
            Some(Event::WatchGone(uid)) => {
                let input = self.roster.remove(&uid);
                self.watches.handle(now, input);
                self.gone(&watch::Id::from(uid.as_str()));
                self.store.forget_watch(&uid);
            }
            Some(Event::Manifests(agent, watches, secrets)) => {
                if let Some(secrets) = secrets {
                    self.secrets = secrets;
                    self.configure();
                }
                for event in self.store.take(*agent, watches) {
                    self.handle(Some(event));
                }
            }
            Some(Event::Listed) => {
                self.readiness.set(true);
                self.terminal = if self.console { Terminal::Waiting } else { Terminal::Idle };
                self.watches.handle(now, watch::Input::Loaded);
                if !self.watches.is_restoring() {
                    self.start();
                }
            }
            Some(Event::Watches(input)) => self.watches_heard(now, *input),
            Some(Event::Turns(input)) => self.turns.handle(now, input),
            Some(Event::Servers) => self.servers_changed(now),
            Some(Event::Settled) => {
                self.servers_changed(now);
                self.turns.handle(now, turns::Input::Start);
            }
            Some(Event::Request(request)) => self.requested(*request),
            Some(Event::Readable(readable)) => {
                let (watch, old, start, answer) = *readable;
                self.save_watch(watch, old, start, answer);
            }
            Some(Event::Saved(saved)) => {
                let (start, answer, saved) = *saved;
                self.saved(start, answer, saved);
            }
            Some(Event::Incoming(message)) => self.heard(message),
            Some(Event::Channels) => self.report.channels = self.channels.status(),
            Some(Event::Console(line)) => self.typed(line),
            Some(Event::Called(line)) => self.called(&line),
            Some(Event::ConsoleClosed) => {
                self.terminal = Terminal::Closed;
                self.watches.handle(now, watch::Input::Refresh);
                self.tell_pending();
                self.turns.handle(now, turns::Input::Eof);
            }
            Some(Event::Stop | Event::AgentGone) => self.stop(now),
        }
    }

    /// Keeps the session from now on. The records of an earlier process, to go on with.
    fn open_session(&mut self, session: Option<Result<Opened, session::Error>>) -> Option<Vec<turns::Record>> {
        match session? {
            Ok(Opened { session, records, problems }) => {
                for problem in problems {
                    tracing::warn!(problem, "the session was not whole");
                }
                self.session = Some(session);
                Some(records)
            }
            Err(error) => {
                self.session_fails(&error);
                None
            }
        }
    }

    fn session_fails(&mut self, error: &session::Error) {
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
        self.report.session = Some(format!("{error}{cause}; a restart forgets the conversation"));
    }

    fn watches_heard(&mut self, now: Instant, input: watch::Input) {
        if matches!(input, watch::Input::Filtered { result: Err(_), .. }) {
            self.metrics.filter_errors.inc();
        }
        self.watches.handle(now, input);
    }

    fn servers_changed(&mut self, now: Instant) {
        self.report.servers = self.servers.status();
        if self.catalogue.refresh(&self.servers) {
            self.watches.handle(now, watch::Input::Recheck);
        }
    }

    /// The watches of before are there again, or have failed: turns may begin, once it is known what code can call.
    fn start(&self) {
        let (servers, events) = (self.servers.clone(), self.sender.clone());
        tokio::spawn(async move {
            servers.settled().await;
            let _ = events.send(Event::Settled).await;
        });
    }

    /// The end, in order; asked again, at once.
    fn stop(&mut self, now: Instant) {
        self.readiness.set(false);
        let again = std::mem::replace(&mut self.stopping, true);
        if !again && self.console {
            self.sink.say("# ending in order; once more ends at once");
        }
        self.turns.handle(now, turns::Input::Stop { deadline: if again { now } else { now + LAST_TURN } });
        if again {
            self.watches.handle(now, watch::Input::Stop { deadline: now });
        }
    }

    fn wake(&mut self, now: Instant) {
        self.watches.handle(now, watch::Input::Wake);
        self.turns.handle(now, turns::Input::Wake);
    }

    /// Applies what the Agent says now, or what its Secrets hold now.
    fn configure(&mut self) {
        let model_before = self.model.take();
        let channel = self.open_channels();
        let channel = channel.as_deref();
        let mut settings = Settings::new(&self.agent.spec, self.default_model.as_ref(), &self.secrets, channel);
        // The operator says so in the status; a pod of before must not go on as if it did not matter.
        settings.turns.suspend |= !support::agent(&self.agent.spec).is_empty();
        // A key that is not there yet may come: what a call without it would cost is not spent.
        let model = settings.model(&self.secrets);
        settings.turns.suspend |= !settings.turns.relay && model.is_err();
        settings.turns.persistent = self.session.is_some();
        self.connections.apply(&settings.servers);
        let now = Instant::now();
        self.watches.handle(now, watch::Input::Limit(settings.max_watches));
        self.turns.handle(now, turns::Input::Config(settings.turns.clone()));
        self.model = Some(model);
        if model_before != self.model {
            self.turns.handle(now, turns::Input::ModelChanged);
        }
        self.report.generation = self.agent.metadata.generation.unwrap_or_default();
        self.report.missing.clone_from(&settings.missing);
        self.report.servers = self.servers.status();
        self.report.channels = self.channels.status();
        self.settings = settings;
        self.hold();
    }

    /// While no turn begins, lines merge in their watches rather than pile up as notices.
    fn hold(&mut self) {
        let held = self.throttled || self.settings.turns.suspend;
        self.watches.handle(Instant::now(), watch::Input::Hold(held));
    }

    fn take(&mut self, watch: &Watch) {
        let input = self.roster.take(&self.name, watch);
        self.watches.handle(Instant::now(), input);
    }

    fn save(&mut self, saved: Option<Saved>) {
        if let Some(Saved { uid, name, status }) = saved {
            self.store.save_watch(&uid, &name, status);
        }
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
