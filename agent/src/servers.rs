//! The MCP servers that an agent's settings name: connected, replaced and disconnected as these change.

use std::collections::BTreeMap;
use std::sync::Arc;

use asyncai_crds::agent::Access;
use asyncai_mcp::{Servers, Source};
use asyncai_servers::file::Files;
use asyncai_servers::kcp::{self, Kcp};
use asyncai_servers::serve;
use asyncai_servers::simple::Simple;

use crate::settings::Server;

/// Which servers are connected, and by what settings.
pub(crate) struct Connections {
    servers: Servers,
    applied: BTreeMap<String, Server>,
    /// What tells the cluster apart in which this program runs, if the operator said so.
    cluster_id: Option<String>,
}

impl Connections {
    pub(crate) fn new(servers: Servers, cluster_id: Option<String>) -> Self {
        Self { servers, applied: BTreeMap::new(), cluster_id }
    }

    /// Makes the connections those of `wanted`; one whose settings are the same is left alone.
    pub(crate) fn apply(&mut self, wanted: &BTreeMap<String, Server>) {
        for name in self.applied.keys().filter(|name| !wanted.contains_key(*name)) {
            self.servers.remove(name);
        }
        for (name, server) in wanted {
            if self.applied.get(name) != Some(server) {
                self.servers.apply(name, self.source(name, server));
            }
        }
        self.applied.clone_from(wanted);
    }

    fn source(&self, name: &str, server: &Server) -> Source {
        match server {
            Server::Simple => {
                let server = Simple::new();
                Source::InProcess(Arc::new(move || serve::in_process(server.clone())))
            }
            Server::Kcp { access, kubeconfig } => {
                // The cluster's identity is known for the pod's own alone.
                let own = kubeconfig.is_none();
                let server = Kcp::new(kcp::Options {
                    credentials: kubeconfig.clone().map_or(kcp::Credentials::Inferred, kcp::Credentials::Kubeconfig),
                    access: match access {
                        Access::ReadOnly => kcp::Access::ReadOnly,
                        Access::ReadWrite => kcp::Access::ReadWrite,
                    },
                    epoch: self.cluster_id.clone().filter(|_| own),
                    name: Some(name.to_owned()),
                    service_account: None,
                });
                Source::InProcess(Arc::new(move || serve::in_process(server.clone())))
            }
            Server::File { paths } => {
                let server = Files::new(paths.iter().cloned());
                Source::InProcess(Arc::new(move || serve::in_process(server.clone())))
            }
            Server::Http { url, headers, timeout } => {
                Source::Http { url: url.clone(), headers: headers.clone(), timeout: *timeout }
            }
            Server::Stdio { command, env } => Source::Stdio { command: command.clone(), env: env.clone() },
        }
    }
}
