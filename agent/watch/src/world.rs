//! What all watches of an agent share: the time, what is to be done, and numbers given only once.

use std::collections::VecDeque;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::health::Random;
use crate::log::Event;
use crate::output::Output;

/// The surroundings of a watch while it handles an input.
#[derive(Debug)]
pub(crate) struct World {
    start: (Instant, SystemTime),
    /// The time of the input.
    pub(crate) now: Instant,
    /// What is to be done, in order.
    pub(crate) outputs: VecDeque<Output>,
    /// No notice is to be sent.
    pub(crate) held: bool,
    /// For jitter.
    pub(crate) random: Random,
    ticket: u64,
    notice: u64,
    moment: u64,
}

impl World {
    pub(crate) fn new(now: Instant, wall: SystemTime, seed: u64) -> Self {
        Self {
            start: (now, wall),
            now,
            outputs: VecDeque::new(),
            held: false,
            random: Random::new(seed),
            ticket: 0,
            notice: 0,
            moment: 0,
        }
    }

    /// The time of the input for people.
    pub(crate) fn wall(&self) -> SystemTime {
        self.start.1 + self.now.saturating_duration_since(self.start.0)
    }

    /// Milliseconds since 1970, each given only once.
    pub(crate) fn moment(&mut self) -> u64 {
        let now = self.wall().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        self.moment = u64::try_from(now).unwrap_or(u64::MAX).max(self.moment.saturating_add(1));
        self.moment
    }

    pub(crate) fn ticket(&mut self) -> u64 {
        self.ticket += 1;
        self.ticket
    }

    pub(crate) fn notice(&mut self) -> u64 {
        self.notice += 1;
        self.notice
    }

    pub(crate) fn output(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    pub(crate) fn log(&mut self, event: Event) {
        self.output(Output::Log(event));
    }
}
