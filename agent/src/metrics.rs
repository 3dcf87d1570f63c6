//! What an agent counts. Labels have bounded values only, never an object's name.

use prometheus::{IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder};

/// Every metric of the agent.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    /// Events that watches processed, by `result`: kept or dropped.
    pub(crate) events: IntCounterVec,
    /// Notices told to the orchestrator.
    pub(crate) notices: IntCounter,
    /// Turns of the model, by `result`: ok or error.
    pub(crate) turns: IntCounterVec,
    /// Tokens that the model's API counted, by `kind`: prompt or completion.
    pub(crate) tokens: IntCounterVec,
    /// Replies, by `result`: published or suppressed.
    pub(crate) replies: IntCounterVec,
    /// Subscriptions that ended and were asked for again.
    pub(crate) resubscribes: IntCounter,
    /// Failures of filters.
    pub(crate) filter_errors: IntCounter,
    /// Runs of the model's code.
    pub(crate) code_runs: IntCounter,
    /// Watches that the agent has.
    pub(crate) watches: IntGauge,
    /// MCP servers that are connected.
    pub(crate) servers_ready: IntGauge,
}

impl Metrics {
    /// Registers every metric.
    ///
    /// # Errors
    /// When two metrics share a name, which is a bug.
    pub(crate) fn new() -> prometheus::Result<Self> {
        let registry = Registry::new();
        let metrics = Self {
            events: counters("asyncai_agent_watch_events_total", "Events that watches processed.", "result")?,
            notices: IntCounter::new("asyncai_agent_notices_total", "Notices told to the agent.")?,
            turns: counters("asyncai_agent_turns_total", "Turns of the model.", "result")?,
            tokens: counters("asyncai_agent_tokens_total", "Tokens that the model's API counted.", "kind")?,
            replies: counters("asyncai_agent_replies_total", "Replies of the model.", "result")?,
            resubscribes: IntCounter::new("asyncai_agent_resubscribes_total", "Subscriptions asked for again.")?,
            filter_errors: IntCounter::new("asyncai_agent_filter_errors_total", "Failures of filters.")?,
            code_runs: IntCounter::new("asyncai_agent_code_runs_total", "Runs of the model's code.")?,
            watches: IntGauge::new("asyncai_agent_watches", "Watches that the agent has.")?,
            servers_ready: IntGauge::new("asyncai_agent_mcp_servers_ready", "MCP servers that are connected.")?,
            registry: registry.clone(),
        };
        registry.register(Box::new(metrics.events.clone()))?;
        registry.register(Box::new(metrics.notices.clone()))?;
        registry.register(Box::new(metrics.turns.clone()))?;
        registry.register(Box::new(metrics.tokens.clone()))?;
        registry.register(Box::new(metrics.replies.clone()))?;
        registry.register(Box::new(metrics.resubscribes.clone()))?;
        registry.register(Box::new(metrics.filter_errors.clone()))?;
        registry.register(Box::new(metrics.code_runs.clone()))?;
        registry.register(Box::new(metrics.watches.clone()))?;
        registry.register(Box::new(metrics.servers_ready.clone()))?;
        Ok(metrics)
    }

    /// The exposition text of Prometheus.
    pub(crate) fn text(&self) -> prometheus::Result<String> {
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }
}

fn counters(name: &str, help: &str, label: &str) -> prometheus::Result<IntCounterVec> {
    IntCounterVec::new(Opts::new(name, help), &[label])
}
