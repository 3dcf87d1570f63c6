//! How many turns an hour and tokens a day the agent may spend.

use std::collections::VecDeque;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::config::Config;

const HOUR: Duration = Duration::from_hours(1);
const DAY_SECONDS: u64 = 86_400;

/// What has been used in a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// The day, counted from 1970-01-01 in UTC.
    pub day: u64,
    /// Turns that were answered.
    pub turns: u64,
    /// Tokens of their prompts and replies.
    pub tokens: u64,
}

/// What a call, or all calls of a run, cost, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Read by the model.
    pub prompt: u64,
    /// Written by the model.
    pub completion: u64,
}

impl Tokens {
    /// With those of another call.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            prompt: self.prompt.saturating_add(other.prompt),
            completion: self.completion.saturating_add(other.completion),
        }
    }
}

/// A limit of [`Config`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// `max_turns_per_hour`
    TurnsPerHour(u32),
    /// `max_tokens_per_day`
    TokensPerDay(u64),
}

/// Why no turn begins although there is work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttle {
    /// The limit that is reached.
    pub limit: Limit,
    /// When turns begin again; None: not before the limit is raised.
    pub until: Option<SystemTime>,
}

/// The account.
#[derive(Debug)]
pub(crate) struct Budget {
    /// One moment on both clocks.
    anchor: (Instant, SystemTime),
    /// When the turns of the last hour began, oldest first.
    turns: VecDeque<Instant>,
    usage: Usage,
}

impl Budget {
    pub(crate) fn new(now: Instant, wall: SystemTime, used: Usage) -> Self {
        let mut budget = Self { anchor: (now, wall), turns: VecDeque::new(), usage: used };
        budget.roll(now);
        budget
    }

    /// What stands in the way of a turn, and when it no longer does.
    pub(crate) fn blocked(&mut self, now: Instant, config: &Config) -> Option<(Throttle, Option<Instant>)> {
        self.roll(now);
        let (limit, at) = self.reached(now, config)?;
        let until = at.map(|at| self.wall(at));
        Some((Throttle { limit, until }, at))
    }

    fn reached(&self, now: Instant, config: &Config) -> Option<(Limit, Option<Instant>)> {
        if self.usage.tokens >= config.max_tokens_per_day {
            let at = (config.max_tokens_per_day > 0).then(|| self.next_day(now));
            return Some((Limit::TokensPerDay(config.max_tokens_per_day), at));
        }
        let most = usize::try_from(config.max_turns_per_hour).unwrap_or(usize::MAX);
        let over = self.turns.len().checked_sub(most)?;
        // The turn whose age frees a place: the limit may have been lowered below what was spent.
        let at = self.turns.get(over).map(|began| *began + HOUR);
        Some((Limit::TurnsPerHour(config.max_turns_per_hour), at))
    }

    /// The day's tokens alone, in the middle of a turn.
    pub(crate) fn exhausted(&mut self, now: Instant, config: &Config) -> Option<(Throttle, Option<Instant>)> {
        self.blocked(now, config).filter(|(throttle, _)| matches!(throttle.limit, Limit::TokensPerDay(_)))
    }

    /// Counts a reply.
    pub(crate) fn spend(&mut self, now: Instant, tokens: Tokens) {
        self.roll(now);
        self.usage.tokens = self.usage.tokens.saturating_add(tokens.prompt.saturating_add(tokens.completion));
    }

    /// Counts a turn that was answered.
    pub(crate) fn count_turn(&mut self, now: Instant, began: Instant) {
        self.roll(now);
        self.turns.push_back(began);
        self.usage.turns += 1;
    }

    /// What has been used today.
    pub(crate) fn usage(&self) -> Usage {
        self.usage
    }

    /// Forgets turns that are an hour old, and yesterday.
    fn roll(&mut self, now: Instant) {
        while self.turns.front().is_some_and(|began| *began + HOUR <= now) {
            self.turns.pop_front();
        }
        let day = self.seconds(now) / DAY_SECONDS;
        if day != self.usage.day {
            self.usage = Usage { day, ..Usage::default() };
        }
    }

    /// To the moment the same whenever it is asked for, since a throttle that differs is told anew.
    fn next_day(&self, now: Instant) -> Instant {
        let since = self.wall(now).duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let days = since.as_secs() / DAY_SECONDS + 1;
        now + Duration::from_secs(days * DAY_SECONDS).saturating_sub(since)
    }

    fn wall(&self, at: Instant) -> SystemTime {
        self.anchor.1 + at.saturating_duration_since(self.anchor.0)
    }

    fn seconds(&self, now: Instant) -> u64 {
        self.wall(now).duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }
}

#[cfg(test)]
mod tests;
