//! What the server knows: the scenario, what was asked, which gates are open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use super::scenario::{Rule, Scenario};

/// A completion that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// From 1.
    pub number: usize,
    /// When it came.
    pub at: jiff::Timestamp,
    /// The name or place of the rule that answered, or `default`.
    pub rule: String,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The whole body.
    pub body: Value,
}

impl Recorded {
    /// Role and content of each message.
    pub fn messages(&self) -> Vec<(&str, &str)> {
        messages(&self.body).iter().map(|message| (text(message, "role"), text(message, "content"))).collect()
    }

    /// The results of functions that it ends in, one text; none if it ends in something else.
    pub fn result(&self) -> Option<String> {
        results(&self.body)
    }
}

/// Everything the server knows.
#[derive(Debug)]
pub struct State {
    script: Mutex<Script>,
    requests: watch::Sender<Vec<Recorded>>,
    gates: Mutex<HashMap<String, Arc<Semaphore>>>,
}

#[derive(Debug)]
struct Script {
    scenario: Scenario,
    /// How often each rule has answered.
    used: Vec<usize>,
}

impl State {
    /// Nothing asked, all gates closed.
    pub fn new(scenario: Scenario) -> Self {
        Self {
            script: Mutex::new(Script::new(scenario)),
            requests: watch::Sender::new(Vec::new()),
            gates: Mutex::default(),
        }
    }

    /// Replaces the scenario.
    pub fn script(&self, scenario: Scenario) {
        *lock(&self.script) = Script::new(scenario);
    }

    /// What was asked so far.
    pub fn requests(&self) -> Vec<Recorded> {
        self.requests.borrow().clone()
    }

    /// What was asked, once there are `count` requests.
    pub async fn wait_for(&self, count: usize) -> Vec<Recorded> {
        let mut requests = self.requests.subscribe();
        match requests.wait_for(|requests| requests.len() >= count).await {
            Ok(requests) => requests.clone(),
            // The sender is part of `self`.
            Err(_) => self.requests(),
        }
    }

    /// Lets one request through `gate`.
    pub fn open(&self, gate: &str) {
        self.gate(gate).add_permits(1);
    }

    /// Waits to be let through `gate`.
    pub(super) async fn pass(&self, gate: &str) {
        if let Ok(permit) = self.gate(gate).acquire_owned().await {
            permit.forget();
        }
    }

    fn gate(&self, name: &str) -> Arc<Semaphore> {
        Arc::clone(lock(&self.gates).entry(name.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(0))))
    }

    /// Records a question and picks its answer.
    pub(super) fn ask(&self, authorization: Option<String>, body: Value) -> (Recorded, Rule) {
        let (name, rule) = lock(&self.script).pick(question(&body), results(&body).as_deref());
        let at = jiff::Timestamp::now();
        let mut recorded = Recorded { number: 0, at, rule: name, authorization, body };
        self.requests.send_modify(|requests| {
            recorded.number = requests.len() + 1;
            requests.push(recorded.clone());
        });
        (recorded, rule)
    }
}

impl Script {
    fn new(scenario: Scenario) -> Self {
        Self { used: vec![0; scenario.rules.len()], scenario }
    }

    fn pick(&mut self, question: &str, result: Option<&str>) -> (String, Rule) {
        for (place, rule) in self.scenario.rules.iter().enumerate() {
            let used = self.used[place];
            if rule.times.is_none_or(|times| used < times) && rule.fits(question, result) {
                self.used[place] += 1;
                return (rule.name.clone().unwrap_or_else(|| place.to_string()), rule.clone());
            }
        }
        ("default".to_owned(), self.scenario.default.clone())
    }
}

fn text<'a>(message: &'a Value, key: &str) -> &'a str {
    message[key].as_str().unwrap_or_default()
}

fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The results of functions that the request ends in, if it does.
fn results(body: &Value) -> Option<String> {
    let mut results: Vec<&str> = messages(body)
        .iter()
        .rev()
        .take_while(|message| message["role"] == "tool")
        .map(|message| text(message, "content"))
        .collect();
    results.reverse();
    (!results.is_empty()).then(|| results.join("\n"))
}

/// The last user message.
fn question(body: &Value) -> &str {
    let last = messages(body).iter().rev().find(|message| message["role"] == "user");
    last.map(|message| text(message, "content")).unwrap_or_default()
}

/// No holder of these locks panics half-way through a change.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
