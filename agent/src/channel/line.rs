//! A line that is typed at the terminal: a message, or a command that begins with a slash.

use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// What `/help` prints.
pub(crate) const HELP: &str = "\
Type a message for the agent, or a command:
  /call SERVER TOOL [JSON]   calls a tool of an MCP server, as in: /call memo memo_set {\"key\":\"todo\",\"value\":\"milk\"}
  /servers                   lists the MCP servers
  /help                      prints this";

/// A line that was typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line {
    /// A message for the agent.
    Message(String),
    /// `/call SERVER TOOL JSON`.
    Call { server: String, tool: String, arguments: Map<String, Value> },
    /// `/servers`.
    Servers,
    /// `/help`.
    Help,
    /// A command that makes no sense, and why.
    Wrong(String),
}

/// What a line means, without the blanks around it.
pub(crate) fn parse(line: &str) -> Line {
    let Some(command) = line.strip_prefix('/') else { return Line::Message(line.to_owned()) };
    let (name, rest) = split(command);
    match name {
        "call" => call(rest),
        "servers" => Line::Servers,
        "help" => Line::Help,
        _ => Line::Wrong(format!("unknown command /{name}; there are /call, /servers and /help")),
    }
}

fn call(rest: &str) -> Line {
    let (server, rest) = split(rest);
    let (tool, arguments) = split(rest);
    if tool.is_empty() {
        return Line::Wrong("write /call SERVER TOOL [JSON]".to_owned());
    }
    let arguments = if arguments.is_empty() { "{}" } else { arguments };
    match serde_json::from_str(arguments) {
        Ok(arguments) => Line::Call { server: server.to_owned(), tool: tool.to_owned(), arguments },
        Err(error) => Line::Wrong(format!("the arguments must be a JSON object: {error}")),
    }
}

fn split(text: &str) -> (&str, &str) {
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (first, rest.trim_start())
}
