//! Asks a workspace what it serves, and remembers it until a name is not found.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIResourceList};
use kube::core::discovery::v2::ACCEPT_AGGREGATED_DISCOVERY_V2;
use serde::Deserialize;

use crate::kcp::catalog::{Catalog, Resource};
use crate::kcp::client::Clients;
use crate::kcp::error::Error;
use crate::kcp::upstream::JSON;
use crate::kcp::uri::Workspace;

/// Catalogs remembered; a client may name any number of workspaces.
const MAX_KEPT: usize = 64;

/// The catalogs of all workspaces asked for so far.
#[derive(Default)]
pub(crate) struct Discovery {
    catalogs: Mutex<HashMap<Workspace, Arc<Catalog>>>,
}

impl Discovery {
    /// What the workspace serves now.
    pub(crate) async fn catalog(&self, workspace: &Workspace, clients: &Clients) -> Result<Arc<Catalog>, Error> {
        let catalog = Arc::new(fetch(workspace, clients).await?);
        let mut catalogs = self.lock();
        if catalogs.len() >= MAX_KEPT {
            catalogs.clear();
        }
        catalogs.insert(workspace.clone(), Arc::clone(&catalog));
        drop(catalogs);
        Ok(catalog)
    }

    /// The resource called `name` that allows every one of `verbs`.
    pub(crate) async fn find(
        &self,
        workspace: &Workspace,
        clients: &Clients,
        name: &str,
        verbs: &[&'static str],
    ) -> Result<Resource, Error> {
        let found = self.look(workspace, clients, |catalog| catalog.find(name).cloned()).await?;
        let found = found.map_err(|catalog| Error::UnknownResource {
            resource: name.to_owned(),
            workspace: workspace.to_string(),
            similar: catalog.similar(name).into_iter().map(str::to_owned).collect(),
        })?;
        allows(workspace, found, verbs)
    }

    /// The resource of objects with this apiVersion and kind that allows every one of `verbs`.
    pub(crate) async fn find_kind(
        &self,
        workspace: &Workspace,
        clients: &Clients,
        (api_version, kind): (&str, &str),
        verbs: &[&'static str],
    ) -> Result<Resource, Error> {
        let found = self.look(workspace, clients, |catalog| catalog.find_kind(api_version, kind)).await?;
        let found = found.map_err(|catalog| Error::UnknownKind {
            kind: kind.to_owned(),
            api_version: api_version.to_owned(),
            workspace: workspace.to_string(),
            similar: catalog.similar_kinds(kind),
        })?;
        allows(workspace, found, verbs)
    }

    /// The kind that `name` stands for; `name` itself if none is served, since events outlive their objects' kinds.
    pub(crate) async fn kind(&self, workspace: &Workspace, clients: &Clients, name: &str) -> Result<String, Error> {
        let found = self.look(workspace, clients, |catalog| catalog.kind(name).map(str::to_owned)).await?;
        Ok(found.unwrap_or_else(|_| name.to_owned()))
    }

    /// What a catalog has, the remembered one or else the newest; or the newest, which has it not.
    async fn look<T>(
        &self,
        workspace: &Workspace,
        clients: &Clients,
        find: impl Fn(&Catalog) -> Option<T>,
    ) -> Result<Result<T, Arc<Catalog>>, Error> {
        let cached = self.lock().get(workspace).and_then(|catalog| find(catalog));
        if let Some(found) = cached {
            return Ok(Ok(found));
        }
        // It may have been defined since the last look.
        let catalog = self.catalog(workspace, clients).await?;
        Ok(find(&catalog).ok_or(catalog))
    }

    /// Looks again at the next request: what was cached is not served any more.
    pub(crate) fn forget(&self, workspace: &Workspace) {
        self.lock().remove(workspace);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Workspace, Arc<Catalog>>> {
        self.catalogs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn allows(workspace: &Workspace, found: Resource, verbs: &[&'static str]) -> Result<Resource, Error> {
    match verbs.iter().find(|verb| !found.can(verb)) {
        None => Ok(found),
        Some(verb) => Err(Error::Unsupported {
            resource: found.qualified(),
            workspace: workspace.to_string(),
            verb,
            allowed: found.verbs,
        }),
    }
}

async fn fetch(workspace: &Workspace, clients: &Clients) -> Result<Catalog, Error> {
    let mut catalog = Catalog::default();
    let core = clients.ask(workspace, "/api", ACCEPT_AGGREGATED_DISCOVERY_V2).await?;
    if is_aggregated(&core)? {
        catalog.add_aggregated(serde_json::from_slice(&core)?);
        let groups = clients.ask(workspace, "/apis", ACCEPT_AGGREGATED_DISCOVERY_V2).await?;
        catalog.add_aggregated(serde_json::from_slice(&groups)?);
        return Ok(catalog);
    }
    catalog.add_version(version(workspace, clients, "/api/v1").await?);
    let groups: APIGroupList = serde_json::from_slice(&clients.ask(workspace, "/apis", JSON).await?)?;
    for group in groups.groups {
        let mut versions: Vec<String> = group.versions.into_iter().map(|served| served.group_version).collect();
        // The preferred version comes first; the order of the others stays.
        versions.sort_by_key(|version| {
            group.preferred_version.as_ref().is_none_or(|preferred| preferred.group_version != *version)
        });
        for name in versions {
            match version(workspace, clients, &format!("/apis/{name}")).await {
                Ok(list) => catalog.add_version(list),
                // One broken extension server must not hide the rest.
                Err(error) => tracing::warn!(target: "kcp", group = name, %error, "cannot discover a group"),
            }
        }
    }
    Ok(catalog)
}

async fn version(workspace: &Workspace, clients: &Clients, path: &str) -> Result<APIResourceList, Error> {
    Ok(serde_json::from_slice(&clients.ask(workspace, path, JSON).await?)?)
}

fn is_aggregated(document: &[u8]) -> Result<bool, Error> {
    #[derive(Deserialize)]
    struct Kind {
        #[serde(default)]
        kind: String,
    }
    let document: Kind = serde_json::from_slice(document)?;
    Ok(document.kind == "APIGroupDiscoveryList")
}
