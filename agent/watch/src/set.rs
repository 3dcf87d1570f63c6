//! All watches of one agent.

use std::collections::BTreeMap;
use std::time::{Instant, SystemTime};

use crate::input::Input;
use crate::log::Event;
use crate::output::Output;
use crate::spec::{Id, Spec};
use crate::status::Resume;
use crate::watch::{Restore, Watch};
use crate::world::World;

/// The most watches that run unless told otherwise.
const LIMIT: u32 = 5;

/// The watches of an agent: told what happens, it says what is to be done.
///
/// After each [`Set::handle`], [`Set::poll`] is called until it has nothing more; when [`Set::next_wake`] has come,
/// [`Input::Wake`] is due. It knows no clock: time is what it is told.
#[derive(Debug)]
pub struct Set {
    world: World,
    watches: BTreeMap<Id, Watch>,
    limit: u32,
    /// The watches that existed at the start are applied; what came of them is not reported yet.
    restoring: bool,
    stopping: Stopping,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stopping {
    No,
    Asked,
    Done,
}

/// Which watches an input may have given something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touched {
    One,
    All,
}

impl Set {
    /// No watches. `wall` is the time for people at `now`; `seed` spreads the attempts of a fleet to reconnect.
    pub fn new(now: Instant, wall: SystemTime, seed: u64) -> Self {
        Self {
            world: World::new(now, wall, seed),
            watches: BTreeMap::new(),
            limit: LIMIT,
            restoring: false,
            stopping: Stopping::No,
        }
    }

    /// Takes note of something that happened at `now`, which never goes back.
    pub fn handle(&mut self, now: Instant, input: Input) {
        self.world.now = self.world.now.max(now);
        if self.dispatch(input) == Touched::All {
            self.watches.values_mut().for_each(|watch| watch.advance(&mut self.world));
        }
        self.report_restored();
        if self.stopping == Stopping::Asked && self.watches.values().all(Watch::is_stopped) {
            self.stopping = Stopping::Done;
            self.world.output(Output::Stopped);
        }
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.world.outputs.pop_front()
    }

    /// When [`Input::Wake`] is due; `None`: nothing is to be done until something happens.
    pub fn next_wake(&self) -> Option<Instant> {
        self.watches.values().filter_map(Watch::next_wake).min()
    }

    /// Whether a notice may still come of what has happened: a watch is being started or read, or its lines wait for
    /// their debounce.
    pub fn is_busy(&self) -> bool {
        self.watches.values().any(|watch| watch.is_busy(self.world.held))
    }

    /// Whether watches that an earlier process left have neither started nor failed yet.
    pub fn is_restoring(&self) -> bool {
        self.restoring
    }

    fn dispatch(&mut self, input: Input) -> Touched {
        match input {
            Input::Wake => {}
            Input::Limit(limit) => {
                self.limit = limit;
                self.rank();
            }
            Input::Apply { spec, resume } => self.apply(spec, resume),
            Input::Loaded => self.restoring = self.watches.values().any(|watch| watch.restore() != Restore::No),
            Input::Remove(id) => {
                if let Some(watch) = self.watches.remove(&id) {
                    watch.remove(&mut self.world);
                    self.rank();
                }
            }
            Input::Seen(numbers) => self.watches.values_mut().for_each(|watch| watch.seen(&numbers)),
            Input::Refresh => self.watches.values_mut().for_each(Watch::refresh),
            Input::Hold(held) => self.world.held = held,
            Input::Stop { deadline } => self.stop(deadline),
            Input::Acknowledged { id, ticket, server } => {
                return self.touch(&id, |watch, world| watch.acknowledged(world, ticket, server));
            }
            Input::SubscribeFailed { id, ticket, failure } => {
                return self.touch(&id, |watch, world| watch.subscribe_failed(world, ticket, failure));
            }
            Input::Updated { id, ticket } => return self.touch(&id, |watch, _| watch.updated(ticket)),
            Input::Ended { id, ticket, message } => {
                return self.touch(&id, |watch, world| watch.ended(world, ticket, message));
            }
            Input::Read { id, ticket, result } => {
                return self.touch(&id, |watch, world| watch.read(world, ticket, result));
            }
            Input::Filtered { id, ticket, result } => {
                return self.touch(&id, |watch, _| watch.filtered(ticket, result));
            }
        }
        Touched::All
    }

    fn touch(&mut self, id: &Id, act: impl FnOnce(&mut Watch, &mut World)) -> Touched {
        if let Some(watch) = self.watches.get_mut(id) {
            act(watch, &mut self.world);
            watch.advance(&mut self.world);
        }
        Touched::One
    }

    fn stop(&mut self, deadline: Instant) {
        if self.stopping != Stopping::Done {
            self.stopping = Stopping::Asked;
            self.watches.values_mut().for_each(|watch| watch.stop(deadline));
        }
    }

    fn apply(&mut self, spec: Spec, resume: Option<Resume>) {
        if self.stopping != Stopping::No {
            return;
        }
        match self.watches.get_mut(&spec.id) {
            Some(watch) => watch.respec(&mut self.world, spec),
            None => {
                self.watches.insert(spec.id.clone(), Watch::new(spec, resume));
            }
        }
        self.rank();
    }

    /// The oldest watches run, as many as may.
    fn rank(&mut self) {
        let mut oldest: Vec<&mut Watch> = self.watches.values_mut().collect();
        oldest.sort_by(|a, b| (a.spec.created, &a.spec.name).cmp(&(b.spec.created, &b.spec.name)));
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        for (rank, watch) in oldest.into_iter().enumerate() {
            watch.refuse((rank >= limit).then_some(self.limit));
        }
    }

    fn report_restored(&mut self) {
        let count = |restore| u32::try_from(self.watches.values().filter(|watch| watch.restore() == restore).count());
        if self.restoring && count(Restore::Awaited) == Ok(0) {
            self.restoring = false;
            let restored = count(Restore::Done).unwrap_or(u32::MAX);
            let failed = count(Restore::Failed).unwrap_or(u32::MAX);
            self.world.log(Event::Restored { restored, failed });
        }
    }
}
