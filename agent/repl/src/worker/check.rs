//! What can be said of a filter without running it: its syntax, and names that exist nowhere.

use std::time::{Duration, Instant};

use monty::ReplProgress;
use monty_types::{NamedValues, PrintWriter};
use ruff_python_ast::Stmt;

use crate::identifier::did_you_mean;
use crate::wire::{Names, Problem};
use crate::worker::analysis::{normalised, parse, position};
use crate::worker::filter::compile;
use crate::worker::python::interpreter;
use crate::worker::scopes::{self, Free, Usage};

/// Names that the crate answers itself.
const OURS: &[&str] = &["event", "list_tools", "tool_help"];

/// The first thing that is wrong. `complete` says that no function will come that is not known yet.
pub(super) fn check(names: &Names, source: &str, complete: bool) -> Option<Problem> {
    let source = normalised(source);
    if let Err(problem) = compile(&source) {
        return Some(problem);
    }
    let parsed = parse(&source)?;
    let body = parsed.suite();
    scopes::free(body).into_iter().find_map(|free| wrong(names, body, &free, complete)).map(|(offset, problem)| {
        let (line, column) = position(&source, offset);
        Problem { line, column, ..problem }
    })
}

fn wrong(names: &Names, body: &[Stmt], free: &Free, complete: bool) -> Option<(usize, Problem)> {
    let name = free.name.as_str();
    if let Some((group, methods)) = names.groups.iter().find(|(group, _)| group == name) {
        let Usage::Attribute(method) = &free.usage else { return None };
        if !methods.contains(method) {
            let close = did_you_mean(method, methods.iter().map(String::as_str));
            let message = format!("'{group}' has no function '{method}'{close}");
            return complete.then(|| (free.offset, found("AttributeError", message)));
        }
        return forbidden(names, &format!("{group}.{method}"), free);
    }
    if names.functions.iter().any(|function| function == name) {
        return forbidden(names, name, free);
    }
    let may_come = !complete && free.usage != Usage::Read;
    if OURS.contains(&name) || may_come || is_builtin(name) {
        return None;
    }
    let groups = names.groups.iter().map(|(group, _)| group.as_str());
    let bound = scopes::bound(body);
    let known = names.functions.iter().chain(&bound).map(String::as_str).chain(groups).chain(OURS.iter().copied());
    let close = did_you_mean(name, known.chain(BUILTINS.iter().copied()));
    Some((free.offset, found("NameError", format!("name '{name}' is not defined{close}"))))
}

fn forbidden(names: &Names, path: &str, free: &Free) -> Option<(usize, Problem)> {
    let is_called = free.usage != Usage::Read;
    (is_called && names.forbidden.iter().any(|name| name == path))
        .then(|| (free.offset, found("PermissionError", format!("{path}: {}", crate::drive::READ_ONLY))))
}

/// Builtins that a mistyped name may mean.
const BUILTINS: &[&str] = &[
    "abs",
    "all",
    "any",
    "bool",
    "dict",
    "enumerate",
    "filter",
    "float",
    "int",
    "isinstance",
    "len",
    "list",
    "map",
    "max",
    "min",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
    "type",
    "zip",
];

/// The interpreter knows: it asks for the names that it has not.
fn is_builtin(name: &str) -> bool {
    let mut python = interpreter(16 << 20);
    let soon = Instant::now() + Duration::from_millis(100);
    python.tracker_mut().set_max_turn_duration(soon.saturating_duration_since(Instant::now()));
    matches!(python.feed_start(name, NamedValues::new(), PrintWriter::Disabled), Ok(ReplProgress::Complete { .. }))
}

fn found(exception: &str, message: String) -> Problem {
    Problem { exception: exception.to_owned(), message, ..Problem::default() }
}
