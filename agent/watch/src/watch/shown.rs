//! What a watch shows of itself.

use super::{Stop, Trouble, Watch};
use crate::failure::{Failure, FailureKind};
use crate::line::single;
use crate::output::Output;
use crate::spec::Spec;
use crate::status::{Listed, Phase, Status};
use crate::watch::link::Link;
use crate::world::World;

impl Watch {
    pub(super) fn report(&mut self, world: &mut World) {
        let status = self.status();
        let at_once = self.is_stopped();
        if let Some(status) = self.reporter.report(world.now, status, self.pipeline.settled(), at_once) {
            world.output(Output::Status(status));
        }
    }

    pub(super) fn status(&self) -> Status {
        let tally = self.pipeline.tally();
        let (counts, last_event, last_notice) = (tally.counts, tally.last_event, tally.last_notice);
        Status {
            id: self.spec.id.clone(),
            generation: self.spec.generation,
            phase: self.phase(),
            shape: self.reader.shape(),
            server: self.server.clone(),
            cursor: None,
            baseline: None,
            counts,
            last_event,
            last_notice,
            broken_filter: self.pipeline.broken_filter().map(str::to_owned),
            restore_failed: self.restore.is_failed(),
            throttled: self.throttled,
        }
    }

    pub(crate) fn listed(&self) -> Listed {
        let Spec { id, name, uri, origin, .. } = &self.spec;
        Listed {
            id: id.clone(),
            name: name.clone(),
            uri: uri.clone(),
            origin: *origin,
            shape: self.reader.shape(),
            counts: self.pipeline.tally().counts,
            phase: self.phase(),
            restore_failed: self.restore.is_failed(),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        if let Some(Stop::Done(phase)) = &self.stop {
            return phase.clone();
        }
        if let Some(maximum) = self.refused {
            return Phase::Refused { maximum };
        }
        if let Some(message) = self.gate.refusal() {
            return Phase::InvalidFilter { message: message.to_owned() };
        }
        if self.spec.suspend {
            return Phase::Suspended;
        }
        if self.gate.is_asked() {
            return Phase::Connecting;
        }
        match &self.trouble {
            None if matches!(self.link, Link::Live(_)) => match self.reader.trouble() {
                None => Phase::Subscribed,
                Some(message) => {
                    let failure = Failure { kind: FailureKind::SourceError, message: single(message) };
                    Phase::Failed { failure, attempts: 0 }
                }
            },
            None => Phase::Connecting,
            Some(Trouble { failure, setback }) if setback.failed => {
                Phase::Failed { failure: failure.clone(), attempts: self.health.attempts_made() }
            }
            Some(Trouble { failure, setback }) => {
                Phase::Resubscribing { attempt: setback.attempt, message: failure.message.clone() }
            }
        }
    }
}
