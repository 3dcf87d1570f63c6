//! The resources a workspace serves, and how a name finds one of them.

#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResourceList;
use kube::client::{APIGroupDiscovery, APIGroupDiscoveryList};
use serde::Serialize;

use crate::similar::{SUGGESTIONS, nearest};

/// One resource at its preferred version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resource {
    /// The plural name, as in the API's path.
    pub(crate) name: String,
    /// Empty for the core group.
    pub(crate) group: String,
    /// The preferred version of the group that serves it.
    pub(crate) version: String,
    /// The kind of its objects.
    pub(crate) kind: String,
    /// Whether its objects live in namespaces.
    pub(crate) namespaced: bool,
    /// What `kubectl` accepts too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) short_names: Vec<String>,
    /// What may be done with it.
    pub(crate) verbs: Vec<String>,
}

/// All resources of a workspace, in the API server's order of priority.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Catalog(Vec<Resource>);

impl Resource {
    /// `plural.group`, or the plural in the core group.
    pub(crate) fn qualified(&self) -> String {
        if self.group.is_empty() { self.name.clone() } else { format!("{}.{}", self.name, self.group) }
    }

    /// `group/version`, or the version in the core group.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// The path of its collection, in one namespace or in all.
    pub(crate) fn path(&self, namespace: Option<&str>) -> String {
        let root = if self.group.is_empty() { "/api" } else { "/apis" };
        let namespace = namespace.map(|name| format!("/namespaces/{name}")).unwrap_or_default();
        format!("{root}/{}{namespace}/{}", self.api_version(), self.name)
    }

    /// Whether the API server offers `verb` for it.
    pub(crate) fn can(&self, verb: &str) -> bool {
        self.verbs.iter().any(|known| known == verb)
    }

    /// Whether its objects hold values that must not leave this server.
    pub(crate) fn is_secret(&self) -> bool {
        self.group.is_empty() && self.name == "secrets"
    }
}

impl Catalog {
    /// Adds the groups of an aggregated discovery document.
    pub(crate) fn add_aggregated(&mut self, document: APIGroupDiscoveryList) {
        for group in document.items {
            self.add_group(group);
        }
    }

    fn add_group(&mut self, group: APIGroupDiscovery) {
        let name = group.metadata.and_then(|meta| meta.name).unwrap_or_default();
        for served in group.versions {
            let version = served.version.unwrap_or_default();
            for found in served.resources {
                self.add(Resource {
                    name: found.resource.unwrap_or_default(),
                    group: name.clone(),
                    version: version.clone(),
                    kind: found.response_kind.and_then(|kind| kind.kind).unwrap_or_default(),
                    namespaced: found.scope.as_deref() == Some("Namespaced"),
                    short_names: found.short_names,
                    verbs: found.verbs,
                });
            }
        }
    }

    /// Adds what one group and version serves, from a server without aggregated discovery.
    pub(crate) fn add_version(&mut self, list: APIResourceList) {
        let (group, version) = list.group_version.split_once('/').unwrap_or(("", &list.group_version));
        // A subresource is not a collection.
        for found in list.resources.into_iter().filter(|found| !found.name.contains('/')) {
            self.add(Resource {
                name: found.name,
                group: found.group.unwrap_or_else(|| group.to_owned()),
                version: found.version.unwrap_or_else(|| version.to_owned()),
                kind: found.kind,
                namespaced: found.namespaced,
                short_names: found.short_names.unwrap_or_default(),
                verbs: found.verbs,
            });
        }
    }

    /// Keeps the first version of each resource: servers list the preferred one first.
    fn add(&mut self, resource: Resource) {
        let known = |other: &Resource| other.name == resource.name && other.group == resource.group;
        if !resource.name.is_empty() && !self.0.iter().any(known) {
            self.0.push(resource);
        }
    }

    /// All of them.
    pub(crate) fn resources(&self) -> &[Resource] {
        &self.0
    }

    /// Finds a plural, `plural.group` or short name, in this order of preference.
    pub(crate) fn find(&self, name: &str) -> Option<&Resource> {
        let plural = |resource: &&Resource| resource.name == name;
        let qualified = |resource: &&Resource| {
            name.strip_prefix(resource.name.as_str()).and_then(|rest| rest.strip_prefix('.'))
                == Some(resource.group.as_str())
        };
        let short = |resource: &&Resource| resource.short_names.iter().any(|short| short == name);
        let all = || self.0.iter();
        all().find(plural).or_else(|| all().find(qualified)).or_else(|| all().find(short))
    }

    /// The resource whose objects have this kind, at the version of `api_version`.
    pub(crate) fn find_kind(&self, api_version: &str, kind: &str) -> Option<Resource> {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        let found = self.0.iter().find(|resource| resource.group == group && resource.kind == kind)?;
        // Another version than the preferred one may be served too; the API server knows.
        Some(Resource { version: version.to_owned(), ..found.clone() })
    }

    /// The kind that `name` stands for: itself, in another case, or a plural or short name.
    pub(crate) fn kind(&self, name: &str) -> Option<&str> {
        let lower = name.to_lowercase();
        let kind = self.0.iter().find(|resource| resource.kind.to_lowercase() == lower);
        kind.or_else(|| self.find(&lower)).map(|resource| resource.kind.as_str())
    }

    /// The kinds closest to `kind`, each with its apiVersion.
    pub(crate) fn similar_kinds(&self, kind: &str) -> Vec<String> {
        let near = nearest(kind, self.0.iter().map(|resource| resource.kind.as_str()));
        let of = |kind: &String| self.0.iter().filter(move |resource| resource.kind == *kind).collect::<Vec<_>>();
        let named = near.iter().flat_map(of);
        named.map(|resource| format!("{} of {}", resource.kind, resource.api_version())).take(SUGGESTIONS).collect()
    }

    /// The names closest to `name`, closest first; none if nothing is near.
    pub(crate) fn similar(&self, name: &str) -> Vec<&str> {
        let plural = name.split_once('.').map_or(name, |(plural, _)| plural);
        let near = (plural.len() / 3).max(2);
        let mut ranked: Vec<(usize, &str)> = self
            .0
            .iter()
            .filter_map(|resource| {
                let names = std::iter::once(&resource.name).chain(&resource.short_names);
                let distance = names.map(|other| strsim::osa_distance(plural, other)).min()?;
                let contained =
                    plural.len() > 2 && (resource.name.contains(plural) || plural == resource.kind.to_lowercase());
                (distance <= near || contained).then_some((distance, resource.name.as_str()))
            })
            .collect();
        ranked.sort_unstable();
        ranked.dedup_by_key(|(_, name)| *name);
        ranked.into_iter().map(|(_, name)| name).take(SUGGESTIONS).collect()
    }
}
