//! A namespace of its own for each story, and a reader that follows a URI through our client.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use asyncai_mcp::{Change, Servers, Source, Subscription};
use asyncai_servers::kcp::{Access, Credentials, Kcp, Options};
use asyncai_servers::serve::in_process;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::Api;
use kube::api::{DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// The cluster and a fresh namespace in it.
pub(crate) struct Cluster {
    pub(crate) client: kube::Client,
    pub(crate) namespace: String,
}

impl Cluster {
    /// None, said so, if there is no cluster.
    pub(crate) async fn connect(story: &str) -> Option<Self> {
        if std::env::var_os("KUBECONFIG").is_none() {
            eprintln!("skipped: KUBECONFIG is not set");
            return None;
        }
        let client = kube::Client::try_default().await.expect("a client");
        let namespace = format!("kcp-{story}-{:06x}", fastrand::u32(..1 << 24));
        let metadata = ObjectMeta { name: Some(namespace.clone()), ..ObjectMeta::default() };
        let namespaces: Api<Namespace> = Api::all(client.clone());
        let created = Namespace { metadata, ..Namespace::default() };
        namespaces.create(&PostParams::default(), &created).await.expect("a namespace");
        Some(Self { client, namespace })
    }

    pub(crate) async fn clean_up(self) {
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        namespaces.delete(&self.namespace, &DeleteParams::background()).await.expect("deleted");
    }

    pub(crate) fn config_maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    /// Creates or changes a ConfigMap.
    pub(crate) async fn put(&self, name: &str, value: &str) {
        let object =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"value": value}});
        self.config_maps()
            .patch(name, &PatchParams::apply("story").force(), &Patch::Apply(&object))
            .await
            .expect("applied");
    }

    pub(crate) async fn delete(&self, name: &str) {
        self.config_maps().delete(name, &DeleteParams::default()).await.expect("deleted");
    }

    pub(crate) async fn put_secret(&self, name: &str, value: &str) {
        let secrets: Api<Secret> = Api::namespaced(self.client.clone(), &self.namespace);
        let last = json!({"stringData": {"token": value}}).to_string();
        let metadata = json!({"name": name, "annotations": {"kubectl.kubernetes.io/last-applied-configuration": last}});
        let object =
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"token": value}});
        secrets.patch(name, &PatchParams::apply("story").force(), &Patch::Apply(&object)).await.expect("applied");
    }

    /// The URI of the ConfigMaps in this namespace, but for the one that the cluster puts into each.
    pub(crate) fn config_maps_uri(&self, workspace: &str) -> String {
        self.uri(workspace, "configmaps") + "&fieldSelector=metadata.name!%3Dkube-root-ca.crt"
    }

    /// The URI of a resource in this namespace.
    pub(crate) fn uri(&self, workspace: &str, resource: &str) -> String {
        format!("kcp-events://watch/{workspace}/{resource}?namespace={}", self.namespace)
    }
}

pub(crate) fn options(credentials: Credentials) -> Options {
    Options { access: Access::ReadOnly, credentials, service_account: None, epoch: None, name: None }
}

/// Our client, connected to one kcp server.
pub(crate) struct Client(Servers);

impl Client {
    pub(crate) fn new(options: Options) -> Self {
        let (events, _) = mpsc::channel(8);
        let servers = Servers::new(events);
        let kcp = Kcp::new(options);
        servers.apply("kcp", Source::InProcess(Arc::new(move || in_process(kcp.clone()))));
        Self(servers)
    }

    pub(crate) async fn read(&self, uri: &str, since: Option<(&str, u64)>) -> Result<String, String> {
        let read = timeout(PATIENCE, self.0.read(uri, Some("kcp"), since)).await.expect("an answer in time");
        read.map(|contents| contents.text).map_err(|error| error.to_string())
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<String, String> {
        let arguments: Map<String, Value> = arguments.as_object().cloned().expect("an object");
        let result =
            timeout(PATIENCE, self.0.call("kcp", tool, arguments)).await.expect("an answer in time").expect("a result");
        if result.failed { Err(result.text) } else { Ok(result.text) }
    }

    pub(crate) fn descriptions(&self) -> Vec<String> {
        self.0.resources().into_iter().map(|resource| resource.description.unwrap_or_default()).collect()
    }

    /// Subscribes and reads the baseline, from where an earlier reader stood.
    pub(crate) async fn follow(&self, uri: &str, since: Option<(String, u64)>) -> Reader<'_> {
        let subscribed = timeout(PATIENCE, self.0.listen(uri, Some("kcp"))).await.expect("an acknowledgement in time");
        let subscription = subscribed.expect("a subscription");
        let mut reader =
            Reader { client: self, uri: uri.to_owned(), subscription, since, told: Vec::new(), bodies: String::new() };
        reader.read().await;
        reader
    }
}

/// Follows one URI as the agent does.
pub(crate) struct Reader<'a> {
    client: &'a Client,
    uri: String,
    subscription: Subscription,
    pub(crate) since: Option<(String, u64)>,
    /// Every event so far.
    pub(crate) told: Vec<Value>,
    /// Every body so far.
    pub(crate) bodies: String,
}

impl Reader<'_> {
    async fn read(&mut self) {
        let since = self.since.as_ref().map(|(epoch, seq)| (epoch.as_str(), *seq));
        let body = self.client.read(&self.uri, since).await.expect("a body");
        let parsed: Value = serde_json::from_str(&body).expect("JSON");
        let head = parsed["head"].as_u64().expect("head");
        if let Some((_, seq)) = &self.since {
            let events = parsed["events"].as_array().expect("events");
            self.told.extend(events.iter().filter(|event| event["seq"].as_u64() > Some(*seq)).cloned());
        }
        self.since = Some((parsed["epoch"].as_str().expect("epoch").to_owned(), head));
        self.bodies.push_str(&body);
    }

    /// Follows until `count` events were told in all; their types and names.
    pub(crate) async fn until(&mut self, count: usize) -> Vec<String> {
        while self.told.len() < count {
            let Ok(change) = timeout(PATIENCE, self.subscription.next()).await else {
                panic!("{count} events expected, told so far: {:?}", self.lines());
            };
            match change {
                Change::Updated => self.read().await,
                Change::Ended(reason) => panic!("the subscription ended: {reason}"),
            }
        }
        self.lines()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let told = self.told.iter().map(|event| {
            let name = event["object"]["metadata"]["name"].as_str().or(event["message"].as_str());
            format!("{} {}", event["type"].as_str().expect("type"), name.unwrap_or_default())
        });
        told.collect()
    }
}

/// How often each line was told.
pub(crate) fn count(lines: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for line in lines {
        *counts.entry(line.as_str()).or_default() += 1;
    }
    counts
}
