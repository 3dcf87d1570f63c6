//! The generated objects as they are sent, and that no Agent can undo the hardening.

mod hostile;
mod restricted;

use asyncai_crds::{Agent, Reason};
use proptest::{prelude::*, test_runner::Config};
use serde::Serialize;

use super::{Desired, desired};
use crate::{
    agent::statefulset::rollout,
    context::Settings,
    fixtures::{NAMESPACE, agent, settings},
};

fn from_yaml(spec: &str) -> Agent {
    Agent { spec: serde_saphyr::from_str(spec).unwrap(), ..agent("alice") }
}

fn of(agent: &Agent) -> Desired {
    desired(agent, &settings(), true).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn yaml(object: &impl Serialize) -> String {
    serde_saphyr::to_string(object).unwrap()
}

fn hash(agent: &Agent) -> String {
    rollout(&of(agent).set.spec.unwrap().template).unwrap().to_owned()
}

const FULL: &str = r#"
model: {baseURL: "http://llm/v1", name: m, apiKeySecretRef: {name: llm, key: token}}
onStart: Set up monitors.
mcpServers:
  - {name: kcp, kcp: {access: ReadWrite, kubeconfigSecretRef: {name: kcp, key: kubeconfig}}}
  - {name: web, http: {url: "https://x/mcp", headers: [{name: A, valueSecretRef: {name: llm, key: header}}, {name: B, valueSecretRef: {name: llm, key: token}}]}}
session: {persistentVolumeClaim: {claimName: alice}}
pod:
  image: registry.example/asyncai:2
  resources: {limits: {cpu: "2"}, requests: {memory: 1Gi}}
  env: [{name: HTTPS_PROXY, value: "http://proxy"}, {name: LITERAL, value: "$(HOME) $HOME"}, {name: EMPTY}]
  nodeSelector: {disk: ssd}
  tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}, {key: a, operator: Equal, value: b, effect: NoExecute, tolerationSeconds: 5}]
  volumes:
    - {name: cfg, mountPath: /etc/cfg, readOnly: true, configMap: {name: cfg}}
    - {name: key, mountPath: /etc/key, secret: {secretName: key}}
    - {name: cache, mountPath: /cache, emptyDir: {}}
    - {name: data, mountPath: /data, persistentVolumeClaim: {claimName: data}}
"#;

#[test]
fn the_objects_of_a_small_agent() {
    let Desired { account, role, binding, set } = of(&agent("alice"));
    let all = [yaml(&account), yaml(&role), yaml(&binding), yaml(&set)];
    insta::assert_snapshot!("small", all.join("---\n"));
}

#[test]
fn the_pod_of_an_agent_that_decides_all_it_can() {
    insta::assert_snapshot!("full", yaml(&of(&from_yaml(FULL)).set.spec.unwrap().template));
}

#[test]
fn the_default_model_and_its_secret_are_passed_on_to_those_without() {
    let model = r#"{"baseURL": "http://llm/v1", "name": "m", "apiKeySecretRef": {"name": "llm", "key": "token"}}"#;
    let settings = Settings {
        default_model: serde_json::from_str(model).unwrap(),
        default_model_json: Some(model.into()),
        ..settings()
    };
    let of = |agent: &Agent| yaml(&desired(agent, &settings, true).unwrap_or_else(|refusal| panic!("{refusal}")).set);
    let without = of(&from_yaml("{}"));
    assert!(without.contains("ASYNCAI_DEFAULT_MODEL") && without.contains("path: llm/token"), "{without}");
    let with = of(&agent("alice"));
    assert!(!with.contains("ASYNCAI_DEFAULT_MODEL") && !with.contains("llm"), "{with}");
}

#[test]
fn what_is_not_served_and_a_missing_model_are_refused_by_field() {
    let refusal = |spec: &str| desired(&from_yaml(spec), &settings(), true).err().unwrap();
    let inbox = refusal("{model: {provider: Relay}, channels: [{name: inbox, mailbox: {server: board, id: i}}]}");
    assert_eq!(inbox.reason, Reason::NotYetSupported);
    assert!(inbox.message.starts_with("spec.channels[inbox].mailbox: "), "{inbox}");
    let model = refusal("{}");
    assert_eq!(model.reason, Reason::NoModel);
    assert!(model.message.starts_with("spec.model: must be set"), "{model}");
}

#[test]
fn suspended_there_is_no_pod() {
    let replicas = |agent: &Agent| of(agent).set.spec.unwrap().replicas;
    let mut asleep = agent("alice");
    assert_eq!(replicas(&asleep), Some(1));
    asleep.spec.suspend = true;
    assert_eq!(replicas(&asleep), Some(0));
}

#[test]
fn only_what_needs_a_new_pod_changes_the_rollout_hash() {
    let before = hash(&from_yaml(FULL));
    let edited = |from: &str, to: &str| {
        assert!(FULL.contains(from));
        hash(&from_yaml(&FULL.replace(from, to)))
    };
    for (live, to) in [
        ("Set up monitors.", "Stop."),
        ("ReadWrite", "ReadOnly"),
        ("https://x/mcp", "https://y"),
        ("name: m,", "name: n,"),
    ] {
        assert_eq!(edited(live, to), before, "{live}");
    }
    for (rolls, to) in [
        ("asyncai:2", "asyncai:3"),
        (", {name: EMPTY}", ""),
        ("nodeSelector: {disk: ssd}", ""),
        ("cpu: \"2\"", "cpu: \"3\""),
        ("key: header", "key: other"),
        ("claimName: alice", "claimName: bob"),
        ("    - {name: data, mountPath: /data, persistentVolumeClaim: {claimName: data}}\n", ""),
    ] {
        assert_ne!(edited(rolls, to), before, "{rolls}");
    }
}

#[test]
fn the_account_may_do_what_the_admission_policy_expects_and_no_more() {
    let rules = yaml(&of(&agent("alice")).role.rules);
    assert!(!rules.contains('*') && !rules.contains("secrets") && !rules.contains("update"), "{rules}");
}

#[test]
fn only_a_confined_agent_whose_spec_allows_it_makes_and_deletes_watches() {
    let may = |spec: &str, confined| {
        let desired = desired(&from_yaml(spec), &settings(), confined).unwrap_or_else(|refusal| panic!("{refusal}"));
        let rules = yaml(&desired.role.rules);
        let (create, delete) = (rules.contains("create"), rules.contains("delete"));
        assert_eq!(create, delete);
        create
    };
    let (allow, deny) = ("{model: {provider: Relay}}", "{model: {provider: Relay}, watches: {modelManaged: Deny}}");
    assert_eq!([may(allow, true), may(allow, false), may(deny, true), may(deny, false)], [true, false, false, false]);
}

proptest! {
    #![proptest_config(Config { cases: 300, failure_persistence: None, ..Config::default() })]

    #[test]
    fn every_pod_is_restricted_whatever_the_agent_asks_for(spec in hostile::spec()) {
        let agent = Agent { spec, ..agent("alice") };
        let Ok(desired) = desired(&agent, &settings(), true) else { return Ok(()) };
        let template = desired.set.spec.unwrap().template;
        let violations = restricted::violations(&template.spec.unwrap());
        prop_assert!(violations.is_empty(), "{violations:?}");
    }

    #[test]
    fn every_object_bears_the_agents_name_namespace_and_ownership(spec in hostile::spec()) {
        let agent = Agent { spec, ..agent("alice") };
        let Ok(Desired { account, role, binding, set }) = desired(&agent, &settings(), true) else { return Ok(()) };
        for meta in [account.metadata, role.metadata, binding.metadata, set.metadata.clone()] {
            prop_assert_eq!(meta.name.as_deref(), Some("asyncai-agent-alice"));
            prop_assert_eq!(meta.namespace.as_deref(), Some(NAMESPACE));
            let owner = &meta.owner_references.unwrap()[0];
            prop_assert_eq!((&*owner.kind, &*owner.uid, owner.controller), ("Agent", "uid-alice", Some(true)));
        }
        let pod = set.spec.as_ref().unwrap().template.spec.as_ref().unwrap();
        prop_assert_eq!(pod.service_account_name.as_deref(), Some("asyncai-agent-alice"));
    }
}
