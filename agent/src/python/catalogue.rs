//! The functions that Python may call now: the tools of the servers, and the built-ins.

use std::sync::{Arc, PoisonError, RwLock};

use asyncai_mcp::Servers;
use asyncai_repl::{Catalogue, Finding, Function, Limits};

use super::builtins;

/// The catalogue as it is now, shared by all that run Python.
#[derive(Clone, Default)]
pub(crate) struct Current(Arc<RwLock<Catalogue>>);

impl Current {
    pub(crate) fn get(&self) -> Catalogue {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes it that of `servers` as they are now; returns whether that is another.
    pub(crate) fn refresh(&self, servers: &Servers) -> bool {
        let catalogue = of(servers);
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let changed = *current != catalogue;
        *current = catalogue;
        changed
    }
}

/// Built-ins are there as soon as one server is connected.
pub(crate) fn of(servers: &Servers) -> Catalogue {
    let connected = servers.status().iter().any(|server| server.protocol_version.is_some());
    let builtins = connected.then(builtins::functions).into_iter().flatten();
    let tools = servers.tools().into_iter().map(|tool| Function {
        server: Some(tool.server),
        name: tool.name,
        description: tool.description,
        schema: tool.input_schema,
        read_only: tool.read_only,
    });
    Catalogue::new(builtins.chain(tools))
}

/// Checks a filter where the servers are not at hand: what is called may be a tool of theirs.
pub(crate) async fn check_offline(source: &str) -> Result<(), Finding> {
    let catalogue = Catalogue::new(builtins::functions()).read_only();
    asyncai_repl::validate(source, &catalogue, false, &Limits::filter()).await
}

/// Whether every server has been connected at least once, so that a name that is not in the catalogue is in none.
pub(crate) fn is_complete(servers: &Servers) -> bool {
    servers.status().iter().all(|server| server.protocol_version.is_some())
}
