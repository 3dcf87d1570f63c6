//! One watch: its subscription, its reads, and what is made of them.

use std::time::Instant;

use crate::failure::{Failure, FailureKind};
use crate::health::{Health, Setback};
use crate::input::Contents;
use crate::line::single;
use crate::log::Event;
use crate::output::Output;
use crate::pipeline::Pipeline;
use crate::reader::Reader;
use crate::report::Reporter;
use crate::spec::Spec;
use crate::status::{Phase, Resume};
use crate::world::World;

mod shown;

/// A watch of the set.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) spec: Spec,
    /// The maximum that refuses it, if it is refused.
    refused: Option<u32>,
    started: bool,
    link: Link,
    /// The ticket of the read that is under way.
    reading: Option<u64>,
    /// The resource may have changed since the last read began.
    dirty: bool,
    health: Health,
    /// The last failure, until the watch is live again.
    trouble: Option<Trouble>,
    server: Option<String>,
    reader: Reader,
    pipeline: Pipeline,
    throttled: bool,
    reporter: Reporter,
    /// Whether it had to go on from an earlier process, and what came of it.
    restore: Restore,
    stop: Option<Stop>,
    /// When it has something to do by itself.
    wake: Option<Instant>,
}

/// The subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
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

#[derive(Clone, Debug)]
struct Trouble {
    failure: Failure,
    setback: Setback,
}

/// What came of a watch that an earlier process left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Restore {
    /// It is new.
    No,
    /// Nothing yet.
    Awaited,
    /// It runs.
    Done,
    /// It could not start at once.
    Failed,
}

/// How far the end of the process has come.
#[derive(Clone, Debug)]
enum Stop {
    /// The final read is under way, and waited for until then.
    Reading(Instant),
    /// Over; the watch was in this phase.
    Done(Phase),
}

impl Watch {
    pub(crate) fn new(spec: Spec, resume: Option<Resume>) -> Self {
        let resume = resume.unwrap_or_default();
        Self {
            spec,
            refused: None,
            started: false,
            link: Link::Off,
            reading: None,
            dirty: false,
            health: Health::default(),
            trouble: None,
            server: None,
            restore: if resume.cursor.is_some() { Restore::Awaited } else { Restore::No },
            pipeline: Pipeline::resume(&resume),
            reader: Reader::resume(resume.cursor, resume.baseline),
            throttled: false,
            reporter: Reporter::default(),
            stop: None,
            wake: None,
        }
    }

    /// Takes another spec for the same watch.
    pub(crate) fn respec(&mut self, world: &mut World, spec: Spec) {
        if self.spec.watches_another(&spec) {
            if self.is_wanted() {
                self.pipeline.send(world, &self.spec);
            }
            self.turn_off(world);
            if std::mem::take(&mut self.started) {
                world.log(Event::Stopped { watch: self.spec.name.clone() });
            }
            self.pipeline.afresh();
            self.reader = Reader::default();
            self.server = None;
        }
        self.spec = spec;
    }

    pub(crate) fn refuse(&mut self, maximum: Option<u32>) {
        self.refused = maximum;
    }

    /// The watch exists no longer.
    pub(crate) fn remove(mut self, world: &mut World) {
        self.turn_off(world);
        world.log(Event::Stopped { watch: self.spec.name });
    }

    pub(crate) fn acknowledged(&mut self, world: &mut World, ticket: u64, server: String) {
        if self.link != Link::Asked(ticket) {
            return;
        }
        world.log(Event::Subscribed { watch: self.spec.name.clone(), server: server.clone() });
        self.link = Link::Acknowledged(ticket);
        self.server = Some(server);
        self.dirty = true;
    }

    pub(crate) fn subscribe_failed(&mut self, world: &mut World, ticket: u64, failure: Failure) {
        if self.link == Link::Asked(ticket) {
            self.fail(world, failure);
        }
    }

    pub(crate) fn updated(&mut self, ticket: u64) {
        self.dirty |= self.link.is_subscribed(ticket);
    }

    pub(crate) fn ended(&mut self, world: &mut World, ticket: u64, message: String) {
        if self.link == Link::Asked(ticket) || self.link.is_subscribed(ticket) {
            self.fail(world, Failure { kind: FailureKind::ServerDown, message });
        }
    }

    pub(crate) fn read(&mut self, world: &mut World, ticket: u64, result: Result<Contents, Failure>) {
        if self.reading != Some(ticket) {
            return;
        }
        self.reading = None;
        let was_in_trouble = self.reader.trouble().is_some();
        let moment = world.moment();
        let entries = result.and_then(|contents| {
            let unusable = |message| Failure { kind: FailureKind::SourceError, message };
            self.reader.read(&contents, self.spec.initial, moment).map_err(unusable)
        });
        match entries {
            Ok(entries) => {
                self.pipeline.push(entries);
                if was_in_trouble && self.reader.trouble().is_none() {
                    self.pipeline.tell(world, "RECOVERED the source is live again".to_owned());
                }
                if let Link::Acknowledged(ticket) = self.link {
                    self.link = Link::Live(ticket);
                    self.is_back(world);
                }
            }
            Err(failure) => {
                self.unsubscribe(world);
                self.fail(world, failure);
            }
        }
    }

    pub(crate) fn filtered(&mut self, ticket: u64, result: Result<Option<String>, String>) {
        self.pipeline.filtered(ticket, result);
    }

    pub(crate) fn seen(&mut self, numbers: &[u64]) {
        self.pipeline.seen(numbers);
    }

    /// Reads once more.
    pub(crate) fn refresh(&mut self) {
        self.dirty |= matches!(self.link, Link::Live(_));
    }

    /// Whether a notice may still come of what has happened.
    pub(crate) fn is_busy(&self, held: bool) -> bool {
        let connecting = matches!(self.link, Link::Asked(_) | Link::Acknowledged(_));
        let reading = self.reading.is_some() || (self.dirty && matches!(self.link, Link::Live(_)));
        let telling = self.pipeline.has_lines() && !self.throttled && !held;
        self.is_wanted() && (connecting || reading || self.pipeline.is_busy() || telling)
    }

    /// The process is to end; asked again, the earlier deadline counts.
    pub(crate) fn stop(&mut self, deadline: Instant) {
        match &mut self.stop {
            None => {
                self.stop = Some(Stop::Reading(deadline));
                self.dirty |= matches!(self.link, Link::Live(_));
            }
            Some(Stop::Reading(old)) => *old = deadline.min(*old),
            Some(Stop::Done(_)) => {}
        }
    }

    /// Whether nothing more is to be waited for before the process ends.
    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.stop, Some(Stop::Done(_)))
    }

    pub(crate) fn restore(&self) -> Restore {
        if self.restore == Restore::Awaited && !self.is_wanted() { Restore::No } else { self.restore }
    }

    /// Does what is due now; to be called after every input for the watch.
    pub(crate) fn advance(&mut self, world: &mut World) {
        match self.link {
            Link::Off if self.is_wanted() && self.stop.is_none() => self.turn_on(world),
            Link::Off => {}
            _ if !self.is_wanted() => self.turn_off(world),
            Link::Waiting(until) if until <= world.now && self.stop.is_none() => self.subscribe(world),
            Link::Waiting(_) | Link::Asked(_) | Link::Acknowledged(_) | Link::Live(_) => {}
        }
        if self.is_wanted() {
            if self.health.settle(world.now) {
                self.tell_back(world);
            }
            self.pipeline.advance(world, &self.spec, self.may_filter());
        }
        self.request_read(world);
        if self.is_wanted() && self.stop.is_none() && !world.held {
            self.throttled = self.pipeline.flush(world, &self.spec, self.throttled);
        }
        self.finish(world);
        self.report(world);
        self.wake = self.compute_wake(world.now, world.held);
    }

    /// When [`Watch::advance`] has something to do without any input.
    pub(crate) fn next_wake(&self) -> Option<Instant> {
        self.wake
    }

    fn compute_wake(&self, now: Instant, held: bool) -> Option<Instant> {
        let status = self.status();
        let report = self.reporter.due(now, &status, self.pipeline.settled(), self.is_stopped());
        if let Some(Stop::Reading(deadline)) = self.stop {
            return report.into_iter().chain([deadline]).min();
        }
        if !self.is_wanted() || self.stop.is_some() {
            return report;
        }
        let attempt = if let Link::Waiting(until) = self.link { Some(until) } else { None };
        let work = self.pipeline.work_due(now, &self.spec, self.may_filter());
        let notice = if held { None } else { self.pipeline.notice_due(now, &self.spec, self.throttled) };
        [report, attempt, work, notice, self.health.next_wake()].into_iter().flatten().min()
    }

    fn is_wanted(&self) -> bool {
        self.refused.is_none() && !self.spec.suspend
    }

    fn may_filter(&self) -> bool {
        self.stop.is_none()
    }

    fn turn_on(&mut self, world: &mut World) {
        if !std::mem::replace(&mut self.started, true) {
            world.log(Event::Started { watch: self.spec.name.clone(), uri: self.spec.uri.clone() });
        }
        self.health = Health::default();
        self.subscribe(world);
    }

    fn turn_off(&mut self, world: &mut World) {
        self.unsubscribe(world);
        self.link = Link::Off;
        self.trouble = None;
        self.throttled = false;
    }

    fn subscribe(&mut self, world: &mut World) {
        let ticket = world.ticket();
        self.link = Link::Asked(ticket);
        let Spec { id, uri, server, .. } = self.spec.clone();
        world.output(Output::Subscribe { id, ticket, uri, server });
    }

    fn unsubscribe(&mut self, world: &mut World) {
        (self.reading, self.dirty) = (None, false);
        if !matches!(self.link, Link::Off | Link::Waiting(_)) {
            world.output(Output::Unsubscribe(self.spec.id.clone()));
        }
    }

    fn request_read(&mut self, world: &mut World) {
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
    fn fail(&mut self, world: &mut World, mut failure: Failure) {
        failure.message = single(&failure.message);
        (self.reading, self.dirty) = (None, false);
        let setback = self.health.down(world.now, failure.kind.is_an_answer(), &mut world.random);
        self.link = Link::Waiting(world.now + setback.delay);
        if self.restore == Restore::Awaited {
            self.restore = Restore::Failed;
        }
        let (watch, message) = (self.spec.name.clone(), failure.message.clone());
        if setback.tell {
            world.log(Event::Failed { watch: watch.clone(), message: message.clone() });
            self.pipeline.tell(world, single(&format!("ERROR the watch failed, and tries again: {message}")));
        }
        let (attempt, delay_seconds) = (setback.attempt, setback.delay.as_secs());
        world.log(Event::Resubscribing { watch, attempt, delay_seconds, message });
        self.trouble = Some(Trouble { failure, setback });
    }

    fn is_back(&mut self, world: &mut World) {
        if self.trouble.take().is_some() && self.health.has_lived() {
            self.pipeline.count_resubscribe();
        }
        if self.restore == Restore::Awaited {
            self.restore = Restore::Done;
        }
        if self.health.up(world.now) {
            self.tell_back(world);
        }
    }

    fn tell_back(&mut self, world: &mut World) {
        self.pipeline.tell(world, "RECOVERED the watch is live again".to_owned());
    }

    /// Ends the watch once the final read is done, or has taken too long.
    fn finish(&mut self, world: &mut World) {
        if matches!(self.stop, Some(Stop::Reading(deadline)) if self.reading.is_none() || deadline <= world.now) {
            self.stop = Some(Stop::Done(self.phase()));
            self.turn_off(world);
        }
    }
}

impl Link {
    fn is_subscribed(self, ticket: u64) -> bool {
        matches!(self, Self::Acknowledged(of) | Self::Live(of) if of == ticket)
    }
}
