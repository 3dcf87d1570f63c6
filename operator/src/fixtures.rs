//! For tests: objects, and an API server in memory that keeps to the rules of server-side apply that matter here.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use asyncai_crds::{
    Agent, AgentSpec, AgentStatus, Condition, Time, Watch, WatchSpec, WatchStatus,
    agent::{Model, Provider},
    condition, contract,
    watch::AgentRef,
};
use http::{Method, Request, Response, StatusCode};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Client, Resource,
    client::Body,
    runtime::{
        reflector::{self, Store},
        watcher,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    context::{Caches, Context, Settings},
    metrics::Metrics,
};

/// The namespace of everything in tests.
pub(crate) const NAMESPACE: &str = "team";

/// A point in time, in seconds.
pub(crate) fn at(seconds: i64) -> Time {
    Time(Timestamp::from_second(seconds).unwrap())
}

/// What the operator is started with in tests.
pub(crate) fn settings() -> Settings {
    Settings { agent_image: "asyncai:test".into(), cluster_id: Some("cluster-1".into()), ..Settings::default() }
}

/// Relays, of generation 1.
pub(crate) fn agent(name: &str) -> Agent {
    let model = Some(Model { provider: Provider::Relay, ..Model::default() });
    let mut agent = Agent::new(name, AgentSpec { model, ..AgentSpec::default() });
    agent.metadata.namespace = Some(NAMESPACE.into());
    agent.metadata.uid = Some(format!("uid-{name}"));
    agent.metadata.generation = Some(1);
    agent
}

/// Of generation 1.
pub(crate) fn watch(name: &str, agent: &str) -> Watch {
    let spec: WatchSpec = serde_json::from_value(json!({"agentRef": {"name": ""}, "uri": "memo://notes"})).unwrap();
    let mut watch = Watch::new(name, WatchSpec { agent_ref: AgentRef { name: agent.into() }, ..spec });
    watch.metadata.namespace = Some(NAMESPACE.into());
    watch.metadata.uid = Some(format!("uid-{name}"));
    watch.metadata.generation = Some(1);
    watch
}

/// A condition since time 0, as `Type=Status/Reason` and generation.
pub(crate) fn said(text: &str, generation: i64) -> Condition {
    let (type_, rest) = text.split_once('=').unwrap();
    let (status, reason) = rest.split_once('/').unwrap();
    Condition {
        type_: type_.into(),
        status: status.into(),
        reason: reason.into(),
        message: format!("why {reason}"),
        observed_generation: Some(generation),
        last_transition_time: at(0),
    }
}

/// The same agent, with conditions.
pub(crate) fn agent_said(mut agent: Agent, conditions: Vec<Condition>) -> Agent {
    agent.status = Some(AgentStatus { conditions, ..AgentStatus::default() });
    agent
}

/// The same watch, with conditions.
pub(crate) fn watch_said(mut watch: Watch, conditions: Vec<Condition>) -> Watch {
    watch.status = Some(WatchStatus { conditions, ..WatchStatus::default() });
    watch
}

/// `Type=Status/Reason` of each condition, sorted.
pub(crate) fn brief(conditions: &[Condition]) -> Vec<String> {
    let mut brief: Vec<_> = conditions.iter().map(|c| format!("{}={}/{}", c.type_, c.status, c.reason)).collect();
    brief.sort();
    brief
}

/// The condition of that type.
pub(crate) fn find<'a>(conditions: &'a [Condition], type_: &str) -> &'a Condition {
    condition::find(conditions, type_).unwrap()
}

/// A pod as YAML gives it.
pub(crate) fn pod(yaml: &str) -> Pod {
    serde_saphyr::from_str(yaml).unwrap()
}

/// An API server in memory.
#[derive(Clone, Default)]
pub(crate) struct FakeApi(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Value>,
    writes: Vec<String>,
    versions: u64,
    faults: BTreeMap<usize, (u16, &'static str)>,
    unconfined: bool,
}

impl FakeApi {
    /// Puts an object there, as somebody else would.
    pub(crate) fn put<K: Resource<DynamicType = ()> + Serialize>(&self, object: &K) {
        let meta = object.meta();
        let url = K::url_path(&(), meta.namespace.as_deref());
        let mut value = serde_json::to_value(object).unwrap();
        let mut state = self.0.lock().unwrap();
        state.versions += 1;
        value["metadata"]["resourceVersion"] = format!("{}", 100 + state.versions).into();
        state.objects.insert(format!("{url}/{}", meta.name.as_deref().unwrap()), value);
    }

    /// The write of that number, counted from 0, fails.
    pub(crate) fn fail(&self, write: usize, code: u16, message: &'static str) {
        self.0.lock().unwrap().faults.insert(write, (code, message));
    }

    /// Whether there is the policy that holds agents to their own Watches; there is one unless told otherwise.
    pub(crate) fn confine(&self, confined: bool) {
        self.0.lock().unwrap().unconfined = !confined;
    }

    /// The object of that name.
    pub(crate) fn get<K: Resource<DynamicType = ()> + DeserializeOwned>(&self, name: &str) -> Option<K> {
        let path = format!("{}/{name}", K::url_path(&(), Some(NAMESPACE)));
        let value = self.0.lock().unwrap().objects.get(&path).cloned()?;
        Some(serde_json::from_value(value).unwrap())
    }

    /// Everything there, without versions.
    pub(crate) fn all(&self) -> BTreeMap<String, Value> {
        let mut objects = self.0.lock().unwrap().objects.clone();
        for object in objects.values_mut() {
            object["metadata"].as_object_mut().unwrap().remove("resourceVersion");
            for condition in object["status"]["conditions"].as_array_mut().into_iter().flatten() {
                condition.as_object_mut().unwrap().remove("lastTransitionTime");
            }
        }
        objects
    }

    /// What was written since the last call, as `serviceaccounts/name` or `agents/name/status`.
    pub(crate) fn writes(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().writes)
    }

    /// What a reconciliation sees: caches that are up to date.
    pub(crate) fn context(&self, settings: Settings) -> Arc<Context> {
        let caches = Caches {
            agents: self.cache(),
            watches: self.cache(),
            accounts: self.cache(),
            roles: self.cache(),
            bindings: self.cache(),
            sets: self.cache(),
            pods: self.cache(),
            policies: self.policy(&json!({})),
            policy_bindings: self
                .policy(&json!({"policyName": contract::ADMISSION_POLICY, "validationActions": ["Deny"]})),
        };
        let metrics = Arc::new(Metrics::new().unwrap());
        Arc::new(Context { client: self.client(), caches, settings: Arc::new(settings), metrics })
    }

    fn cache<K>(&self) -> Store<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Clone + 'static,
    {
        let (store, mut writer) = reflector::store();
        let prefix = format!("{}/", K::url_path(&(), Some(NAMESPACE)));
        for (path, value) in &self.0.lock().unwrap().objects {
            if path.starts_with(&prefix) {
                let object = serde_json::from_value(value.clone()).unwrap();
                writer.apply_watcher_event(&watcher::Event::Apply(object));
            }
        }
        store
    }

    fn policy<K>(&self, spec: &Value) -> Store<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Clone + 'static,
    {
        let (store, mut writer) = reflector::store();
        if !self.0.lock().unwrap().unconfined {
            let object = json!({"metadata": {"name": contract::ADMISSION_POLICY}, "spec": spec});
            writer.apply_watcher_event(&watcher::Event::Apply(serde_json::from_value(object).unwrap()));
        }
        store
    }

    fn client(&self) -> Client {
        let api = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let api = api.clone();
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect_bytes().await?;
                let (code, answer) = api.answer(&head.method, head.uri.path(), &body);
                let answer = Body::from(serde_json::to_vec(&answer).unwrap());
                let response = Response::builder().status(StatusCode::from_u16(code).unwrap()).body(answer).unwrap();
                Ok::<_, kube::Error>(response)
            }
        });
        Client::new(service, NAMESPACE)
    }

    fn answer(&self, method: &Method, path: &str, body: &[u8]) -> (u16, Value) {
        let state = &mut *self.0.lock().unwrap();
        if *method == Method::GET {
            return state.objects.get(path).map_or_else(|| failure(404, "not found"), |object| (200, object.clone()));
        }
        assert_eq!(*method, Method::PATCH, "the operator only applies");
        let body: Value = serde_json::from_slice(body).unwrap();
        let number = state.writes.len();
        state.writes.push(path.rsplit_once(&format!("/{NAMESPACE}/")).unwrap().1.to_owned());
        if let Some((code, message)) = state.faults.remove(&number) {
            return failure(code, message);
        }
        match path.strip_suffix("/status") {
            Some(path) => state.apply_status(path, &body),
            None => state.apply(path, body),
        }
    }
}

impl State {
    fn apply(&mut self, path: &str, mut body: Value) -> (u16, Value) {
        let live = self.objects.get(path).cloned();
        let meta = &mut body["metadata"];
        for field in ["uid", "resourceVersion"] {
            let Some(wanted) = meta.get(field) else { continue };
            let met = live.as_ref().map_or(field == "resourceVersion", |live| live["metadata"][field] == *wanted);
            if !met {
                return failure(409, "the object has been modified");
            }
        }
        meta.as_object_mut().unwrap().remove("resourceVersion");
        let mut object = live.clone().unwrap_or_else(|| json!({"metadata": {"uid": format!("uid-{path}")}}));
        merge(&mut object, &body);
        self.store(path, live.as_ref(), object)
    }

    fn apply_status(&mut self, path: &str, body: &Value) -> (u16, Value) {
        let Some(live) = self.objects.get(path).cloned() else { return failure(404, "not found") };
        let mut object = live.clone();
        merge(&mut object, &json!({"status": body["status"]}));
        self.store(path, Some(&live), object)
    }

    fn store(&mut self, path: &str, live: Option<&Value>, mut object: Value) -> (u16, Value) {
        if live != Some(&object) {
            self.versions += 1;
            object["metadata"]["resourceVersion"] = format!("{}", 100 + self.versions).into();
        }
        self.objects.insert(path.to_owned(), object.clone());
        (200, object)
    }
}

fn merge(object: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *object = patch.clone();
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    for (key, value) in patch {
        merge(&mut object[key], value);
    }
}

/// An answer as the API server words it; `cause: message` of a 403 names the cause too.
fn failure(code: u16, message: &str) -> (u16, Value) {
    let reason = match code {
        404 => "NotFound",
        409 => "Conflict",
        422 => "Invalid",
        403 => "Forbidden",
        _ => "InternalError",
    };
    (
        code,
        json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message,
        "details": {"causes": message.split_once(": ").map(|(reason, _)| json!({"reason": reason})).into_iter().collect::<Vec<_>>()}}),
    )
}
