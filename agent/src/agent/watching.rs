//! What the model asks of its watches: to start, stop and list them.

use std::collections::HashMap;

use asyncai_crds::{Watch, WatchSpec};
use asyncai_repl::{CallError, Exception};
use asyncai_watch::{Id, Listed, Origin, Phase, Shape, Status};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::Running;
use crate::conditions;
use crate::driver::turn::OrchestratorHandle;
use crate::event::Event;
use crate::python::host::{Answer, Request, Start, What};
use crate::store::made;

/// A watch that the model waits for: it is saved, and has neither started nor failed yet.
pub(super) struct Starting {
    start: Start,
    answer: oneshot::Sender<Answer>,
}

/// Those by their identity.
pub(super) type Startings = HashMap<Id, Starting>;

impl Running {
    pub(super) fn requested(&mut self, request: Request) {
        let Request { what, answer } = request;
        match what {
            What::List => {
                let watches = self.watches.list();
                let _ = answer.send(Ok(watches.iter().map(listed).collect()));
            }
            What::Stop { name } => self.stop_watch(name, answer),
            What::Start(start) => self.start_watch(start, answer),
        }
    }

    fn start_watch(&mut self, start: Start, answer: oneshot::Sender<Answer>) {
        let old = match self.may_start(&start) {
            Ok(old) => old,
            Err(message) => return refuse(answer, message),
        };
        let watch = match made::watch(&self.agent, &start.name, spec(&start)) {
            Ok(watch) => watch,
            Err(message) => return refuse(answer, message),
        };
        // What runs is given up only for what can be read.
        let moved =
            old.as_ref().is_some_and(|id| self.roster.spec(id.as_str()).is_some_and(|old| old.uri != start.uri));
        if !moved {
            return self.save_watch(watch, old, start, answer);
        }
        let (servers, events) = (self.servers.clone(), self.sender.clone());
        tokio::spawn(async move {
            match servers.read(&start.uri, start.server.as_deref(), None).await {
                Ok(_) => drop(events.send(Event::Readable(Box::new((watch, old, start, answer)))).await),
                Err(error) => refuse(answer, format!("{error}; the watch of before goes on")),
            }
        });
    }

    /// Saves the object of a watch, in place of the one of `old`.
    pub(super) fn save_watch(&mut self, watch: Watch, old: Option<Id>, start: Start, answer: oneshot::Sender<Answer>) {
        let (news, saving) = self.store.create_watch(watch, old.map(|id| id.to_string()));
        let events = self.sender.clone();
        tokio::spawn(async move {
            let saved = saving.await;
            let _ = events.send(Event::Saved(Box::new((start, answer, saved)))).await;
        });
        for event in news {
            self.handle(Some(event));
        }
    }

    /// The watch that the new one replaces.
    fn may_start(&self, start: &Start) -> Result<Option<Id>, String> {
        conditions::may_manage(&self.agent)?;
        if !is_name(&start.name) {
            return Err(format!(
                "{:?} is no name for a watch: at most 63 lower case letters, digits and -, a letter or digit at both ends",
                start.name
            ));
        }
        let watches = self.watches.list();
        let (of_people, old) = named(&watches, &start.name);
        if of_people.is_some() {
            return Err(format!(
                "the watch {:?} was made by people, who alone change it; take another name",
                start.name
            ));
        }
        let most = usize::try_from(self.settings.max_watches).unwrap_or(usize::MAX);
        if old.is_none() && watches.len() >= most {
            let names: Vec<&str> = watches.iter().map(|watch| watch.name.as_str()).collect();
            let names = names.join(", ");
            return Err(format!("there are {} watches of at most {most}: {names}; stop one first", watches.len()));
        }
        Ok(old.map(|watch| watch.id.clone()))
    }

    /// The object of a new watch is saved, or is not.
    pub(super) fn saved(&mut self, start: Start, answer: oneshot::Sender<Answer>, saved: Result<String, String>) {
        let id = match saved {
            Ok(uid) => Id::from(uid),
            Err(message) => return refuse(answer, format!("the watch cannot be saved: {message}")),
        };
        let known = self.watches.list().into_iter().find(|watch| watch.id == id);
        if let Some(Starting { answer, .. }) = self.starting.insert(id.clone(), Starting { start, answer }) {
            refuse(answer, "another watch of this name was started meanwhile".to_owned());
        }
        if let Some(watch) = known {
            self.settle(&id, &watch.phase, watch.shape);
        }
    }

    /// A watch that the model waits for may have started, or failed.
    pub(super) fn decide(&mut self, status: &Status) {
        self.settle(&status.id, &status.phase, status.shape);
    }

    fn settle(&mut self, id: &Id, phase: &Phase, shape: Option<Shape>) {
        let failure = match phase {
            Phase::Connecting | Phase::Resubscribing { .. } => return,
            Phase::Subscribed | Phase::Suspended => None,
            Phase::Refused { maximum } => Some(format!("there may be no more than {maximum} watches")),
            Phase::InvalidFilter { message } => Some(message.clone()),
            Phase::Failed { failure, .. } => Some(failure.message.clone()),
        };
        let Some(Starting { start, answer }) = self.starting.remove(id) else { return };
        match failure {
            // The run that asked has ended, and the model was told that it failed.
            _ if answer.is_closed() => self.discard(id),
            None => {
                let _ = answer.send(Ok(json!({"name": start.name, "uri": start.uri, "shape": shape.map(word)})));
            }
            Some(message) => {
                self.discard(id);
                refuse(answer, message);
            }
        }
    }

    fn stop_watch(&mut self, name: String, answer: oneshot::Sender<Answer>) {
        let watches = self.watches.list();
        let watch = match named(&watches, &name) {
            (_, Some(watch)) => watch,
            (Some(_), None) => {
                return refuse(answer, format!("the watch {name:?} was made by people, who alone stop it"));
            }
            (None, None) => return drop(answer.send(Ok(Value::Bool(false)))),
        };
        let deleting = self.delete(&watch.id.clone());
        tokio::spawn(async move {
            match deleting.await {
                Ok(()) => drop(answer.send(Ok(Value::Bool(true)))),
                Err(message) => refuse(answer, format!("the watch {name:?} cannot be deleted: {message}")),
            }
        });
    }

    /// A watch exists no longer.
    pub(super) fn gone(&mut self, id: &Id) {
        self.filters.forget(id);
        if let Some(Starting { answer, .. }) = self.starting.remove(id) {
            refuse(answer, "the watch was deleted before it had started".to_owned());
        }
    }

    fn delete(&mut self, id: &Id) -> BoxFuture<'static, Result<(), String>> {
        let name = self.roster.name(id.as_str()).unwrap_or_default().to_owned();
        let (news, deleting) = self.store.delete_watch(&name, id.as_str());
        for event in news {
            self.handle(Some(event));
        }
        deleting
    }

    /// Deletes a watch of the model that is of no use.
    pub(super) fn discard(&mut self, id: &Id) {
        let deleting = self.delete(id);
        let (id, handle) = (id.clone(), OrchestratorHandle::new(self.sender.clone()));
        tokio::spawn(async move {
            if let Err(message) = deleting.await {
                let text = format!("the watch {id}, which cannot start, is there still: {message}");
                handle.notice_tx("watches", &text).await;
            }
        });
    }
}

/// What the object of the watch says; the rest is left at its defaults.
fn spec(start: &Start) -> WatchSpec {
    WatchSpec {
        server: start.server.clone(),
        on_event: start.on_event.clone(),
        instructions: start.instructions.clone(),
        ..WatchSpec::new("", &start.uri)
    }
}

fn refuse(answer: oneshot::Sender<Answer>, message: String) {
    let _ = answer.send(Err(CallError::new(Exception::RuntimeError, message)));
}

/// The watches of a name: that of people, and that of the model, which may have one of the same name.
fn named<'a>(watches: &'a [Listed], name: &str) -> (Option<&'a Listed>, Option<&'a Listed>) {
    let of = |origin| watches.iter().find(|watch| watch.name == name && watch.origin == origin);
    (of(Origin::Declared), of(Origin::Model))
}

/// Whether it may be part of an object's name.
fn is_name(name: &str) -> bool {
    let inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    let outer = |byte: Option<&u8>| byte.is_some_and(|byte| *byte != b'-');
    let bytes = name.as_bytes();
    bytes.len() <= 63 && bytes.iter().all(inner) && outer(bytes.first()) && outer(bytes.last())
}

/// A watch as `watch_list` shows it.
fn listed(watch: &Listed) -> Value {
    let mut shown = json!({
        "name": watch.name,
        "uri": watch.uri,
        "shape": watch.shape.map(word),
        "events": watch.counts.events,
        "notices": watch.counts.notices,
    });
    if watch.restore_failed {
        shown["restore_failed"] = Value::Bool(true);
    }
    shown
}

/// A shape as Python names it.
fn word(shape: Shape) -> &'static str {
    match shape {
        Shape::EventLog => "event-log",
        Shape::State => "state",
    }
}

#[cfg(test)]
mod tests;
