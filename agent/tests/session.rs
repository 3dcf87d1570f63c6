//! A conversation over restarts of the built program: the model's side of it is a script on the loopback.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic, in its helpers too")]

use std::fs;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(30);

/// An endpoint whose answers a test gives when it has seen the request.
struct Model {
    url: String,
    requests: Receiver<Vec<Value>>,
    answers: Sender<Value>,
}

impl Model {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (request, requests) = mpsc::channel();
        let (answers, answer) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let messages = messages(&mut stream);
                if request.send(messages).is_err() {
                    return;
                }
                let Ok(answer) = answer.recv() else { return };
                // One that was killed does not hear it.
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: {answer}\n\ndata: [DONE]\n\n"
                );
            }
        });
        Self { url, requests, answers }
    }

    /// What the next call says after the system prompt, in short.
    fn called(&self) -> Vec<String> {
        let messages = self.requests.recv_timeout(LIMIT).expect("a call of the model");
        messages.iter().skip(1).map(short).collect()
    }

    fn answer(&self, delta: &Value) {
        self.answers.send(json!({"choices": [{"delta": delta, "finish_reason": "stop"}]})).unwrap();
    }
}

fn messages(stream: &mut TcpStream) -> Vec<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    body["messages"].as_array().unwrap().clone()
}

fn short(message: &Value) -> String {
    let text = message["content"].as_str().unwrap_or_default();
    match message["role"].as_str().unwrap() {
        "assistant" if message["tool_calls"].is_array() => format!("calls {}", message["tool_calls"][0]["id"]),
        "tool" => format!("result of {}: {}", message["tool_call_id"], text.contains("42")),
        role => format!("{role}: {text}"),
    }
}

/// Ends with the test, whatever its outcome.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(folder: &Path) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_asyncai"));
    command.arg("run").arg("-f").arg(folder.join("agent.yaml")).arg("--state-dir").arg(folder.join("state"));
    Run(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap())
}

/// Says `input`, answers the one call that follows by `reply`, and gives that call and what the program printed.
fn once(folder: &Path, model: &Model, input: &str, reply: &str) -> (Vec<String>, String) {
    let mut run = start(folder);
    run.0.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let mut output = run.0.stdout.take().unwrap();
    let (ended, said) = mpsc::channel();
    std::thread::spawn(move || {
        let mut said = String::new();
        output.read_to_string(&mut said).unwrap();
        ended.send(said)
    });
    let called = model.called();
    model.answer(&json!({"content": reply}));
    (called, said.recv_timeout(LIMIT).expect("the end of the run"))
}

#[test]
fn a_kill_in_the_middle_of_a_turn_loses_nothing_and_runs_nothing_twice() {
    let model = Model::start();
    let folder = tempfile::tempdir().unwrap();
    let manifest = format!(
        "apiVersion: asyncai.dev/v1alpha1\nkind: Agent\nmetadata: {{name: memo}}\n\
         spec:\n  model: {{provider: OpenAI, baseURL: {}, name: qwen}}\n  mcpServers: [{{name: memo, simple: {{}}}}]\n",
        model.url
    );
    fs::write(folder.path().join("agent.yaml"), manifest).unwrap();

    let mut run = start(folder.path());
    let mut input = run.0.stdin.take().unwrap();
    writeln!(input, "how much is it?").unwrap();
    assert_eq!(model.called(), ["user: how much is it?"]);
    let call = json!({"id": "a", "function": {"name": "run_code", "arguments": r#"{"code": "6 * 7"}"#}});
    model.answer(&json!({"tool_calls": [call]}));
    let begun = ["user: how much is it?", "calls \"a\"", "result of \"a\": true"];
    assert_eq!(model.called(), begun);
    drop(run);
    model.answer(&json!({"content": "too late"}));

    let restarted = "user: [the agent was restarted: what run_code had defined is gone]";
    let (called, said) = once(folder.path(), &model, "", "It is 42.");
    assert_eq!(called, [begun.as_slice(), &[restarted]].concat());
    assert!(said.contains("It is 42.") && !said.contains("too late"), "{said}");

    let (called, _) = once(folder.path(), &model, "sure?\n", "Yes.");
    assert_eq!(called, [begun.as_slice(), &["assistant: It is 42.", restarted, "user: sure?"]].concat());
}
