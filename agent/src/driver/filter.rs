//! Performs the watch engine's checks and runs of filters: each watch has its own, which runs beside the turns.

use std::collections::HashMap;

use asyncai_mcp::Servers;
use asyncai_repl::{EventError, Filter, Limits};
use asyncai_watch::{FilterError, Id, Input};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::event::Event;
use crate::python::catalogue::Current;
use crate::python::host::Host;

/// The filters of the watches.
pub(crate) struct Filters {
    servers: Servers,
    catalogue: Current,
    host: Host,
    events: mpsc::Sender<Event>,
    /// The source that was checked last.
    sources: HashMap<Id, String>,
    open: HashMap<Id, Open>,
}

/// A filter that runs. Dropping the queue ends it once its events are answered, aborting it at once.
struct Open {
    queue: mpsc::UnboundedSender<(u64, String)>,
    task: AbortHandle,
}

impl Filters {
    pub(crate) fn new(servers: Servers, catalogue: Current, host: Host, events: mpsc::Sender<Event>) -> Self {
        Self { servers, catalogue, host, events, sources: HashMap::new(), open: HashMap::new() }
    }

    /// Checks `source`; what runs for the watch until now is ended.
    pub(crate) fn check(&mut self, id: Id, ticket: u64, source: &str) {
        self.open.remove(&id);
        self.sources.insert(id.clone(), source.to_owned());
        let (servers, host, events) = (self.servers.clone(), self.host.clone(), self.events.clone());
        let source = source.to_owned();
        tokio::spawn(async move {
            // Which names there are is known when the servers are.
            servers.settled().await;
            let result = host.check(&source).await;
            let _ = events.send(Event::watches(Input::Checked { id, ticket, result })).await;
        });
    }

    /// Gives the filter of a watch an event.
    pub(crate) fn run(&mut self, id: Id, ticket: u64, event: String) {
        let (catalogue, host, events) = (&self.catalogue, &self.host, &self.events);
        let source = self.sources.get(&id).cloned().unwrap_or_default();
        let open = self.open.entry(id.clone()).or_insert_with(|| {
            let (queue, waiting) = mpsc::unbounded_channel();
            let filter = Filter::new(source, Limits::filter());
            let serving = serve(filter, id, waiting, catalogue.clone(), host.clone(), events.clone());
            Open { queue, task: tokio::spawn(serving).abort_handle() }
        });
        // The engine has at most a hundred events with a filter.
        let _ = open.queue.send((ticket, event));
    }

    /// Ends the filter of a watch once its events are answered.
    pub(crate) fn end(&mut self, id: &Id) {
        self.open.remove(id);
    }

    /// Forgets a watch: nobody waits for its filter any more.
    pub(crate) fn forget(&mut self, id: &Id) {
        if let Some(open) = self.open.remove(id) {
            open.task.abort();
        }
        self.sources.remove(id);
    }
}

async fn serve(
    mut filter: Filter,
    id: Id,
    mut waiting: mpsc::UnboundedReceiver<(u64, String)>,
    catalogue: Current,
    host: Host,
    events: mpsc::Sender<Event>,
) {
    while let Some((ticket, event)) = waiting.recv().await {
        let result = filter.event(&event, &catalogue.get().read_only(), &host).await;
        let result = result.map_err(|EventError { message, traceback, .. }| FilterError { message, traceback });
        if events.send(Event::watches(Input::Filtered { id: id.clone(), ticket, result })).await.is_err() {
            return;
        }
    }
}
