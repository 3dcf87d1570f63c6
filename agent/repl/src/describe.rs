//! The description of the model's tool `run_code`.

use std::fmt::Write as _;

use crate::catalogue::{Catalogue, Function};
use crate::help::{first_line, signature};

/// What a description may have, in bytes.
const ROOM: usize = 8 << 10;

const HOW: &str = "\
Runs Python in a REPL that persists: names of earlier runs are still there, and each result ends with a note of them, so use them \
again instead of asking again. You get what was printed, the value of the last expression as JSON, the traceback of an error with \
line and column, and the note. Prefer an expression at the end to print, and take only the fields you need: long output is cut.

The functions below are there without import, called as `server.tool(...)`, or by the bare name where only one has it. Arguments go by \
name or by position. Each returns data (dict, list, str, numbers); `await` before a call is optional. Calls run at the same time in \
`await asyncio.gather(a(...), b(...))` (after `import asyncio`). A wrong or missing argument is a TypeError that says what is allowed.

This Python has functions, classes, comprehensions, f-strings, try, with, match, lambda, async def, and the modules MODULES. \
It has no class inheritance, no `yield` (build a list), no `del` (use `.pop`), no `globals()`, no create_task, no files, environment, network or \
subprocesses, no sleep, no other imports; an exception takes at most one str. Never poll or loop until something changes: start a watch.

An answer to people is no code: never run text such as NO_REPLY here, reply with it.
";

/// The description of `run_code`: how it works, what Python lacks, the functions; at most 8 KB. With many functions it
/// has less of each, down to their number, and says how to ask for the rest.
pub fn describe(catalogue: &Catalogue) -> String {
    let modules = monty::builtin_module_names().join(", ");
    let mut text = HOW.replace("MODULES", &modules);
    if catalogue.is_empty() {
        text.push_str("\nThere are no functions now: no server is connected.\n");
        return text;
    }
    let room = ROOM.saturating_sub(text.len());
    let forms: [fn(&Catalogue) -> String; 3] = [in_full, by_name, by_count];
    let list = forms.iter().map(|form| form(catalogue)).find(|list| list.len() <= room);
    text.push_str(&list.unwrap_or_else(|| rest(catalogue, room)));
    text
}

/// Each with its signature, and its first line; of a built-in all that it says.
fn in_full(catalogue: &Catalogue) -> String {
    listed(catalogue, "\nFunctions (`tool_help(name)` tells more):\n", |path, function| {
        let whole = function.description.clone().filter(|_| function.server.is_none());
        let about = whole.unwrap_or_else(|| first_line(function));
        let separator = if about.is_empty() { "" } else { " - " };
        format!("{}{separator}{about}", signature(path, function))
    })
}

/// Each with the beginning of its first line.
fn by_name(catalogue: &Catalogue) -> String {
    listed(catalogue, MANY, |path, function| {
        let about: String = first_line(function).chars().take(60).collect();
        let separator = if about.is_empty() { "" } else { " - " };
        format!("{path}{separator}{about}")
    })
}

const MANY: &str = "\nFunctions. Before a first call ask `tool_help(name)` for the arguments; `list_tools(query=\"words\")` finds functions:\n";

fn listed(catalogue: &Catalogue, head: &str, line: impl Fn(&str, &Function) -> String) -> String {
    catalogue.paths().fold(head.to_owned(), |mut list, (path, function)| {
        let _ = writeln!(list, "{}", line(path, function));
        list
    })
}

/// The built-ins in full, of each server how many it has and the names.
fn by_count(catalogue: &Catalogue) -> String {
    let mut list = built_in(catalogue);
    for (group, methods) in catalogue.groups() {
        let _ = writeln!(list, "{group}: {} functions: {}", methods.len(), methods.join(", "));
    }
    list
}

/// As many servers as there is room for, without names.
fn rest(catalogue: &Catalogue, room: usize) -> String {
    const END: &str = "… and more servers: ask list_tools().\n";
    let mut list = built_in(catalogue);
    for (group, methods) in catalogue.groups() {
        let line = format!("{group}: {} functions, ask list_tools(query=\"{group}\")\n", methods.len());
        if list.len() + line.len() + END.len() > room {
            list.push_str(END);
            break;
        }
        list.push_str(&line);
    }
    list
}

fn built_in(catalogue: &Catalogue) -> String {
    let mut list = MANY.to_owned();
    for (path, function) in catalogue.paths().filter(|(_, function)| function.server.is_none()) {
        let _ = writeln!(list, "{} - {}", signature(path, function), first_line(function));
    }
    list
}

#[cfg(test)]
mod tests;
