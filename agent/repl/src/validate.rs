//! Whether a filter can work, before anything is subscribed.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::call::{Call, CallError, Host};
use crate::catalogue::Catalogue;
use crate::drive::{Ended, Lost, drive, introduce};
use crate::filter::Filter;
use crate::limits::Limits;
use crate::process::Worker;
use crate::wire::{Order, Problem};

/// What is wrong with a filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", position(*.line, *.column))]
pub struct Finding {
    /// From 1; 0 if it is about the whole source.
    pub line: u32,
    /// From 1, in characters; 0 if it is about the whole source.
    pub column: u32,
    /// As in `NameError: name 'metdata' is not defined; did you mean: metadata`.
    pub message: String,
}

fn position(line: u32, column: u32) -> String {
    if line == 0 { String::new() } else { format!("line {line}, column {column}: ") }
}

impl Finding {
    fn whole(message: String) -> Self {
        Self { line: 0, column: 0, message }
    }
}

impl From<Problem> for Finding {
    fn from(problem: Problem) -> Self {
        let Problem { exception, message, line, column, .. } = problem;
        let message = if message.is_empty() { exception } else { format!("{exception}: {message}") };
        Self { line, column, message }
    }
}

/// Checks a filter: its size, syntax, names, and a dry run on sample events in a worker of its own, with tools that
/// answer nothing. What may depend on the data, as a missing key, is fine.
///
/// `complete` says that the catalogue holds all functions there will be; else an unknown name that is called, or whose
/// attribute is used, is forgiven.
pub async fn validate(source: &str, catalogue: &Catalogue, complete: bool, limits: &Limits) -> Result<(), Finding> {
    if source.len() > limits.source {
        let (length, most) = (source.len(), limits.source);
        return Err(Finding::whole(format!("the filter has {length} bytes, at most {most} are allowed")));
    }
    if source.trim().is_empty() {
        return Err(Finding::whole("the filter is empty: give Python source, or leave it out".to_owned()));
    }
    let catalogue = catalogue.read_only();
    look(source, &catalogue, complete, limits).await?;
    let mut filter = Filter::new(source, limits.clone());
    for sample in samples() {
        let done = filter.run(&sample.to_string(), &catalogue, &Nothing).await;
        let done = done.map_err(|error| Finding::whole(error.message))?;
        match done.problem {
            Some(problem) if is_certain(&problem, complete) || done.spent => return Err(problem.into()),
            _ => {}
        }
    }
    Ok(())
}

async fn look(source: &str, catalogue: &Catalogue, complete: bool, limits: &Limits) -> Result<(), Finding> {
    let mut worker = Worker::start(limits).await.map_err(Finding::whole)?;
    introduce(&mut worker, catalogue);
    worker.send(&Order::Check { source: source.to_owned(), complete });
    match drive(&mut worker, catalogue, &Nothing, limits).await {
        Ok(Ended::Checked(None)) => Ok(()),
        Ok(Ended::Checked(Some(problem))) => Err(problem.into()),
        Ok(Ended::Done(_)) => Err(Finding::whole("the worker answered something else".to_owned())),
        Err(Lost::Deadline) => Err(Finding::whole("the source takes too long to read".to_owned())),
        Err(Lost::Died) => Err(Finding::whole(worker.end().await)),
    }
}

/// Whether it would fail on every event alike. Only a name that may come with a server is forgiven.
fn is_certain(problem: &Problem, complete: bool) -> bool {
    match problem.exception.as_str() {
        "NameError" => complete,
        "UnboundLocalError"
        | "SyntaxError"
        | "ImportError"
        | "ModuleNotFoundError"
        | "NotImplementedError"
        | "PermissionError"
        | "TimeoutError"
        | "MemoryError"
        | "RecursionError" => true,
        "AttributeError" => problem.message.starts_with("module "),
        "RuntimeError" => problem.message.starts_with("more than "),
        "TypeError" => problem.message.contains("without await"),
        _ => false,
    }
}

/// Answers every call with an empty dict.
struct Nothing;

impl Host for Nothing {
    fn call(&self, _: Call) -> BoxFuture<'static, Result<Value, CallError>> {
        async { Ok(json!({})) }.boxed()
    }
}

/// One of an event log, of an object of Kubernetes, and one of a state.
fn samples() -> [Value; 2] {
    let object = |version: &str, data: &str| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "sample", "namespace": "default", "uid": "0b0c", "resourceVersion": version,
                "labels": {"app": "sample"}, "annotations": {}, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {}, "data": {"key": data}, "status": {"phase": "Ready", "conditions": []}
        })
    };
    [
        json!({
            "watch": "sample", "uri": "kcp-events://watch/root/configmaps", "type": "MODIFIED", "seq": 2,
            "object": object("2", "new"), "old": object("1", "old"), "changed": ["data.key"]
        }),
        json!({
            "watch": "sample", "uri": "memo://notes", "type": "MODIFIED", "key": "todo", "old": "one", "new": "two",
            "item": "two", "changed": []
        }),
    ]
}

#[cfg(test)]
mod tests;
