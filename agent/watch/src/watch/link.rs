//! The subscription of a watch and the reads over it.

use std::time::Instant;

use super::{Trouble, Watch};
use crate::failure::Failure;
use crate::health::Health;
use crate::line::single;
use crate::log::Event;
use crate::output::Output;
use crate::spec::Spec;
use crate::world::World;

/// The subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// None is wanted.
    Off,
    /// Asked for.
    Asked(u64),
    /// Acknowledged; the first read is not done.
    Acknowledged(u64),
    /// Acknowledged and read.
    Live(u64),
    /// It will be asked for at this time.
    Waiting(Instant),
}

impl Link {
    pub(super) fn is_subscribed(self, ticket: u64) -> bool {
        matches!(self, Self::Acknowledged(of) | Self::Live(of) if of == ticket)
    }
}

impl Watch {
    pub(super) fn turn_on(&mut self, world: &mut World) {
        if !std::mem::replace(&mut self.started, true) {
            world.log(Event::Started { watch: self.spec.name.clone(), uri: self.spec.uri.clone() });
        }
        self.health = Health::default();
        self.subscribe(world);
    }

    pub(super) fn turn_off(&mut self, world: &mut World) {
        self.unsubscribe(world);
        self.link = Link::Off;
        self.trouble = None;
        self.throttled = false;
    }

    pub(super) fn subscribe(&mut self, world: &mut World) {
        let ticket = world.ticket();
        self.link = Link::Asked(ticket);
        let Spec { id, uri, server, .. } = self.spec.clone();
        world.output(Output::Subscribe { id, ticket, uri, server });
    }

    pub(super) fn unsubscribe(&mut self, world: &mut World) {
        (self.reading, self.dirty) = (None, false);
        if !matches!(self.link, Link::Off | Link::Waiting(_)) {
            world.output(Output::Unsubscribe(self.spec.id.clone()));
        }
    }

    pub(super) fn request_read(&mut self, world: &mut World) {
        let readable = matches!(self.link, Link::Acknowledged(_) | Link::Live(_));
        if !self.dirty || !readable || self.reading.is_some() || self.pipeline.is_full() {
            return;
        }
        self.dirty = false;
        let ticket = world.ticket();
        self.reading = Some(ticket);
        world.output(Output::Read {
            id: self.spec.id.clone(),
            ticket,
            uri: self.spec.uri.clone(),
            server: self.server.clone(),
            since: self.reader.since(self.spec.initial),
        });
    }

    /// There is no subscription any more.
    pub(super) fn fail(&mut self, world: &mut World, mut failure: Failure) {
        failure.message = single(&failure.message);
        (self.reading, self.dirty) = (None, false);
        let setback = self.health.down(world.now, failure.kind.is_an_answer(), &mut world.random);
        self.link = Link::Waiting(world.now + setback.delay);
        let restore_failed = self.restore.failed(&failure, setback.attempt);
        let (watch, message) = (self.spec.name.clone(), failure.message.clone());
        if setback.tell || restore_failed {
            world.log(Event::Failed { watch: watch.clone(), message: message.clone() });
        }
        if restore_failed {
            // The restore notice tells it.
            self.health.told();
        } else if setback.tell {
            self.pipeline.tell(world, single(&format!("ERROR the watch failed, and tries again: {message}")));
        }
        let (attempt, delay_seconds) = (setback.attempt, setback.delay.as_secs());
        world.log(Event::Resubscribing { watch, attempt, delay_seconds, message });
        self.trouble = Some(Trouble { failure, setback });
    }

    pub(super) fn is_back(&mut self, world: &mut World) {
        if self.trouble.take().is_some() && self.health.has_lived() {
            self.pipeline.count_resubscribe();
        }
        self.restore.done();
        if self.health.up(world.now) {
            self.tell_back(world);
        }
    }

    pub(super) fn tell_back(&mut self, world: &mut World) {
        self.pipeline.tell(world, "RECOVERED the watch is live again".to_owned());
    }
}
