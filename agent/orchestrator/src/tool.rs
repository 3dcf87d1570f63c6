//! The one function that the model may call: `run_code`.

use serde_json::Value;

use crate::message::ToolCall;
use crate::reply::NO_REPLY;

/// Its name.
pub const RUN_CODE: &str = "run_code";
/// How it is called.
const USAGE: &str = r#"call run_code with {"code": "<Python>"}"#;

/// What a call comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Call {
    /// Python to run.
    Run(String),
    /// The model says that it has nothing to say.
    Silence,
    /// It cannot be run, and the model is told why.
    Refused(String),
}

/// Reads a call.
pub(crate) fn read(call: &ToolCall) -> Call {
    if call.name != RUN_CODE {
        return Call::Refused(format!("not run: there is no function {:?}, only run_code; {USAGE}", call.name));
    }
    let source = match serde_json::from_str(&call.arguments) {
        Ok(Value::String(source)) => source,
        Ok(Value::Object(mut arguments)) => match arguments.remove("code") {
            Some(Value::String(source)) => source,
            Some(_) => return Call::Refused(format!("not run: \"code\" is not a string; {USAGE}")),
            None => return Call::Refused(format!("not run: the arguments have no \"code\"; {USAGE}")),
        },
        Ok(_) => return Call::Refused(format!("not run: the arguments are no JSON object; {USAGE}")),
        Err(error) => return Call::Refused(format!("not run: the arguments are not JSON ({error}); {USAGE}")),
    };
    if is_silence(&source) { Call::Silence } else { Call::Run(source) }
}

/// The call as it may stand in the conversation: endpoints refuse one whose arguments are no JSON object.
pub(crate) fn presentable(call: ToolCall) -> ToolCall {
    let arguments = match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(_)) => return call,
        Ok(Value::String(source)) => serde_json::json!({ "code": source }),
        Ok(_) | Err(_) => serde_json::json!({ "code": call.arguments }),
    };
    ToolCall { arguments: arguments.to_string(), ..call }
}

/// Whether a model means to say nothing, and says that in code.
fn is_silence(source: &str) -> bool {
    let source = source.trim();
    let printed = source.strip_prefix("print(").and_then(|rest| rest.strip_suffix(')'));
    printed.unwrap_or(source).trim().trim_matches(['"', '\'', '`']).trim() == NO_REPLY
}

#[cfg(test)]
mod tests;
