//! Performs the turn engine's runs of code, all in one REPL: what one defines the next can use.

use std::sync::Arc;

use asyncai_orchestrator::Input;
use asyncai_repl::{Limits, Session};
use tokio::sync::{Mutex, mpsc};
use tokio::task::AbortHandle;

use crate::event::Event;
use crate::python::catalogue::Current;
use crate::python::host::Host;

/// The REPL of the thread, and the code that runs in it.
pub(crate) struct Code {
    session: Arc<Mutex<Session>>,
    catalogue: Current,
    host: Host,
    events: mpsc::Sender<Event>,
    active: Option<(u64, AbortHandle)>,
}

impl Code {
    pub(crate) fn new(catalogue: Current, host: Host, events: mpsc::Sender<Event>) -> Self {
        let session = Arc::new(Mutex::new(Session::new(Limits::code())));
        Self { session, catalogue, host, events, active: None }
    }

    /// Runs `source` for a call of the model.
    pub(crate) fn run(&mut self, run: u64, call: String, source: String) {
        let (session, events) = (Arc::clone(&self.session), self.events.clone());
        let (catalogue, host) = (self.catalogue.get(), self.host.clone());
        let task = tokio::spawn(async move {
            let outcome = session.lock().await.run(&source, &catalogue, &host).await;
            let _ = events.send(Event::Turns(Input::CodeRan { run, call, text: outcome.text() })).await;
        });
        self.active = Some((run, task.abort_handle()));
    }

    /// Aborts what runs for `run`.
    pub(crate) fn cancel(&mut self, run: u64) {
        if let Some((_, task)) = self.active.take_if(|(active, _)| *active == run) {
            task.abort();
        }
    }
}
