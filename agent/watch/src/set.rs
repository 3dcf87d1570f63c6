//! All watches of one agent.

use std::collections::BTreeMap;
use std::time::{Instant, SystemTime};

use crate::input::Input;
use crate::log::Event;
use crate::output::Output;
use crate::restore::{Restore, RestoreNotice};
use crate::spec::{Id, Origin, Spec};
use crate::status::{Listed, Resume};
use crate::watch::Watch;
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
    /// Every watch that existed at the start has been applied.
    loaded: bool,
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
            loaded: false,
            restoring: false,
            stopping: Stopping::No,
        }
    }

    /// Takes note of something that happened at `now`, which never goes back.
    pub fn handle(&mut self, now: Instant, input: Input) {
        self.world.now = self.world.now.max(now);
        if self.dispatch(input) == Touched::All {
            self.advance();
        }
        self.restore();
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

    /// The watches, by name.
    pub fn list(&self) -> Vec<Listed> {
        let mut list: Vec<Listed> = self.watches.values().map(Watch::listed).collect();
        list.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        list
    }

    fn advance(&mut self) {
        self.watches.values_mut().for_each(|watch| watch.advance(&mut self.world));
    }

    fn dispatch(&mut self, input: Input) -> Touched {
        match input {
            Input::Wake => {}
            Input::Limit(limit) => {
                self.limit = limit;
                self.rank();
            }
            Input::Apply { spec, resume } => self.apply(spec, resume),
            Input::Loaded => {
                self.loaded = true;
                self.restoring = self.watches.values().any(|watch| *watch.restore() != Restore::No);
            }
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
            Input::Checked { id, ticket, result } => {
                return self.touch(&id, |watch, _| watch.checked(ticket, result));
            }
            Input::Recheck => self.watches.values_mut().for_each(Watch::recheck),
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
        if let Some(watch) = self.watches.get_mut(&spec.id) {
            watch.respec(&mut self.world, spec);
        } else {
            let is_of_old = spec.origin == Origin::Model || resume.as_ref().is_some_and(Resume::is_of_old);
            let watch = Watch::new(spec, resume, is_of_old && !self.loaded);
            self.watches.insert(watch.spec.id.clone(), watch);
        }
        self.rank();
    }

    /// The oldest watches run, as many as may.
    fn rank(&mut self) {
        let is_dropped = |watch: &&mut Watch| *watch.restore() == Restore::Dropped;
        let mut oldest: Vec<&mut Watch> = self.watches.values_mut().filter(|watch| !is_dropped(watch)).collect();
        oldest.sort_by(|a, b| (a.spec.created, &a.spec.name).cmp(&(b.spec.created, &b.spec.name)));
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        for (rank, watch) in oldest.into_iter().enumerate() {
            watch.refuse((rank >= limit).then_some(self.limit));
        }
    }

    /// Says what came of the watches that an earlier process left, once that is known of each.
    fn restore(&mut self) {
        if !self.restoring {
            return;
        }
        // One that goes may make room for another.
        while self.drop_hopeless(Watch::has_invalid_filter) {
            self.rank();
            self.advance();
        }
        if self.watches.values().any(Watch::is_restoring) {
            return;
        }
        self.drop_hopeless(Watch::is_refused);
        self.restoring = false;
        let count = |is: fn(&Restore) -> bool| {
            u32::try_from(self.watches.values().filter(|watch| is(watch.restore())).count()).unwrap_or(u32::MAX)
        };
        let restored = count(|restore| *restore == Restore::Done);
        let failed = count(Restore::is_failed);
        let dropped = count(|restore| *restore == Restore::Dropped);
        let lines: Vec<String> = self.watches.values_mut().filter_map(Watch::conclude_restore).collect();
        if !lines.is_empty() {
            let number = self.world.notice();
            self.world.output(Output::Restore(RestoreNotice::new(number, lines)));
        }
        self.world.log(Event::Restored { restored, failed, dropped });
    }

    fn drop_hopeless(&mut self, is_hopeless: fn(&Watch) -> bool) -> bool {
        let mut any = false;
        for watch in self.watches.values_mut().filter(|watch| watch.may_be_dropped() && is_hopeless(watch)) {
            watch.drop_it(&mut self.world);
            any = true;
        }
        any
    }
}
