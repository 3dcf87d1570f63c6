//! An API server in memory: one collection with its history, and whatever can go wrong with it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::body::Body;
use bytes::Bytes;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use http::{Request, Response};
use serde_json::{Value, json};

use crate::kcp::client::{Clients, Credentials};
use crate::kcp::discovery::Discovery;
use crate::kcp::source::Source;
use crate::kcp::uri::{Target, Uri};

/// The epoch of the fake.
pub(crate) const EPOCH: &str = "fake";

/// ConfigMaps in one namespace, from version 100 on.
#[derive(Clone)]
pub(crate) struct Fake(Arc<Mutex<State>>);

struct State {
    version: u64,
    /// What happened, as `(version, type, object)`.
    history: Vec<(u64, &'static str, Value)>,
    /// Lists at older versions answer 410.
    compacted: u64,
    /// Watches from older versions answer 410.
    watch_floor: u64,
    /// Every request but discovery is answered with this.
    refusal: Option<(u16, &'static str)>,
    /// The next requests are answered with these.
    refusals: VecDeque<(u16, &'static str)>,
    /// Every watch says this and ends.
    last_words: Option<Value>,
    /// Lists of the newest version only.
    only_now: bool,
    /// Objects in a page, whatever the request says.
    page: usize,
    watches: Vec<UnboundedSender<Result<Bytes, Infallible>>>,
    requests: Vec<String>,
    discoveries: usize,
}

impl Fake {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(State {
            version: 100,
            history: Vec::new(),
            compacted: 0,
            watch_floor: 0,
            refusal: None,
            refusals: VecDeque::new(),
            last_words: None,
            only_now: false,
            page: 500,
            watches: Vec::new(),
            requests: Vec::new(),
            discoveries: 0,
        })))
    }

    pub(crate) fn client(&self) -> kube::Client {
        let fake = self.clone();
        let service = tower::service_fn(move |request: Request<kube::client::Body>| {
            let response = fake.lock().answer(&request);
            async move { Ok::<_, Infallible>(response) }
        });
        kube::Client::new(service, "default")
    }

    pub(crate) fn source(&self) -> Arc<Source> {
        let clients = Clients::new(Credentials::Client(self.client()), None, Some(EPOCH.to_owned()));
        Arc::new(Source { clients, discovery: Discovery::default() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("the fake")
    }

    /// Creates or changes an object; the version of that.
    pub(crate) fn put(&self, name: &str) -> u64 {
        let mut state = self.lock();
        let old = state.objects(u64::MAX).remove(name);
        let kind = if old.is_some() { "MODIFIED" } else { "ADDED" };
        let uid = old.map_or_else(|| format!("{name}-{}", state.version), |old| text(&old["metadata"]["uid"]));
        state.happen(kind, name, &uid)
    }

    pub(crate) fn delete(&self, name: &str) -> u64 {
        let mut state = self.lock();
        let old = state.objects(u64::MAX).remove(name).expect(name);
        let uid = text(&old["metadata"]["uid"]);
        state.happen("DELETED", name, &uid)
    }

    /// Something else happens in the cluster.
    pub(crate) fn pass(&self, versions: u64) {
        self.lock().version += versions;
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.lock().objects(u64::MAX).into_keys().collect()
    }

    /// Sends every open watch a line.
    pub(crate) fn send(&self, line: &Value) {
        self.lock().broadcast(line);
    }

    pub(crate) fn bookmark(&self) -> u64 {
        let version = self.lock().version;
        self.send(&json!({"type": "BOOKMARK", "object": {"kind": "ConfigMap", "metadata": {"resourceVersion": version.to_string()}}}));
        version
    }

    /// Ends every open watch.
    pub(crate) fn cut(&self) {
        self.lock().watches.clear();
    }

    /// How many watches are open on both ends.
    pub(crate) fn open(&self) -> usize {
        let mut state = self.lock();
        state.watches.retain(|watch| !watch.is_closed());
        state.watches.len()
    }

    pub(crate) fn refuse(&self, refusal: Option<(u16, &'static str)>) {
        self.lock().refusal = refusal;
    }

    /// Refuses one request, after those refused so already.
    pub(crate) fn refuse_next(&self, code: u16, message: &'static str) {
        self.lock().refusals.push_back((code, message));
    }

    /// Lets every watch open, say this and end.
    pub(crate) fn end_watches_with(&self, last_words: Option<Value>) {
        self.lock().last_words = last_words;
    }

    pub(crate) fn refuse_past(&self) {
        self.lock().only_now = true;
    }

    pub(crate) fn compact(&self, lists: u64, watches: u64) {
        let mut state = self.lock();
        (state.compacted, state.watch_floor) = (lists, watches);
    }

    /// As after etcd was restored from a backup: what was after `version` never happened.
    pub(crate) fn restore(&self, version: u64) {
        let mut state = self.lock();
        state.history.retain(|(at, _, _)| *at <= version);
        state.version = version;
        state.watches.clear();
    }

    pub(crate) fn paged(self, page: usize) -> Self {
        self.lock().page = page;
        self
    }

    /// How many documents of discovery were asked for.
    pub(crate) fn discoveries(&self) -> usize {
        self.lock().discoveries
    }

    /// The lists and watches since the last call, in short.
    pub(crate) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().requests)
    }
}

impl State {
    fn happen(&mut self, kind: &'static str, name: &str, uid: &str) -> u64 {
        self.version += 1;
        let version = self.version;
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": {"at": version.to_string()},
            "metadata": {"name": name, "uid": uid, "resourceVersion": version.to_string(), "managedFields": [{"manager": "x"}]},
        });
        self.history.push((version, kind, object.clone()));
        self.broadcast(&json!({"type": kind, "object": object}));
        version
    }

    fn broadcast(&mut self, line: &Value) {
        let line = Bytes::from(format!("{line}\n"));
        self.watches.retain(|watch| watch.unbounded_send(Ok(line.clone())).is_ok());
    }

    fn objects(&self, version: u64) -> BTreeMap<String, Value> {
        let mut objects = BTreeMap::new();
        for (_, kind, object) in self.history.iter().filter(|(at, _, _)| *at <= version) {
            let name = text(&object["metadata"]["name"]);
            match *kind {
                "DELETED" => objects.remove(&name),
                _ => objects.insert(name, object.clone()),
            };
        }
        objects
    }

    fn answer(&mut self, request: &Request<kube::client::Body>) -> Response<Body> {
        let path = request.uri().path();
        if let Some(discovered) = discovery(path) {
            self.discoveries += 1;
            return respond(200, &discovered);
        }
        let query: HashMap<&str, &str> =
            request.uri().query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('=')).collect();
        let at = query.get("resourceVersion").and_then(|version| version.parse().ok());
        let watch = query.contains_key("watch");
        let (verb, suffix) = match (watch, query.get("continue")) {
            (true, _) => ("watch", at.map_or(String::new(), |at: u64| format!(" {at}"))),
            (false, Some(token)) => ("list", format!(" page {token}")),
            (false, None) => ("list", at.map_or(String::new(), |at| format!(" at {at}"))),
        };
        self.requests.push(format!("{verb}{suffix}"));
        if let Some((code, message)) = self.refusals.pop_front().or(self.refusal) {
            return refuse(code, message);
        }
        if watch { self.watch(at.unwrap_or(0)) } else { self.list(at, query.get("continue").copied()) }
    }

    fn list(&self, at: Option<u64>, token: Option<&str>) -> Response<Body> {
        let (at, from) = match token.and_then(|token| token.split_once('-')) {
            Some((version, from)) => (version.parse().expect("token"), from.parse().expect("token")),
            None => (at.unwrap_or(self.version), 0),
        };
        if self.only_now && at != self.version {
            return refuse(400, "resourceVersionMatch is forbidden");
        }
        if at > self.version {
            return refuse(504, "Too large resource version");
        }
        if at < self.compacted {
            return refuse(410, "The provided resource version is too old");
        }
        let objects: Vec<Value> = self.objects(at).into_values().collect();
        let to = (from + self.page).min(objects.len());
        let token = if to < objects.len() { format!("{at}-{to}") } else { String::new() };
        respond(
            200,
            &json!({
                "kind": "ConfigMapList", "apiVersion": "v1", "items": objects[from..to],
                "metadata": {"resourceVersion": at.to_string(), "continue": token},
            }),
        )
    }

    fn watch(&mut self, from: u64) -> Response<Body> {
        if from < self.watch_floor {
            return refuse(410, "too old resource version");
        }
        let (sender, receiver) = unbounded();
        if let Some(last_words) = &self.last_words {
            sender.unbounded_send(Ok(Bytes::from(format!("{last_words}\n")))).expect("an open watch");
            return Response::new(Body::from_stream(receiver));
        }
        for (_, kind, object) in self.history.iter().filter(|(at, _, _)| *at > from) {
            let line = json!({"type": kind, "object": object});
            sender.unbounded_send(Ok(Bytes::from(format!("{line}\n")))).expect("an open watch");
        }
        self.watches.push(sender);
        Response::new(Body::from_stream(receiver))
    }
}

/// The collection of the fake's objects.
pub(crate) fn target() -> Target {
    match Uri::parse("kcp-events://watch/local/cm", None) {
        Ok(Uri::Events(target)) => target,
        other => panic!("{other:?}"),
    }
}

fn discovery(path: &str) -> Option<Value> {
    let list = |items| json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": items});
    match path {
        "/api" => Some(list(json!([{"versions": [{"version": "v1", "resources": [{
            "resource": "configmaps", "responseKind": {"kind": "ConfigMap"}, "scope": "Namespaced", "shortNames": ["cm"],
            "verbs": ["get", "list", "watch"],
        }]}]}]))),
        "/apis" => Some(list(json!([]))),
        _ => None,
    }
}

fn refuse(code: u16, message: &str) -> Response<Body> {
    respond(code, &json!({"kind": "Status", "code": code, "reason": format!("Reason{code}"), "message": message}))
}

fn respond(code: u16, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = http::StatusCode::from_u16(code).expect("a status");
    response
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
