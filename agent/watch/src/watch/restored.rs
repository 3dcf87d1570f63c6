//! What becomes of a watch that an earlier process left.

use super::Watch;
use crate::line::single;
use crate::output::Output;
use crate::restore::Restore;
use crate::spec::Origin;
use crate::world::World;

impl Watch {
    /// What is known by now; of one that is not to run, nothing more will be.
    pub(crate) fn restore(&self) -> &Restore {
        &self.restore
    }

    /// Whether it has neither started nor failed yet, and is about to.
    pub(crate) fn is_restoring(&self) -> bool {
        self.restore == Restore::Awaited && (self.gate.is_asked() || self.is_wanted())
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    pub(crate) fn has_invalid_filter(&self) -> bool {
        self.gate.refusal().is_some()
    }

    /// Whether it goes if it can never start: people decide about what they declared.
    pub(crate) fn may_be_dropped(&self) -> bool {
        self.restore == Restore::Awaited && self.spec.origin == Origin::Model
    }

    pub(crate) fn drop_it(&mut self, world: &mut World) {
        self.restore = Restore::Dropped;
        world.output(Output::Delete(self.spec.id.clone()));
    }

    /// What the agent must know of it, if anything. After this, nothing more is said of the restart.
    pub(crate) fn conclude_restore(&mut self) -> Option<String> {
        let name = &self.spec.name;
        let obstacle = || match (self.gate.refusal(), self.refused) {
            (Some(message), _) => Some(format!("its filter is not valid: {message}")),
            (None, Some(maximum)) => Some(format!("the agent may have {maximum} watches, and that many are older")),
            (None, None) => None,
        };
        let line = match &self.restore {
            Restore::Done if self.moved => Some(format!(
                "{name} watches something else since it was edited while the agent was down: it starts afresh"
            )),
            Restore::No | Restore::Done => None,
            Restore::Failed(message) => Some(format!("{name} could not be resumed, and is tried again: {message}")),
            Restore::Dropped => Some(format!("{name} was deleted: {}", obstacle().unwrap_or_default())),
            Restore::Awaited => obstacle().map(|obstacle| format!("{name} does not run: {obstacle}")),
        };
        if self.restore == Restore::Awaited {
            self.restore = Restore::No;
        }
        line.map(|line| single(&line))
    }
}
