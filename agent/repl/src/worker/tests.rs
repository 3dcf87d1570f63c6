//! The worker of this crate's tests, and what they share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::alloc::Allocator;
use crate::call::{Call, CallError, Exception, Host};
use crate::catalogue::{Catalogue, Function};
use crate::limits::{Limits, Program};

#[global_allocator]
static GLOBAL: Allocator = Allocator;

/// The worker of all tests of this crate; without its arguments it does nothing.
#[test]
fn python_worker() {
    super::serve_if_worker();
}

pub(crate) fn program() -> Program {
    Program::test("worker::tests::python_worker")
}

pub(crate) fn filter_limits() -> Limits {
    // Tests run side by side, and on busy machines.
    Limits { program: program(), wall: Duration::from_secs(5), ..Limits::filter() }
}

pub(crate) fn code_limits() -> Limits {
    Limits { program: program(), wall: Duration::from_secs(20), ..Limits::code() }
}

/// A worker that says nothing after its first word.
pub(crate) fn silent() -> Program {
    let script = r#"echo '"ready"'; while read -r line; do :; done"#;
    Program { path: "/bin/sh".into(), arguments: vec!["-c".to_owned(), script.to_owned()] }
}

/// A host that writes down what it is asked, and answers by a rule.
#[derive(Clone)]
pub(crate) struct Recorder {
    pub(crate) calls: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    pub(crate) fn new() -> Self {
        Self { calls: Arc::default() }
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

impl Host for Recorder {
    /// `echo` gives its arguments back, `fail` fails, `stuck` never answers; others give a number.
    fn call(&self, call: Call) -> BoxFuture<'static, Result<Value, CallError>> {
        let server = call.server.clone().unwrap_or_default();
        let arguments = Value::Object(call.arguments.clone());
        self.calls.lock().unwrap().push(format!("{server}/{} {arguments}", call.name));
        async move {
            match call.name.as_str() {
                "echo" => Ok(arguments),
                "fail" => Err(CallError::new(Exception::RuntimeError, "the server says no")),
                "stuck" => std::future::pending().await,
                _ => Ok(json!(7)),
            }
        }
        .boxed()
    }
}

pub(crate) fn function(server: &str, name: &str, read_only: bool, schema: &Value) -> Function {
    Function {
        server: (!server.is_empty()).then(|| server.to_owned()),
        name: name.to_owned(),
        description: Some(format!("Does {name}.\nMore of it.")),
        schema: schema.as_object().cloned().unwrap_or_default(),
        read_only,
    }
}

pub(crate) fn catalogue() -> Catalogue {
    let any = json!({"properties": {"x": {}, "y": {}}});
    let resource = json!({
        "properties": {"resource": {"type": "string"}, "namespace": {"type": ["string", "null"]}, "limit": {"type": "integer"}},
        "required": ["resource"]
    });
    Catalogue::new([
        function("kcp", "get", true, &resource),
        function("kcp", "delete", false, &any),
        function("kcp", "echo", true, &any),
        function("git-hub", "fail", true, &any),
        function("git-hub", "stuck", true, &any),
        function(
            "",
            "watch_start",
            false,
            &json!({"properties": {"name": {"type": "string"}, "uri": {"type": "string"}, "on_event": {"type": ["string", "null"]}}, "required": ["name", "uri"]}),
        ),
    ])
}
