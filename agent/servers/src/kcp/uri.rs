//! The URIs of this server: what they may say, checked before anything is asked of an API server.

#[cfg(test)]
mod tests;

use std::fmt;

/// The template of watchable collections.
pub(crate) const EVENTS_TEMPLATE: &str =
    "kcp-events://watch/{workspace}/{resource}{?namespace,labelSelector,fieldSelector,kcp}";
/// The template of the lists of served resources.
pub(crate) const RESOURCES_TEMPLATE: &str = "kcp-api://{workspace}/resources{?kcp}";
/// The workspace that stands for the server of the kubeconfig as it is.
pub(crate) const LOCAL: &str = "local";

/// How the URI of a watchable collection begins.
pub(crate) const EVENTS: &str = "kcp-events://watch/";
const RESOURCES: &str = "kcp-api://";
const MAX_URI: usize = 2048;
const MAX_SELECTOR: usize = 1024;

/// What a URI of this server names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Uri {
    /// An event log of a collection.
    Events(Target),
    /// The resources that a workspace serves.
    Resources(Workspace),
}

/// A collection of objects in a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Where.
    pub(crate) workspace: Workspace,
    /// A plural, `plural.group` or short name, not yet looked up.
    pub(crate) resource: String,
    /// In which namespaces; `default` if the URI says nothing.
    pub(crate) namespace: Namespace,
    /// Passed to the API server.
    pub(crate) label_selector: Option<String>,
    /// Passed to the API server.
    pub(crate) field_selector: Option<String>,
}

/// A logical cluster: a path of names joined by `:`, or [`LOCAL`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Workspace(String);

/// The namespaces of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Namespace {
    /// Nothing was said: `default`, and nothing for a cluster-scoped resource.
    Default,
    /// `*`.
    All,
    /// One by name.
    One(String),
}

/// A URI or argument that this server refuses; says where, what was found and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part}: {problem}")]
pub struct Invalid {
    part: &'static str,
    problem: String,
}

impl Invalid {
    pub(crate) fn new(part: &'static str, problem: impl Into<String>) -> Self {
        Self { part, problem: problem.into() }
    }
}

impl Uri {
    /// Parses `uri` for a server that `--name` calls `name`.
    pub(crate) fn parse(uri: &str, name: Option<&str>) -> Result<Self, Invalid> {
        if uri.len() > MAX_URI {
            return Err(Invalid::new("uri", format!("has {} bytes, at most {MAX_URI} are allowed", uri.len())));
        }
        if uri.chars().any(char::is_control) || uri.contains('#') {
            return Err(Invalid::new("uri", "must have no control characters and no fragment"));
        }
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        if let Some(path) = path.strip_prefix(EVENTS) {
            let query = Query::parse(query, &["namespace", "labelSelector", "fieldSelector", "kcp"])?;
            check_server(query.get("kcp"), name)?;
            return events(path, &query).map(Self::Events);
        }
        if let Some(path) = path.strip_prefix(RESOURCES) {
            let query = Query::parse(query, &["kcp"])?;
            check_server(query.get("kcp"), name)?;
            return resources(path).map(Self::Resources);
        }
        Err(Invalid::new("uri", format!("must be {EVENTS_TEMPLATE} or {RESOURCES_TEMPLATE}")))
    }
}

fn events(path: &str, query: &Query) -> Result<Target, Invalid> {
    let Some((workspace, resource)) = path.split_once('/') else {
        return Err(Invalid::new("uri", format!("must be {EVENTS_TEMPLATE}")));
    };
    Ok(Target {
        workspace: Workspace::parse(&segment("workspace", workspace)?)?,
        resource: resource_name(&segment("resource", resource)?)?,
        namespace: Namespace::parse(query.get("namespace"))?,
        label_selector: selector("labelSelector", query.get("labelSelector"))?,
        field_selector: selector("fieldSelector", query.get("fieldSelector"))?,
    })
}

fn resources(path: &str) -> Result<Workspace, Invalid> {
    match path.split_once('/') {
        Some((workspace, "resources")) => Workspace::parse(&segment("workspace", workspace)?),
        _ => Err(Invalid::new("uri", format!("must be {RESOURCES_TEMPLATE}"))),
    }
}

fn check_server(wanted: Option<&str>, name: Option<&str>) -> Result<(), Invalid> {
    match (wanted, name) {
        (None, _) => Ok(()),
        (Some(wanted), Some(name)) if wanted == name => Ok(()),
        (Some(wanted), Some(name)) => Err(Invalid::new("kcp", format!("this server is {name:?}, not {wanted:?}"))),
        (Some(_), None) => Err(Invalid::new("kcp", "this server has no name: leave kcp out, or start it with --name")),
    }
}

impl Workspace {
    /// Accepts [`LOCAL`] and names of `[a-z0-9-]` joined by `:`.
    pub(crate) fn parse(text: &str) -> Result<Self, Invalid> {
        let fits = text.len() <= 253 && text.split(':').all(is_label);
        if fits {
            return Ok(Self(text.to_owned()));
        }
        Err(Invalid::new(
            "workspace",
            format!("{text:?} must be {LOCAL:?} or names of a-z, 0-9 and - joined by ':', such as root:app"),
        ))
    }

    /// The path in front of the API's own, empty for [`LOCAL`].
    pub(crate) fn path(&self) -> String {
        if self.is_local() { String::new() } else { format!("/clusters/{}", self.0) }
    }

    /// Whether this is the server of the kubeconfig as it is.
    pub(crate) fn is_local(&self) -> bool {
        self.0 == LOCAL
    }
}

impl fmt::Display for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Namespace {
    /// Accepts nothing, `*` and a namespace's name.
    pub(crate) fn parse(text: Option<&str>) -> Result<Self, Invalid> {
        match text {
            None | Some("") => Ok(Self::Default),
            Some("*") => Ok(Self::All),
            Some(name) if is_label(name) => Ok(Self::One(name.to_owned())),
            Some(other) => {
                Err(Invalid::new("namespace", format!("{other:?} must be the name of a namespace, or * for all")))
            }
        }
    }
}

/// Checks the name of a resource: a plural, `plural.group` or short name.
pub(crate) fn resource_name(text: &str) -> Result<String, Invalid> {
    if text.len() <= 253 && text.split('.').all(is_label) {
        return Ok(text.to_owned());
    }
    Err(Invalid::new(
        "resource",
        format!("{text:?} must be a plural, plural.group or short name, such as configmaps or deployments.apps"),
    ))
}

/// Checks the name of an object: one path segment, as API servers require.
pub(crate) fn object_name(text: &str) -> Result<&str, Invalid> {
    let fits = !text.is_empty()
        && text.len() <= 253
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-._:".contains(c));
    if fits {
        return Ok(text);
    }
    Err(Invalid::new("name", format!("{text:?} must be an object's name: letters, digits, '-', '.', '_' and ':'")))
}

/// Checks a selector's form; its grammar is the API server's to judge.
pub(crate) fn selector(part: &'static str, text: Option<&str>) -> Result<Option<String>, Invalid> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.len() > MAX_SELECTOR {
        return Err(Invalid::new(part, format!("has {} bytes, at most {MAX_SELECTOR} are allowed", text.len())));
    }
    if text.starts_with('-') || text.chars().any(char::is_control) {
        return Err(Invalid::new(part, format!("{text:?} must not begin with '-' nor have control characters")));
    }
    Ok(Some(text.to_owned()))
}

/// Whether `text` is a DNS label.
fn is_label(text: &str) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    text.len() <= 63
        && edge(text.chars().next())
        && edge(text.chars().next_back())
        && text.chars().all(|c| c == '-' || edge(Some(c)))
}

/// A path segment; only `:` may come percent-encoded, as the expansion of a template does it.
fn segment(part: &'static str, text: &str) -> Result<String, Invalid> {
    let text = text.replace("%3A", ":").replace("%3a", ":");
    if text.contains('%') {
        return Err(Invalid::new(part, format!("{text:?} must not be percent-encoded, except ':' as %3A")));
    }
    Ok(text)
}

/// The decoded parameters of a URI.
struct Query(Vec<(&'static str, String)>);

impl Query {
    fn parse(query: &str, allowed: &[&'static str]) -> Result<Self, Invalid> {
        let mut pairs: Vec<(&'static str, String)> = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let Some(&key) = allowed.iter().find(|name| **name == key) else {
                return Err(Invalid::new("query", format!("{key:?} is unknown, allowed are {}", allowed.join(", "))));
            };
            if pairs.iter().any(|(seen, _)| *seen == key) {
                return Err(Invalid::new(key, "is given twice"));
            }
            let value = decode(value)
                .ok_or_else(|| Invalid::new(key, format!("{value:?} is not valid percent-encoding of UTF-8")))?;
            pairs.push((key, value));
        }
        Ok(Self(pairs))
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'%' {
            bytes.push(byte);
            rest = after;
            continue;
        }
        let digit = |i: usize| after.get(i).and_then(|&d| char::from(d).to_digit(16));
        bytes.push(u8::try_from(digit(0)? * 16 + digit(1)?).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}
