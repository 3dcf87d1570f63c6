//! A scenario: which question gets which answer.
//!
//! ```yaml
//! rules:                      # the first that fits answers
//!   - contains: watch-event   # or `matches: REGEX`, of the last user message; neither fits all
//!     times: 1                # then it is used up; without, it never is
//!     gate: slow              # the answer waits for `POST /gates/slow`
//!     reply: A ConfigMap appeared.
//!   - contains: set up        # a call of `run_code`, the function of code mode
//!     code: await watch_start(name="cm", uri="memo://notes")
//!   - result: Error           # part of the function's result; rules without `result` are not for results
//!     reply: {text: One moment., calls: [{name: run_code, arguments: {code: list_resources()}}]}
//!   - contains: report
//!     reply: {text: The report says, finish: length, thoughts: Hm., ending: done}
//!   - status: 429             # instead of a reply
//!     headers: {retry-after: "7"}
//!     body: slow down
//! default: {reply: NO_REPLY}  # where none fits; this is the default's default
//! ```

use std::collections::BTreeMap;
use std::str::FromStr;

use regex::Regex;
use serde::Deserialize;
use serde_json::{Value, json};

/// The function of code mode.
const CODE: &str = "run_code";

/// What the server answers.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// In order of precedence.
    pub rules: Vec<Rule>,
    /// Where no rule fits.
    pub default: Rule,
}

/// An answer, and the questions it is for.
#[derive(Debug, Clone)]
pub struct Rule {
    /// What the record calls it; else its place in the list.
    pub name: Option<String>,
    /// Part of the last user message.
    pub contains: Option<String>,
    /// Pattern of the last user message.
    pub matches: Option<Regex>,
    /// Pattern of the results that the request ends in; without, it answers none that ends in any.
    pub result: Option<Regex>,
    /// How often it answers.
    pub times: Option<usize>,
    /// What the answer waits for.
    pub gate: Option<String>,
    /// The answer.
    pub response: Response,
}

/// An answer.
#[derive(Debug, Clone)]
pub enum Response {
    /// A completion.
    Reply(Reply),
    /// Anything else.
    Raw {
        /// The HTTP status.
        status: u16,
        /// Headers, which may set a content type.
        headers: BTreeMap<String, String>,
        /// The body as it is.
        body: String,
    },
}

/// A completion.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "ReplyText")]
pub struct Reply {
    /// The text; it is streamed word by word.
    pub text: String,
    /// Functions that it calls, after the text.
    pub calls: Vec<Call>,
    /// The finish reason; `stop` if not given, with calls `tool_calls`.
    pub finish: String,
    /// Sent as `reasoning_content` before the text.
    pub thoughts: Option<String>,
    /// What the reply says it cost; else words are counted. Only streamed if the request asks for it.
    pub usage: Option<Usage>,
    /// How the stream ends.
    pub ending: Ending,
    /// How many words come before the gate.
    pub before_gate: usize,
}

/// A call of a function.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Call {
    /// The function.
    pub name: String,
    /// What it is called with: text is sent as it is, anything else as JSON.
    #[serde(default)]
    pub arguments: Value,
    /// Made up if not given; empty: left out, as some endpoints do.
    pub id: Option<String>,
    /// Sent in one piece, as some endpoints do; else the arguments come in small ones.
    #[serde(default)]
    pub whole: bool,
}

impl Call {
    fn code(source: &str) -> Self {
        Self { name: CODE.to_owned(), arguments: json!({"code": source}), id: None, whole: false }
    }

    /// The arguments as they are sent.
    pub(super) fn text(&self) -> String {
        self.arguments.as_str().map_or_else(|| self.arguments.to_string(), str::to_owned)
    }
}

/// Tokens.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Of the question.
    pub prompt: u64,
    /// Of the answer.
    pub completion: u64,
}

/// How a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// As it should.
    #[default]
    Done,
    /// Without a finish reason, the connection in order.
    Silent,
    /// With an error event.
    Error,
    /// By a broken connection.
    Broken,
}

/// Why a scenario is not one.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// It is not the YAML that it should be.
    #[error("invalid scenario: {0}")]
    Yaml(#[from] Box<serde_saphyr::Error>),
    /// A rule answers twice or not at all.
    #[error("invalid scenario: rule {rule} must have exactly one of reply, code and status")]
    Answer {
        /// Its place in the list, from 0, or `default`.
        rule: String,
    },
    /// A pattern is none.
    #[error("invalid scenario: rule {rule}: {source}")]
    Pattern {
        /// Its place in the list, from 0, or `default`.
        rule: String,
        /// What is wrong with it.
        source: regex::Error,
    },
}

impl FromStr for Scenario {
    type Err = ScenarioError;

    fn from_str(yaml: &str) -> Result<Self, ScenarioError> {
        let file: File = serde_saphyr::from_str(yaml).map_err(Box::new)?;
        let rules = file.rules.into_iter().enumerate().map(|(place, rule)| rule.check(&place.to_string()));
        let default = file.default.map(|rule| rule.check("default")).transpose()?;
        Ok(Self { rules: rules.collect::<Result<_, _>>()?, default: default.unwrap_or_else(silence) })
    }
}

impl Rule {
    /// Whether it answers a request with this last user message that ends in `result`, if it ends in one.
    pub(super) fn fits(&self, question: &str, result: Option<&str>) -> bool {
        self.contains.as_deref().is_none_or(|part| question.contains(part))
            && self.matches.as_ref().is_none_or(|pattern| pattern.is_match(question))
            && match (&self.result, result) {
                (Some(pattern), Some(result)) => pattern.is_match(result),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            }
    }
}

fn silence() -> Rule {
    Rule {
        name: None,
        contains: None,
        matches: None,
        result: None,
        times: None,
        gate: None,
        response: Response::Reply(Reply::from(ReplyText::Text("NO_REPLY".to_owned()))),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rules: Vec<FileRule>,
    default: Option<FileRule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRule {
    name: Option<String>,
    contains: Option<String>,
    matches: Option<String>,
    result: Option<String>,
    times: Option<usize>,
    gate: Option<String>,
    reply: Option<Reply>,
    code: Option<String>,
    status: Option<u16>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
}

impl FileRule {
    fn check(self, rule: &str) -> Result<Rule, ScenarioError> {
        let response = match (self.reply, self.code, self.status) {
            (Some(reply), None, None) => Response::Reply(reply),
            (None, Some(source), None) => Response::Reply(Reply::calling(String::new(), vec![Call::code(&source)])),
            (None, None, Some(status)) => Response::Raw { status, headers: self.headers, body: self.body },
            _ => return Err(ScenarioError::Answer { rule: rule.to_owned() }),
        };
        let pattern = |text: Option<String>| {
            let pattern = text.map(|text| Regex::new(&text)).transpose();
            pattern.map_err(|source| ScenarioError::Pattern { rule: rule.to_owned(), source })
        };
        Ok(Rule {
            name: self.name,
            contains: self.contains,
            matches: pattern(self.matches)?,
            result: pattern(self.result)?,
            times: self.times,
            gate: self.gate,
            response,
        })
    }
}

/// A reply is its text, or a mapping.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum ReplyText {
    Text(String),
    #[serde(rename_all = "camelCase")]
    Full {
        #[serde(default)]
        text: String,
        #[serde(default)]
        calls: Vec<Call>,
        finish: Option<String>,
        thoughts: Option<String>,
        usage: Option<Usage>,
        #[serde(default)]
        ending: Ending,
        #[serde(default)]
        before_gate: usize,
    },
}

impl Reply {
    /// A reply of which nothing else is special.
    fn calling(text: String, calls: Vec<Call>) -> Self {
        let finish = if calls.is_empty() { "stop" } else { "tool_calls" }.to_owned();
        Self { text, calls, finish, thoughts: None, usage: None, ending: Ending::Done, before_gate: 0 }
    }
}

impl From<ReplyText> for Reply {
    fn from(text: ReplyText) -> Self {
        match text {
            ReplyText::Text(text) => Self::calling(text, Vec::new()),
            ReplyText::Full { text, calls, finish, thoughts, usage, ending, before_gate } => {
                let plain = Self::calling(text, calls);
                Self { finish: finish.unwrap_or(plain.finish), thoughts, usage, ending, before_gate, ..plain }
            }
        }
    }
}

#[cfg(test)]
mod tests;
