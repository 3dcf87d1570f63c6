//! One watch: its subscription, its reads, and what is made of them.

use std::time::Instant;

use crate::failure::{Failure, FailureKind};
use crate::gate::Gate;
use crate::health::{Health, Setback};
use crate::input::{Contents, FilterError};
use crate::log::Event;
use crate::output::Output;
use crate::pipeline::Pipeline;
use crate::reader::Reader;
use crate::report::Reporter;
use crate::restore::Restore;
use crate::spec::Spec;
use crate::status::{Phase, Resume};
use crate::watch::link::Link;
use crate::world::World;

mod link;
mod restored;
mod shown;

/// A watch of the set.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) spec: Spec,
    /// The maximum that refuses it, if it is refused.
    refused: Option<u32>,
    started: bool,
    /// Whether its filter may be used.
    gate: Gate,
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
    /// It watches something else than in that process.
    moved: bool,
    stop: Option<Stop>,
    /// When it has something to do by itself.
    wake: Option<Instant>,
}

#[derive(Clone, Debug)]
struct Trouble {
    failure: Failure,
    setback: Setback,
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
    /// A watch that an earlier process left if it is `old`, and then goes on from where that was.
    pub(crate) fn new(spec: Spec, resume: Option<Resume>, old: bool) -> Self {
        let mut resume = resume.unwrap_or_default();
        let moved = resume.is_of_another(&spec);
        if moved {
            (resume.cursor, resume.baseline) = (None, None);
        }
        Self {
            refused: None,
            started: false,
            gate: Gate::new(spec.filter.as_deref()),
            spec,
            link: Link::Off,
            reading: None,
            dirty: false,
            health: Health::default(),
            trouble: None,
            server: None,
            restore: if old { Restore::Awaited } else { Restore::No },
            moved,
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
            self.gate = Gate::new(spec.filter.as_deref());
            (self.restore, self.moved) = (Restore::No, false);
        } else if self.spec.filter != spec.filter {
            self.pipeline.refilter();
            self.gate = Gate::new(spec.filter.as_deref());
        }
        if self.spec.is_filtered() && !spec.is_filtered() {
            world.output(Output::EndFilter(self.spec.id.clone()));
        }
        if self.restore == Restore::Dropped {
            self.restore = Restore::No;
        }
        self.spec = spec;
    }

    pub(crate) fn refuse(&mut self, maximum: Option<u32>) {
        self.refused = maximum;
    }

    /// The watch exists no longer.
    pub(crate) fn remove(mut self, world: &mut World) {
        self.turn_off(world);
        if self.spec.is_filtered() {
            world.output(Output::EndFilter(self.spec.id));
        }
        world.log(Event::Stopped { watch: self.spec.name });
    }

    pub(crate) fn checked(&mut self, ticket: u64, result: Result<(), String>) {
        self.gate.checked(ticket, result);
    }

    /// Checks a filter that was refused once more.
    pub(crate) fn recheck(&mut self) {
        self.gate.recheck();
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

    pub(crate) fn filtered(&mut self, ticket: u64, result: Result<Option<String>, FilterError>) {
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
        let checking = self.gate.is_asked() && !self.spec.suspend;
        self.is_wanted() && (checking || connecting || reading || self.pipeline.is_busy() || telling)
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

    /// Does what is due now; to be called after every input for the watch.
    pub(crate) fn advance(&mut self, world: &mut World) {
        self.request_check(world);
        match self.link {
            Link::Off if self.is_wanted() && self.gate.is_open() && self.stop.is_none() => self.turn_on(world),
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
        if !self.is_undecided() {
            self.report(world);
        }
        self.wake = self.compute_wake(world.now, world.held);
    }

    /// When [`Watch::advance`] has something to do without any input.
    pub(crate) fn next_wake(&self) -> Option<Instant> {
        self.wake
    }

    fn compute_wake(&self, now: Instant, held: bool) -> Option<Instant> {
        let status = self.status();
        let report = self.reporter.due(now, &status, self.pipeline.settled(), self.is_stopped());
        let report = report.filter(|_| !self.is_undecided());
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
        self.refused.is_none() && !self.spec.suspend && self.gate.refusal().is_none()
    }

    fn may_filter(&self) -> bool {
        self.stop.is_none() && self.gate.is_open()
    }

    /// Whether it is about to be known if the spec can be served at all, so that nothing is said of it before.
    fn is_undecided(&self) -> bool {
        self.gate.is_asked() && !self.is_stopped()
    }

    fn request_check(&mut self, world: &mut World) {
        if let (Gate::Unchecked, None, None, Some(source)) = (&self.gate, self.refused, &self.stop, &self.spec.filter) {
            let ticket = world.ticket();
            self.gate = Gate::Asked(ticket);
            world.output(Output::Check { id: self.spec.id.clone(), ticket, source: source.clone() });
        }
    }

    /// Ends the watch once the final read is done, or has taken too long.
    fn finish(&mut self, world: &mut World) {
        if matches!(self.stop, Some(Stop::Reading(deadline)) if self.reading.is_none() || deadline <= world.now) {
            self.stop = Some(Stop::Done(self.phase()));
            self.turn_off(world);
        }
    }
}
