//! The objects that a URI names, listed and watched.

use std::sync::{Arc, Mutex, PoisonError};

use kube::api::{ListParams, VersionMatch, WatchParams};
use kube::core::Request;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::kcp::catalog::Resource;
use crate::kcp::error::{Error, Status};
use crate::kcp::known::{Kind, Known};
use crate::kcp::object::{self, Object, Scrub, Types};
use crate::kcp::redact::Redactor;
use crate::kcp::upstream::{Events, JSON, Upstream};
use crate::kcp::uri::{Invalid, Namespace, Target};

/// Objects in one page of a list.
const PAGE: u32 = 500;
/// The most that one watcher may hold.
const MAX_KNOWN: usize = 256 << 20;

/// A collection of one workspace.
#[derive(Clone)]
pub(crate) struct Collection {
    upstream: Arc<Upstream>,
    path: String,
    label_selector: Option<String>,
    field_selector: Option<String>,
    redactor: Option<Arc<Mutex<Redactor>>>,
}

/// At which version to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// The newest.
    Now,
    /// A past one, numbering the secrets beside the newest.
    Past(u64),
    /// A past one, from which a watch goes on.
    Start(u64),
}

/// One event of a watch.
#[derive(Debug)]
pub(crate) enum Event {
    /// Something happened to an object.
    Change(Kind, Object),
    /// Nothing else happened up to this version.
    Bookmark(u64),
    /// The watch cannot go on.
    Failed(Error),
}

impl Collection {
    /// The collection that `target` names, once its resource is known.
    pub(crate) fn new(upstream: Arc<Upstream>, resource: &Resource, target: &Target) -> Result<Self, Error> {
        let path = resource.path(namespace(resource, &target.namespace)?);
        Ok(Self {
            upstream,
            path,
            label_selector: target.label_selector.clone(),
            field_selector: target.field_selector.clone(),
            redactor: resource.is_secret().then(Arc::default),
        })
    }

    /// The same collection over another connection; the numbers of secrets go on.
    #[must_use]
    pub(crate) fn over(&self, upstream: Arc<Upstream>) -> Self {
        Self { upstream, ..self.clone() }
    }

    /// The connection in use.
    pub(crate) fn upstream(&self) -> &Arc<Upstream> {
        &self.upstream
    }

    /// All objects, page by page, and the version of the list.
    pub(crate) async fn list(&self, at: At) -> Result<(Known, u64), Error> {
        let mut known = Known::default();
        let mut params = self.list_params(PAGE);
        if let At::Past(version) | At::Start(version) = at {
            params = params.at(&version.to_string()).matching(VersionMatch::Exact);
        }
        loop {
            let answer = self.upstream.get(&self.list_path(&params)?, JSON).await?;
            let page: Page<'_> = serde_json::from_slice(&answer)?;
            let types = page.types();
            for item in page.items.unwrap_or_default() {
                known.insert(self.object(item.get(), &types, at)?);
            }
            if known.bytes() > MAX_KNOWN {
                return Err(Error::TooLarge { limit: MAX_KNOWN });
            }
            match page.metadata.r#continue.filter(|token| !token.is_empty()) {
                Some(token) => params = params.continue_token(&token),
                None => return Ok((known, number(&page.metadata.resource_version)?)),
            }
        }
    }

    /// Whether the API server has reached a version, at the cost of one object.
    pub(crate) async fn probe(&self, version: u64) -> Result<(), Error> {
        let params = self.list_params(1).at(&version.to_string()).matching(VersionMatch::Exact);
        self.upstream.get(&self.list_path(&params)?, JSON).await.map(drop)
    }

    /// Watches from a version that the API server is known to have: at a future one it would be silent.
    pub(crate) async fn watch(&self, version: u64) -> Result<Events, Error> {
        // An idle watch with a timeout would come back with a request every few minutes.
        let mut params = WatchParams::default().timeout(u32::MAX);
        params.label_selector.clone_from(&self.label_selector);
        params.field_selector.clone_from(&self.field_selector);
        let request = Request::new(self.path.as_str()).watch(&params, &version.to_string());
        self.upstream.watch(&path(request)?).await
    }

    /// Reads a line of a watch.
    pub(crate) fn event(&self, line: &[u8]) -> Result<Event, Error> {
        let line: Line<'_> = serde_json::from_slice(line)?;
        let kind = match line.kind {
            "ADDED" => Kind::Added,
            "MODIFIED" => Kind::Modified,
            "DELETED" => Kind::Deleted,
            "BOOKMARK" => {
                let bookmark: Bookmark = serde_json::from_str(line.object.get())?;
                return Ok(Event::Bookmark(number(&bookmark.metadata.resource_version)?));
            }
            _ => return Ok(Event::Failed(Error::Api(serde_json::from_str::<Status>(line.object.get())?))),
        };
        let object = self.object(line.object.get(), &Types::default(), At::Now)?;
        if kind == Kind::Deleted {
            self.forget(&object.uid);
        }
        Ok(Event::Change(kind, object))
    }

    /// Forgets the secrets of an object that is gone.
    pub(crate) fn forget(&self, uid: &str) {
        if let Some(redactor) = &self.redactor {
            redactor.lock().unwrap_or_else(PoisonError::into_inner).forget(uid);
        }
    }

    fn object(&self, json: &str, types: &Types, at: At) -> Result<Object, Error> {
        let Some(redactor) = &self.redactor else { return Ok(Object::parse(json, types, Scrub::Nothing)?) };
        let mut redactor = redactor.lock().unwrap_or_else(PoisonError::into_inner);
        let scrub = match at {
            At::Now | At::Start(_) => Scrub::Newest(&mut redactor),
            At::Past(_) => Scrub::Older(&redactor),
        };
        Ok(Object::parse(json, types, scrub)?)
    }

    fn list_params(&self, limit: u32) -> ListParams {
        let mut params = ListParams::default().limit(limit);
        params.label_selector.clone_from(&self.label_selector);
        params.field_selector.clone_from(&self.field_selector);
        params
    }

    fn list_path(&self, params: &ListParams) -> Result<String, Error> {
        list_path(&self.path, params)
    }
}

/// In which namespace to look; none for all and for what has no namespaces.
pub(crate) fn namespace<'a>(resource: &Resource, wanted: &'a Namespace) -> Result<Option<&'a str>, Invalid> {
    match (resource.namespaced, wanted) {
        (true, Namespace::Default) => Ok(Some("default")),
        (true, Namespace::One(name)) => Ok(Some(name)),
        (_, Namespace::All) | (false, Namespace::Default) => Ok(None),
        (false, Namespace::One(name)) => {
            let problem = format!("{} has no namespaces: leave {name:?} out", resource.qualified());
            Err(Invalid::new("namespace", problem))
        }
    }
}

/// The path and query of a list.
pub(crate) fn list_path(collection: &str, params: &ListParams) -> Result<String, Error> {
    path(Request::new(collection).list(params))
}

fn path(request: Result<http::Request<Vec<u8>>, kube::core::request::Error>) -> Result<String, Error> {
    let request = request.map_err(|error| Error::Connection(error.to_string()))?;
    Ok(request.uri().to_string())
}

fn number(version: &str) -> Result<u64, Error> {
    version.parse().map_err(|_| object::Error::Version(version.to_owned()).into())
}

/// A page of a list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page<'a> {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    pub(crate) metadata: PageMeta,
    #[serde(borrow)]
    pub(crate) items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageMeta {
    #[serde(default)]
    pub(crate) resource_version: String,
    pub(crate) r#continue: Option<String>,
    pub(crate) remaining_item_count: Option<u64>,
}

impl Page<'_> {
    /// What its objects are, if they do not say it themselves.
    pub(crate) fn types(&self) -> Types {
        let kind = self.kind.strip_suffix("List").unwrap_or(&self.kind);
        Types { api_version: self.api_version.clone(), kind: kind.to_owned() }
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(borrow)]
    object: &'a RawValue,
}

#[derive(Deserialize)]
struct Bookmark {
    metadata: BookmarkMeta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BookmarkMeta {
    resource_version: String,
}
