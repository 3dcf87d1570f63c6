//! Names of servers and tools made into names of Python.

/// The keywords of Python: no name at all.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// The builtins and modules that a tool must not hide under its bare name, and the name of a filter's input.
const TAKEN: &[&str] = &[
    "abs",
    "all",
    "any",
    "ascii",
    "asyncio",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "datetime",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "event",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "json",
    "len",
    "list",
    "locals",
    "map",
    "match",
    "math",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "os",
    "pow",
    "print",
    "property",
    "quit",
    "random",
    "range",
    "re",
    "repr",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "sys",
    "time",
    "tuple",
    "type",
    "vars",
    "zip",
    "list_tools",
    "tool_help",
];

/// Whether a tool must not have this as its bare name.
pub(crate) fn is_taken(name: &str) -> bool {
    const EXCEPTIONS: &[&str] = &["Error", "Exception", "Exit", "Interrupt", "Iteration", "Warning", "NotImplemented"];
    TAKEN.contains(&name) || EXCEPTIONS.iter().any(|end| name.ends_with(end))
}

/// The name as Python could write it: other characters become `_`, a leading digit and keywords get one.
pub(crate) fn identifier(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    if KEYWORDS.contains(&text.as_str()) {
        text.push('_');
    }
    // Underscores in front mean private: the interpreter would not ask the host for such a method.
    if text.starts_with('_') { format!("x{text}") } else { text }
}

/// The name, or the name with the lowest number from 2 that is free.
pub(crate) fn unique(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut free = name.to_owned();
    let mut number = 1;
    while taken(&free) {
        number += 1;
        free = format!("{name}_{number}");
    }
    free
}

/// The known names that are closest to a mistyped one, best first, at most three.
pub(crate) fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let score = |other: &str| {
        let slip = name.len() > 2 && strsim::damerau_levenshtein(name, other) == 1;
        if slip { 1.0 } else { strsim::jaro_winkler(name, other) }
    };
    let mut close: Vec<(f64, &str)> = known
        .filter(|other| *other != name)
        .map(|other| (score(other), other))
        .filter(|(score, _)| *score > 0.84)
        .collect();
    close.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    close.dedup_by_key(|(_, name)| *name);
    close.into_iter().take(3).map(|(_, name)| name).collect()
}

/// `; did you mean: a, b`, or nothing.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let close = similar(name, known);
    if close.is_empty() { String::new() } else { format!("; did you mean: {}", close.join(", ")) }
}
