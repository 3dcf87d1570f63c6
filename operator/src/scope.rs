//! One namespace, or all of them: its caches, and the two controllers that live on them.
//!
//! Agents and Watches refer to nothing outside their namespace, so scopes have nothing to do with each other.

use std::{fmt::Debug, sync::Arc, time::Duration};

use asyncai_crds::{
    Agent, Watch,
    contract::{ADMISSION_POLICY, AGENT_LABEL},
};
use k8s_openapi::{
    NamespaceResourceScope,
    api::core::v1::{Pod, PodSpec},
    api::{
        admissionregistration::v1::{ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding},
        apps::v1::StatefulSet,
        core::v1::ServiceAccount,
        rbac::v1::{Role, RoleBinding},
    },
};
use kube::{
    Api, Client, Resource,
    runtime::{
        reflector::{self, ObjectRef, Store, store::WriterDropped},
        watcher,
    },
};
use serde::de::DeserializeOwned;
use tokio::{sync::mpsc, task::JoinSet};
use tokio_util::sync::CancellationToken;

use crate::{
    agent::controller as agent_controller,
    context::{Caches, Context, Settings},
    drive::Queue,
    feed::{self, Change},
    metrics::Metrics,
    watch::controller as watch_controller,
};

/// What is waited for the policy that holds agents to their own Watches. Without it much can be done.
const POLICY: Duration = Duration::from_secs(10);

/// One namespace, or all of them.
#[derive(Clone)]
pub(crate) struct Scope {
    /// The API server.
    pub(crate) client: Client,
    /// The namespace; none for all.
    pub(crate) namespace: Option<String>,
    /// What the operator was started with.
    pub(crate) settings: Arc<Settings>,
    /// What is counted.
    pub(crate) metrics: Arc<Metrics>,
}

impl Scope {
    /// Fills the caches, calls `ready`, and reconciles until `stop`. Nothing is reconciled before every cache is full:
    /// what is not in a cache is taken for absent.
    pub(crate) async fn run(self, ready: impl FnOnce(), stop: CancellationToken) {
        let ((agents, agent_queue), (watches, watch_queue)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        let mut feeds = Feeds { scope: self.clone(), tasks: JoinSet::new() };
        let caches = feeds.start(&Wake { agents, watches });
        let full = tokio::select! {
            () = stop.cancelled() => false,
            full = filled(&caches) => full.is_ok(),
        };
        if !full {
            return;
        }
        tracing::info!(event = "scope.ready", namespace = self.namespace.as_deref().unwrap_or("*"));
        ready();
        let Self { client, settings, metrics, .. } = self;
        let ctx = Arc::new(Context { client, caches, settings, metrics });
        let controllers = async {
            tokio::join!(
                agent_controller::run(ctx.clone(), agent_queue, stop.clone()),
                watch_controller::run(ctx.clone(), watch_queue, stop.clone()),
            )
        };
        tokio::select! {
            _ = controllers => {}
            // A feed never ends by itself; without one of them its cache would be wrong for ever.
            ended = feeds.tasks.join_next() => tracing::error!(event = "feed.ended", ?ended),
        }
    }
}

async fn filled(caches: &Caches) -> Result<(), WriterDropped> {
    caches.agents.wait_until_ready().await?;
    caches.watches.wait_until_ready().await?;
    caches.accounts.wait_until_ready().await?;
    caches.roles.wait_until_ready().await?;
    caches.bindings.wait_until_ready().await?;
    caches.sets.wait_until_ready().await?;
    caches.pods.wait_until_ready().await?;
    let policy = async {
        caches.policies.wait_until_ready().await?;
        caches.policy_bindings.wait_until_ready().await
    };
    // A cluster may not serve them, or not to us; then they count as absent.
    tokio::time::timeout(POLICY, policy).await.unwrap_or(Ok(()))
}

/// Who is to be reconciled. The receivers end only with the operator, so a name that cannot be sent needs nobody.
#[derive(Clone)]
struct Wake {
    agents: Queue<Agent>,
    watches: Queue<Watch>,
}

impl Wake {
    fn agent(&self, name: Option<ObjectRef<Agent>>) {
        drop(name.map(|name| self.agents.send(name)));
    }

    fn watch(&self, name: Option<ObjectRef<Watch>>) {
        drop(name.map(|name| self.watches.send(name)));
    }

    /// Every Agent.
    fn all(&self, agents: &Store<Agent>) {
        for agent in agents.state() {
            self.agent(Some(ObjectRef::from_obj(&*agent)));
        }
    }

    /// Every Watch of an Agent.
    fn watches_of(&self, agent: &ObjectRef<Agent>, watches: &Store<Watch>) {
        for watch in watches.state_filter(|watch| agent_controller::watcher(watch) == *agent) {
            self.watch(Some(ObjectRef::from_obj(&*watch)));
        }
    }
}

/// What can be followed.
trait Object: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug + Send + Sync + 'static {}

impl<K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug + Send + Sync + 'static> Object for K {}

/// The lists and watches of a scope; dropping them ends them.
struct Feeds {
    scope: Scope,
    tasks: JoinSet<()>,
}

impl Feeds {
    /// Follows every kind. What an Agent became is found by its label.
    fn start(&mut self, wake: &Wake) -> Caches {
        use agent_controller::{on_agent, on_child, on_pod, on_set, on_watch};
        let (all, ours) = (watcher::Config::default(), watcher::Config::default().labels(AGENT_LABEL));
        let watches = self.follow(&all, trim_watch, wake, |wake, change| {
            wake.agent(on_watch(change));
            wake.watch(watch_controller::on_watch(change));
        });
        let siblings = watches.clone();
        let agents = self.follow(&all, trim, wake, move |wake, change: Change<'_, Agent>| {
            wake.agent(on_agent(change));
            if let Some(agent) = change.0.or(change.1).filter(|_| watch_controller::concerns_watches(change)) {
                wake.watches_of(&ObjectRef::from_obj(agent), &siblings);
            }
        });
        let siblings = watches.clone();
        let pods = self.follow(&ours, trim_pod, wake, move |wake, change| {
            if let Some(agent) = on_pod(change) {
                wake.watches_of(&agent, &siblings);
                wake.agent(Some(agent));
            }
        });
        let siblings = watches.clone();
        let sets = self.follow(&ours, trim_set, wake, move |wake, change| {
            // A pod counts only with its StatefulSet, and the two come by different watches.
            if let Some(agent) = on_set(change) {
                wake.watches_of(&agent, &siblings);
                wake.agent(Some(agent));
            }
        });
        let (everyone, named) = (agents.clone(), all.clone().fields(&format!("metadata.name={ADMISSION_POLICY}")));
        let policies = self.follow_in(Api::all, &named, trim_policy, wake, move |wake, change| {
            if change.0.is_some() != change.1.is_some() {
                wake.all(&everyone);
            }
        });
        let everyone = agents.clone();
        let policy_bindings = self.follow_in(
            Api::all,
            &named,
            trim,
            wake,
            move |wake, (before, after): Change<'_, ValidatingAdmissionPolicyBinding>| {
                if before.map(|binding| &binding.spec) != after.map(|binding| &binding.spec) {
                    wake.all(&everyone);
                }
            },
        );
        Caches {
            agents,
            policies,
            policy_bindings,
            watches,
            pods,
            accounts: self.follow::<ServiceAccount>(&ours, trim, wake, |wake, change| wake.agent(on_child(change))),
            roles: self.follow::<Role>(&ours, trim, wake, |wake, change| wake.agent(on_child(change))),
            bindings: self.follow::<RoleBinding>(&ours, trim, wake, |wake, change| wake.agent(on_child(change))),
            sets,
        }
    }

    /// Keeps a cache of one kind in the namespace, and calls `changed` for each change of it.
    fn follow<K>(
        &mut self,
        config: &watcher::Config,
        trim: fn(&mut K),
        wake: &Wake,
        changed: impl Fn(&Wake, Change<'_, K>) + Send + Sync + 'static,
    ) -> Store<K>
    where
        K: Object<Scope = NamespaceResourceScope>,
    {
        let namespace = self.scope.namespace.clone();
        let api = |client| match &namespace {
            None => Api::all(client),
            Some(name) => Api::namespaced(client, name),
        };
        self.follow_in(api, config, trim, wake, changed)
    }

    /// The same, of what `api` is.
    fn follow_in<K: Object>(
        &mut self,
        api: impl FnOnce(Client) -> Api<K>,
        config: &watcher::Config,
        trim: fn(&mut K),
        wake: &Wake,
        changed: impl Fn(&Wake, Change<'_, K>) + Send + Sync + 'static,
    ) -> Store<K> {
        let Scope { client, metrics, .. } = self.scope.clone();
        let api = api(client);
        let (store, writer) = reflector::store();
        let (config, wake) = (config.clone(), wake.clone());
        self.tasks.spawn(async move {
            feed::follow(api, config, writer, trim, &metrics, |change| changed(&wake, change)).await;
        });
        store
    }
}

fn trim(object: &mut impl Resource) {
    object.meta_mut().managed_fields = None;
}

/// Its cursor, counts and code are the agent's business.
fn trim_watch(watch: &mut Watch) {
    trim(watch);
    watch.spec.on_event = None;
    watch.spec.instructions = None;
    if let Some(status) = &mut watch.status {
        status.baseline = None;
    }
}

/// That it is there is enough.
fn trim_policy(policy: &mut ValidatingAdmissionPolicy) {
    trim(policy);
    (policy.spec, policy.status) = (None, None);
}

fn trim_set(set: &mut StatefulSet) {
    trim(set);
    set.status = None;
}

fn trim_pod(pod: &mut Pod) {
    trim(pod);
    let node_name = pod.spec.take().and_then(|spec| spec.node_name);
    pod.spec = Some(PodSpec { node_name, ..PodSpec::default() });
}
