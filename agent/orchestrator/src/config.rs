//! The settings of an agent that concern its turns. They may change while it runs.

/// Settings of the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// What the model is told before everything else.
    pub system_prompt: String,
    /// No model: notices are published as they are.
    pub relay: bool,
    /// The first message of the first turn after a start.
    pub on_start: Option<String>,
    /// Runs that may be answered within any hour; 0 lets none begin.
    pub max_turns_per_hour: u32,
    /// Tokens, of prompt and reply, after which no run begins until the next day (UTC); 0 lets none begin.
    pub max_tokens_per_day: u64,
    /// Where replies go that nobody's message asked for. None: nowhere but the log.
    pub default_channel: Option<String>,
    /// No run begins; what comes in waits.
    pub suspend: bool,
    /// Bytes of conversation sent in one call, the system prompt aside. Older turns are forgotten, whole.
    pub max_thread_bytes: usize,
    /// Rounds in which a run may call functions; then it has to answer.
    pub max_rounds: u32,
    /// The records are kept over a restart, so who waits for an answer then need not ask again.
    pub persistent: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            system_prompt: String::new(),
            relay: false,
            on_start: None,
            max_turns_per_hour: 60,
            max_tokens_per_day: 2_000_000,
            default_channel: None,
            suspend: false,
            max_thread_bytes: 256 * 1024,
            max_rounds: 25,
            persistent: false,
        }
    }
}
