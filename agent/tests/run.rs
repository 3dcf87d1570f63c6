//! `asyncai run` and `asyncai check` as people use them: the built program, its streams and its exit status.

#![expect(clippy::unwrap_used, reason = "a test may panic, in its helpers too")]

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(30);

const AGENT: &str = "
apiVersion: asyncai.dev/v1alpha1
kind: Agent
metadata: {name: memo}
spec:
  model: {provider: Relay}
  mcpServers: [{name: memo, simple: {}}]
";
const SET: &str = r#"/call memo memo_set {"key": "todo", "value": "milk"}"#;

fn watch(name: &str) -> String {
    format!(
        "---\napiVersion: asyncai.dev/v1alpha1\nkind: Watch\nmetadata: {{name: {name}}}\n\
         spec: {{agentRef: {{name: memo}}, uri: 'memo://notes', debounceSeconds: 0}}\n"
    )
}

fn manifest(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memo.yaml");
    fs::write(&file, text).unwrap();
    (folder, file)
}

fn asyncai(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_asyncai"));
    command.args(arguments);
    command
}

fn run_with_input(arguments: &[&str], input: &str) -> Output {
    let mut child =
        asyncai(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let (send, ended) = mpsc::channel();
    let id = child.id();
    std::thread::spawn(move || send.send(child.wait_with_output().unwrap()));
    ended.recv_timeout(LIMIT).unwrap_or_else(|_| {
        signal("KILL", id);
        panic!("{arguments:?} does not end");
    })
}

fn signal(name: &str, process: u32) {
    assert!(Command::new("kill").args(["-s", name, &process.to_string()]).status().unwrap().success());
}

/// A running agent, whose events are awaited by name.
struct Agent {
    child: Child,
    input: ChildStdin,
    events: Receiver<Value>,
    complaints: Receiver<String>,
}

impl Agent {
    fn start(file: &Path) -> Self {
        let mut command = asyncai(&["run", "-f", file.to_str().unwrap(), "--output", "ndjson", "--verbose"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (send, events) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            for line in lines {
                let event: Value = serde_json::from_str(&line).unwrap();
                if send.send(event).is_err() {
                    return;
                }
            }
        });
        let (send, complaints) = mpsc::channel();
        let errors = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            errors.lines().map_while(Result::ok).take_while(|line| send.send(line.clone()).is_ok()).count()
        });
        Self { input: child.stdin.take().unwrap(), child, events, complaints }
    }

    fn event(&self, name: &str, watch: &str) -> Value {
        loop {
            let event = self.events.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("no {name} of {watch}"));
            if event["event"] == name && event["watch"] == watch {
                return event;
            }
        }
    }

    fn complaint(&self, says: &str) {
        while !self.complaints.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("nothing says {says:?}")).contains(says) {}
    }

    fn terminate(mut self) -> i32 {
        signal("TERM", self.child.id());
        // The input stays open: the end must not wait for a line.
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn a_change_is_told_and_the_end_of_input_ends_the_run() {
    let (_folder, file) = manifest(&(AGENT.to_owned() + &watch("notes")));
    let output = run_with_input(&["run", "-f", file.to_str().unwrap()], SET);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("# memo_set: {\"changed\":true}"), "{said}");
    assert_eq!(said.matches("notes: ADDED todo").count(), 1, "{said}");
    assert!(output.status.success());
}

#[test]
fn the_next_run_tells_what_changed_in_between() {
    let (folder, file) = manifest(&(AGENT.to_owned() + &watch("notes")));
    let state = folder.path().join("state");
    let arguments = ["run", "-f", file.to_str().unwrap(), "--state-dir", state.to_str().unwrap()];
    run_with_input(&arguments, SET);
    let status = fs::read_to_string(state.join("watch-notes.yaml")).unwrap();
    assert!(status.contains("notices: 1"), "{status}");
    // The memo is in the memory of a run, so the next one finds it empty again.
    let said = String::from_utf8(run_with_input(&arguments, "").stdout).unwrap();
    assert_eq!(said.matches("notes: ").count(), 1, "{said}");
    assert!(said.contains("notes: CHANGED todo") || said.contains("notes: DELETED todo"), "{said}");
    let said = String::from_utf8(run_with_input(&arguments, "").stdout).unwrap();
    assert!(!said.contains("notes: "), "told twice: {said}");
}

#[test]
fn an_edit_of_the_manifests_applies_and_a_mistake_changes_nothing() {
    let (_folder, file) = manifest(&(AGENT.to_owned() + &watch("notes")));
    let agent = Agent::start(&file);
    agent.event("watch.subscribed", "notes");
    OpenOptions::new().append(true).open(&file).unwrap().write_all(watch("more").as_bytes()).unwrap();
    agent.event("watch.subscribed", "more");
    fs::write(&file, AGENT.to_owned() + &watch("notes").replace("debounceSeconds", "debounceSecond")).unwrap();
    agent.complaint("debounceSecond");
    fs::write(&file, AGENT.to_owned() + &watch("more")).unwrap();
    agent.event("watch.stopped", "notes");
    writeln!(&agent.input, "{SET}").unwrap();
    assert_eq!(agent.event("watch.notice", "more")["lines"][0], "ADDED todo");
    assert_eq!(agent.terminate(), 0);
}

#[test]
fn a_misspelt_resource_is_answered_with_what_there_is() {
    let (_folder, file) = manifest(&(AGENT.to_owned() + &watch("notes").replace("memo://notes", "memo://nots")));
    let agent = Agent::start(&file);
    let failed = agent.event("watch.failed", "notes");
    let message = failed["message"].as_str().unwrap();
    assert!(message.contains("it has no such resource; it offers memo://notes"), "{message}");
}

#[test]
fn wrong_manifests_end_the_run_at_once_and_say_where() {
    let (_folder, file) = manifest(&(AGENT.to_owned() + &watch("notes").replace("name: memo}", "name: nemo}")));
    let output = run_with_input(&["run", "-f", file.to_str().unwrap()], "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("Watch notes: spec.agentRef.name: there is no Agent \"nemo\", only \"memo\""), "{said}");
}

#[test]
fn an_unknown_channel_is_a_usage_error() {
    let (_folder, file) = manifest(AGENT);
    let output = run_with_input(&["run", "-f", file.to_str().unwrap(), "-c", "#ops"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("unknown channel \"#ops\""));
}

#[test]
fn check_tells_findings_by_its_exit_status() {
    let check = |text: &str| {
        let (_folder, file) = manifest(text);
        let output = run_with_input(&["check", "-f", file.to_str().unwrap(), "--output", "json"], "");
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default())
    };
    assert_eq!(check(&(AGENT.to_owned() + &watch("notes"))), (Some(0), Value::Array(Vec::new())));
    let (code, findings) = check(&AGENT.replace("Relay", "Rely"));
    assert_eq!(code, Some(1));
    assert_eq!((&findings[0]["field"], &findings[0]["line"]), (&"spec.model.provider".into(), &6.into()));
    assert_eq!(run_with_input(&["check", "-f", "nowhere.yaml"], "").status.code(), Some(2));
}

#[test]
fn the_simple_server_is_watchable() {
    let program = env!("CARGO_BIN_EXE_asyncai");
    let output = run_with_input(&["mcp", "check", program, "mcp", "simple"], "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_examples_are_valid() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../e2e/examples");
    for example in fs::read_dir(examples).unwrap() {
        let path = example.unwrap().path();
        let output = run_with_input(&["check", "-f", path.to_str().unwrap()], "");
        assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn a_broken_filter_is_a_finding_at_its_line() {
    let filter = "  onEvent: |\n    m = event['object']\n    f'{metdata}'\n";
    let watch = "apiVersion: asyncai.dev/v1alpha1\nkind: Watch\nmetadata: {name: cm}\nspec:\n  \
                 agentRef: {name: memo}\n  uri: memo://notes\n";
    let (_folder, file) = manifest(&format!("{watch}{filter}"));
    let output = run_with_input(&["check", "-f", file.to_str().unwrap()], "");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("memo.yaml:9: spec.onEvent: ") && said.contains("'metdata' is not defined"), "{said}");
}
