//! Workers as processes: hostile code, what they hold in the long run, what they can do to the system.
#![expect(clippy::unwrap_used, reason = "a test fails so")]

mod hostile;
mod leak;
#[cfg(target_os = "linux")]
mod sandbox;
mod snippets;

use asyncai_repl::{Allocator, Call, CallError, Catalogue, Function, Host, Program};
use futures::future::BoxFuture;
use serde_json::{Value, json};

#[global_allocator]
static GLOBAL: Allocator = Allocator;

fn program() -> Program {
    Program::test("python_worker")
}

#[test]
fn python_worker() {
    asyncai_repl::serve_if_worker();
}

struct Echo;

impl Host for Echo {
    fn call(&self, call: Call) -> BoxFuture<'static, Result<Value, CallError>> {
        Box::pin(async move {
            match call.name.as_str() {
                "stuck" => std::future::pending().await,
                "echo" => Ok(Value::Object(call.arguments)),
                _ => Ok(json!(7)),
            }
        })
    }
}

fn catalogue() -> Catalogue {
    let function = |name: &str, parameters: Value| Function {
        server: Some("kcp".to_owned()),
        name: name.to_owned(),
        description: None,
        schema: json!({"properties": parameters}).as_object().cloned().unwrap_or_default(),
        read_only: true,
    };
    Catalogue::new([
        function("get", json!({"resource": {}})),
        function("echo", json!({"x": {}})),
        function("stuck", json!({})),
    ])
}
