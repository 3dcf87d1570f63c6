//! What Python calls: the host that answers, a call with bound arguments, the error that Python sees.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Answers the calls of Python. Those of one `asyncio.gather` run at the same time, 16 at most; a call still open when
/// the run ends is dropped.
pub trait Host: Send + Sync {
    /// Does one call, whose arguments fit the function's schema.
    fn call(&self, call: Call) -> BoxFuture<'static, Result<Value, CallError>>;
}

impl<H: Host + ?Sized> Host for Arc<H> {
    fn call(&self, call: Call) -> BoxFuture<'static, Result<Value, CallError>> {
        self.as_ref().call(call)
    }
}

/// One call of a function of the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The MCP server; none for a built-in.
    pub server: Option<String>,
    /// The function's own name, as the server lists it.
    pub name: String,
    /// The arguments by name, bound and checked.
    pub arguments: Map<String, Value>,
}

/// A call that failed, raised in Python where it was called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{exception}: {message}")]
pub struct CallError {
    /// What is raised.
    pub exception: Exception,
    /// Its text.
    pub message: String,
}

impl CallError {
    /// An error of this kind.
    pub fn new(exception: Exception, message: impl Into<String>) -> Self {
        Self { exception, message: message.into() }
    }
}

/// The exceptions that a call may raise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exception {
    /// The call failed.
    RuntimeError,
    /// An argument's value is not acceptable.
    ValueError,
    /// The call is not allowed here.
    PermissionError,
    /// The arguments do not fit the function.
    TypeError,
    /// There was no answer in time.
    TimeoutError,
}

impl Exception {
    /// Its name in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RuntimeError => "RuntimeError",
            Self::ValueError => "ValueError",
            Self::PermissionError => "PermissionError",
            Self::TypeError => "TypeError",
            Self::TimeoutError => "TimeoutError",
        }
    }
}

impl std::fmt::Display for Exception {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
