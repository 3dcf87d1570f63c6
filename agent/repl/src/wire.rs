//! What parent and worker say to each other: one JSON value a line.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::call::{CallError, Exception};

/// What a call's arguments may have, in bytes of JSON.
pub(crate) const ARGUMENTS: usize = 4 << 20;

/// From the parent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// The first line: what Python may hold, in bytes.
    Begin { memory: usize },
    /// What Python may call from now on.
    Names(Names),
    /// Run this in the REPL.
    Run { source: String, most: Most },
    /// This is the filter; nothing is answered.
    Load { source: String },
    /// Run the filter on an event.
    Event { event: Box<RawValue>, most: Most },
    /// Look at the filter without running it.
    Check { source: String, complete: bool },
    /// A call returned.
    Answer { id: u32, result: Box<RawValue> },
    /// A call failed.
    Failed { id: u32, error: CallError },
}

/// What one run may use.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Most {
    /// Of time, the host's answers included.
    pub(crate) millis: u64,
    /// Of calls. The parent counts too.
    pub(crate) calls: usize,
}

impl Most {
    /// What ends a run that calls more.
    pub(crate) fn too_many(self) -> CallError {
        CallError::new(Exception::RuntimeError, format!("more than {} calls of tools", self.calls))
    }
}

/// The names that are functions, or objects with methods.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Names {
    pub(crate) functions: Vec<String>,
    pub(crate) groups: Vec<(String, Vec<String>)>,
    /// Functions that may not be called here, by path.
    pub(crate) forbidden: Vec<String>,
}

/// From the worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// It can take orders.
    Ready,
    /// Python calls a function.
    Call(Asked),
    /// The run or the event has ended.
    Done(Box<Done>),
    /// What a check found.
    Checked(Option<Problem>),
}

/// A call as Python made it; its arguments are not bound yet.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) id: u32,
    /// By path or bare name.
    pub(crate) name: String,
    pub(crate) args: Vec<Value>,
    pub(crate) kwargs: Map<String, Value>,
}

/// The end of a run or an event.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Done {
    /// What was printed, bounded.
    pub(crate) stdout: String,
    /// The last value; `str` as is for a filter, else as JSON. None for `None`.
    pub(crate) value: Option<String>,
    pub(crate) problem: Option<Problem>,
    /// The scope note.
    pub(crate) names: String,
    /// How long it took, the host's answers included.
    pub(crate) nanos: u64,
    /// The interpreter cannot go on: the worker has to be replaced.
    pub(crate) spent: bool,
}

/// An exception that nobody caught.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    /// The exception's name.
    pub(crate) exception: String,
    pub(crate) message: String,
    /// Where, in the author's source; 0 if nowhere.
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// With each frame's line, column and text.
    pub(crate) traceback: String,
}
