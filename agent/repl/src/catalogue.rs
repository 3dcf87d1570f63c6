//! The functions that Python may call, and the names it calls them by.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::identifier::{identifier, is_taken, unique};

/// A function: a tool of an MCP server, or a built-in.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// The MCP server; none for a built-in.
    pub server: Option<String>,
    /// As the server lists it.
    pub name: String,
    /// What it does; its first line stands in lists.
    pub description: Option<String>,
    /// The JSON Schema of its arguments, an object.
    pub schema: Map<String, Value>,
    /// Whether a filter may call it: annotated `readOnlyHint: true`.
    pub read_only: bool,
}

/// The functions that Python may call, under the names it calls them by. Cheap to clone.
///
/// A built-in has its bare name. A server is an object with its tools as methods; a tool also has its bare name if no
/// other function has that.
#[derive(Debug, Clone)]
pub struct Catalogue {
    inner: Arc<Inner>,
    restricted: bool,
}

#[derive(Debug, Default)]
struct Inner {
    functions: Vec<Function>,
    /// By path: `kcp.get`, `watch_start`. Every function has exactly one.
    paths: BTreeMap<String, usize>,
    /// By bare name, what is unique, built-ins included.
    bare: BTreeMap<String, usize>,
    /// Server as Python names it -> its methods.
    groups: BTreeMap<String, Vec<String>>,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self::new([])
    }
}

impl PartialEq for Catalogue {
    fn eq(&self, other: &Self) -> bool {
        self.restricted == other.restricted
            && (Arc::ptr_eq(&self.inner, &other.inner) || self.inner.functions == other.inner.functions)
    }
}

impl Catalogue {
    /// Of these functions, in this order. Names that are none in Python are made so (`my-tool` is called `my_tool`); what
    /// then collides gets a number, in the order of the names.
    pub fn new(functions: impl IntoIterator<Item = Function>) -> Self {
        let mut inner = Inner { functions: functions.into_iter().collect(), ..Inner::default() };
        inner.name();
        Self { inner: Arc::new(inner), restricted: false }
    }

    /// The same names as a filter sees them: a function that may change something raises `PermissionError` when called.
    #[must_use]
    pub fn read_only(&self) -> Self {
        Self { restricted: true, ..self.clone() }
    }

    /// Whether there is nothing to call.
    pub fn is_empty(&self) -> bool {
        self.inner.functions.is_empty()
    }

    /// The function that Python calls so, by path or bare name.
    pub(crate) fn get(&self, name: &str) -> Option<&Function> {
        let inner = &self.inner;
        inner.paths.get(name).or_else(|| inner.bare.get(name)).map(|index| &inner.functions[*index])
    }

    /// Whether only what reads may be called.
    pub(crate) fn is_restricted(&self) -> bool {
        self.restricted
    }

    /// Every function under its path, in the order of the paths.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&str, &Function)> {
        self.inner.paths.iter().map(|(path, index)| (path.as_str(), &self.inner.functions[*index]))
    }

    /// The bare names.
    pub(crate) fn bare(&self) -> impl Iterator<Item = &str> {
        self.inner.bare.keys().map(String::as_str)
    }

    /// The servers as Python names them, with their methods.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.inner.groups.iter().map(|(group, methods)| (group.as_str(), methods.as_slice()))
    }
}

impl Inner {
    fn name(&mut self) {
        let mut built_in: Vec<usize> = self.indices(|function| function.server.is_none()).collect();
        built_in.sort_by_key(|index| &self.functions[*index].name);
        for index in built_in {
            let name = unique(&identifier(&self.functions[index].name), |name| self.paths.contains_key(name));
            self.paths.insert(name.clone(), index);
            self.bare.insert(name, index);
        }
        let mut servers: Vec<String> = self.functions.iter().filter_map(|function| function.server.clone()).collect();
        servers.sort();
        servers.dedup();
        for server in servers {
            self.group(&server);
        }
        self.shorten();
    }

    fn group(&mut self, server: &str) {
        let taken = |name: &str| is_taken(name) || self.groups.contains_key(name) || self.bare.contains_key(name);
        let group = unique(&identifier(server), taken);
        let mut tools: Vec<usize> = self.indices(|function| function.server.as_deref() == Some(server)).collect();
        tools.sort_by_key(|index| &self.functions[*index].name);
        let mut methods: Vec<String> = Vec::new();
        for index in tools {
            let method = unique(&identifier(&self.functions[index].name), |name| methods.iter().any(|m| m == name));
            self.paths.insert(format!("{group}.{method}"), index);
            methods.push(method);
        }
        self.groups.insert(group, methods);
    }

    /// Gives bare names to the methods that only one server has.
    fn shorten(&mut self) {
        let mut owners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (group, methods) in &self.groups {
            for method in methods {
                owners.entry(method).or_default().push(group);
            }
        }
        let mut bare = Vec::new();
        for (method, groups) in owners {
            let [group] = groups.as_slice() else { continue };
            if !is_taken(method) && !self.bare.contains_key(method) && !self.groups.contains_key(method) {
                bare.extend(self.paths.get(&format!("{group}.{method}")).map(|index| (method.to_owned(), *index)));
            }
        }
        self.bare.extend(bare);
    }

    fn indices(&self, which: impl Fn(&Function) -> bool) -> impl Iterator<Item = usize> {
        self.functions.iter().enumerate().filter(move |(_, function)| which(function)).map(|(index, _)| index)
    }
}

#[cfg(test)]
mod tests;
