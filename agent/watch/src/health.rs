//! How a watch recovers: when it tries again, when it gives up hope, and when the agent is told.

use std::time::{Duration, Instant};

#[cfg(test)]
mod tests;

/// After so many attempts in vain a watch counts as failed. It goes on trying.
pub(crate) const ATTEMPTS: u32 = 5;
/// A subscription that held so long starts the count anew.
const STABLE: Duration = Duration::from_secs(30);
/// Longest time between attempts.
const LONGEST: Duration = Duration::from_mins(1);

/// The health of one watch's subscription.
#[derive(Debug, Default)]
pub(crate) struct Health {
    /// The number of the last attempt, 0 before the first failure.
    attempt: u32,
    /// Since when it is live.
    live_since: Option<Instant>,
    /// It was live before.
    has_lived: bool,
    told: Told,
}

/// What the agent was told last. One that is told of a recovery too early hears of the relapse, but not of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Told {
    #[default]
    Nothing,
    Failed,
    Back,
    FailedAgain,
}

/// What follows from a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setback {
    /// The next attempt, from 1.
    pub(crate) attempt: u32,
    /// The time until then.
    pub(crate) delay: Duration,
    /// The watch counts as failed.
    pub(crate) failed: bool,
    /// The agent is to be told that it failed.
    pub(crate) tell: bool,
}

impl Health {
    /// The subscription could not be made, or ended. `is_answer`: the server said no. `random` makes the jitter.
    pub(crate) fn down(&mut self, now: Instant, is_answer: bool, random: &mut Random) -> Setback {
        self.settle(now);
        self.live_since = None;
        self.attempt = self.attempt.saturating_add(1);
        let given_up = self.attempt > ATTEMPTS;
        let told = match self.told {
            Told::Nothing => Told::Failed,
            Told::Back => Told::FailedAgain,
            told @ (Told::Failed | Told::FailedAgain) => told,
        };
        let tell = told != self.told && (given_up || !self.has_lived && is_answer);
        if tell {
            self.told = told;
        }
        let delay = delay(self.attempt, random);
        Setback { attempt: self.attempt, delay, failed: given_up || !self.has_lived, tell }
    }

    /// The agent is told otherwise that the subscription could not be made.
    pub(crate) fn told(&mut self) {
        self.told = Told::Failed;
    }

    /// The subscription is live. Returns whether the agent is to be told that it is back.
    pub(crate) fn up(&mut self, now: Instant) -> bool {
        self.live_since = Some(now);
        self.has_lived = true;
        let tell = self.told == Told::Failed;
        if tell {
            self.told = Told::Back;
        }
        tell
    }

    /// Starts the count anew if the subscription has held. Returns whether the agent is to be told that it is back.
    pub(crate) fn settle(&mut self, now: Instant) -> bool {
        if self.live_since.is_none_or(|since| now < since + STABLE) {
            return false;
        }
        let tell = self.told == Told::FailedAgain;
        (self.attempt, self.told) = (0, Told::Nothing);
        tell
    }

    /// When [`Health::settle`] has something to tell.
    pub(crate) fn next_wake(&self) -> Option<Instant> {
        self.live_since.filter(|_| self.told == Told::FailedAgain).map(|since| since + STABLE)
    }

    /// Whether it was live since the watch was turned on.
    pub(crate) fn has_lived(&self) -> bool {
        self.has_lived
    }

    /// Attempts made since the first failure, at most [`ATTEMPTS`].
    pub(crate) fn attempts_made(&self) -> u32 {
        self.attempt.saturating_sub(1).min(ATTEMPTS)
    }
}

/// 1, 2, 4, 8 and 16 s, then up to a minute with jitter, so that a fleet does not come back all at once.
fn delay(attempt: u32, random: &mut Random) -> Duration {
    let delay = Duration::from_secs(1 << attempt.saturating_sub(1).min(6)).min(LONGEST);
    if attempt <= ATTEMPTS {
        return delay;
    }
    let half = delay / 2;
    half + half.mul_f64(random.fraction())
}

/// A small generator (SplitMix64) for jitter; the seed is passed in.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 up to, not including, 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
