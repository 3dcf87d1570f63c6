//! What the agent says of itself in its Agent's status, and when it is worth a write. Pure.

use std::time::{Duration, Instant, SystemTime};

use asyncai_crds::agent::{McpServerStatus, Usage};
use asyncai_crds::condition::clip;
use asyncai_crds::{AgentStatus, Condition, Reason, Time};
use asyncai_mcp::ServerStatus;
use asyncai_orchestrator::{self as turns, Limit, Throttle};

use crate::channel;
use crate::conditions;

#[cfg(test)]
mod tests;

/// Numbers alone are written this often at most.
const PERIOD: Duration = Duration::from_secs(5);
const MESSAGE_MAX: usize = 256;
const SECONDS_PER_DAY: u64 = 86_400;

/// The Agent's status as far as it is the agent's.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) generation: i64,
    pub(crate) missing: Vec<(Reason, String)>,
    pub(crate) servers: Vec<ServerStatus>,
    pub(crate) channels: Vec<channel::Status>,
    /// Why the session is not kept.
    pub(crate) session: Option<String>,
    throttled: Option<(Reason, String)>,
    usage: Option<Usage>,
    last_turn: Option<SystemTime>,
    /// What was written last, and when.
    written: Option<(AgentStatus, Instant)>,
    conditions: Vec<Condition>,
    due: Option<Instant>,
}

impl Report {
    /// Goes on from what an earlier process wrote.
    pub(crate) fn new(status: Option<&AgentStatus>) -> Self {
        let status = status.cloned().unwrap_or_default();
        Self {
            usage: status.usage,
            last_turn: status.last_turn_time.map(|time| time.0.into()),
            conditions: status.conditions,
            ..Self::default()
        }
    }

    /// What was spent on the day that the status speaks of.
    pub(crate) fn used(&self) -> turns::Usage {
        let Some(usage) = &self.usage else { return turns::Usage::default() };
        let day = usage.day.parse::<jiff::civil::Date>().ok();
        let stamp = day.and_then(|day| day.to_zoned(jiff::tz::TimeZone::UTC).ok()).map(|at| at.timestamp().as_second());
        let day = stamp.and_then(|seconds| u64::try_from(seconds).ok()).unwrap_or_default() / SECONDS_PER_DAY;
        turns::Usage { day, turns: usage.turns, tokens: usage.tokens }
    }

    /// A turn has ended.
    pub(crate) fn spent(&mut self, usage: turns::Usage, at: SystemTime) {
        let seconds = i64::try_from(usage.day * SECONDS_PER_DAY).unwrap_or_default();
        let day = jiff::Timestamp::from_second(seconds).unwrap_or_default().strftime("%Y-%m-%d").to_string();
        self.usage = Some(Usage { day, turns: usage.turns, tokens: usage.tokens });
        self.last_turn = Some(at);
    }

    /// Work waits for a limit, or no longer.
    pub(crate) fn throttled(&mut self, throttle: Option<Throttle>) {
        self.throttled = throttle.map(|throttle| {
            let (reason, limit) = match throttle.limit {
                Limit::TurnsPerHour(most) => (Reason::TurnLimit, format!("spec.limits.maxTurnsPerHour is {most}")),
                Limit::TokensPerDay(most) => (Reason::TokenLimit, format!("spec.limits.maxTokensPerDay is {most}")),
            };
            let until = throttle.until.and_then(conditions::time);
            let until = until.map_or_else(|| "until it is raised".to_owned(), |time| format!("until {}", time.0));
            (reason, format!("{limit}: notices wait {until} and are then told together"))
        });
    }

    /// When [`Report::write`] should be called again.
    pub(crate) fn next_wake(&self) -> Option<Instant> {
        self.due
    }

    /// The status, if it is to be written now: at once if more than numbers changed, or with `force`.
    pub(crate) fn write(&mut self, now: Instant, wall: SystemTime, force: bool) -> Option<AgentStatus> {
        let time = conditions::time(wall)?;
        let status = self.status(&time);
        self.due = None;
        if let Some((old, at)) = &self.written {
            if *old == status {
                return None;
            }
            let numbers_only = old.conditions == status.conditions && old.mcp_servers == status.mcp_servers;
            if numbers_only && !force && now < *at + PERIOD {
                self.due = Some(*at + PERIOD);
                return None;
            }
        }
        self.conditions.clone_from(&status.conditions);
        self.written = Some((status.clone(), now));
        Some(status)
    }

    fn status(&self, time: &Time) -> AgentStatus {
        let down = self.servers.iter().filter(|server| !server.ready).filter_map(|server| {
            let message = format!("spec.mcpServers[{}]: {}", server.name, server.message.as_ref()?);
            Some((Reason::ServerUnavailable, message))
        });
        let silent = self.channels.iter().filter(|channel| !channel.connected).filter_map(|channel| {
            let message = channel.message.as_ref()?;
            // A missing Secret is said already.
            let told = self.missing.iter().any(|(_, missing)| missing.contains(message));
            (!told).then(|| (Reason::ChannelUnavailable, format!("spec.channels[{}]: {message}", channel.name)))
        });
        let session =
            self.session.iter().map(|message| (Reason::SessionUnavailable, format!("spec.session: {message}")));
        let missing = self.missing.iter().cloned().chain(session).chain(down).chain(silent).collect::<Vec<_>>();
        AgentStatus {
            observed_generation: None, // the operator's
            conditions: conditions::agent(&self.conditions, &missing, self.throttled.as_ref(), self.generation, time),
            watch_count: None, // the operator's
            last_turn_time: self.last_turn.and_then(conditions::time),
            usage: self.usage.clone(),
            mcp_servers: self.servers.iter().map(server).collect(),
        }
    }
}

fn server(server: &ServerStatus) -> McpServerStatus {
    McpServerStatus {
        name: server.name.clone(),
        ready: server.ready,
        protocol_version: server.protocol_version.clone(),
        subscribable: server.protocol_version.as_ref().map(|_| server.subscribable),
        tool_count: u32::try_from(server.tool_count).ok(),
        message: server.message.as_ref().map(|message| clip(message, MESSAGE_MAX)),
    }
}
