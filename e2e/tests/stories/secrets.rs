//! A Secret's value stays where it is: the agent uses it and tells of its changes without showing it.

use anyhow::Result;
use asyncai_e2e::fleet::{self, asking, condition};
use asyncai_e2e::model::Model;
use asyncai_e2e::story::{Story, story};
use asyncai_e2e::{chart, wait};
use kube::api::{Patch, PatchParams};
use serde_json::json;

/// What must be found nowhere: as people write it, and as the API shows it.
const CANARY: &str = "canary-5f1d7c0e";
const CANARY_BASE64: &str = "Y2FuYXJ5LTVmMWQ3YzBl";

#[tokio::test]
async fn a_secret_is_used_and_never_shown() -> Result<()> {
    story("secrets", async |story| {
        let mut model = Model::start(story, "rules: []\ndefault: {reply: Noted.}\n").await?;
        secret(story, &format!("{CANARY}-old")).await?;
        story.apply(READS).await?;
        let uri = format!("kcp-events://watch/local/secrets?namespace={}", story.namespace);
        let watch = fleet::watch("keys", "alice", &uri, "debounceSeconds: 0");
        story.apply(&[asking("alice"), watch].join("---\n")).await?;
        let key = json!({"spec": {"model": {"apiKeySecretRef": {"name": "llm", "key": "token"}}}});
        let agents = story.api::<asyncai_crds::Agent>();
        agents.patch("alice", &PatchParams::default(), &Patch::Merge(key)).await?;
        story.watch("keys", "Ready", "True").await?;

        secret(story, &format!("{CANARY}-new")).await?;
        let message = model.message().await?;
        assert!(message.contains(&format!("MODIFIED {}/llm", story.namespace)), "{message}");
        assert!(message.contains("<redacted #") || message.contains("&lt;redacted #"), "{message}");
        assert!(!shows(&message), "the model was shown the Secret: {message}");
        for (place, text) in public_places(story).await? {
            assert!(!shows(&text), "{place} shows the Secret");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_missing_secret_is_named() -> Result<()> {
    story("missing", async |story| {
        story.apply(&asking("alice")).await?;
        let key = json!({"spec": {"model": {"apiKeySecretRef": {"name": "nowhere", "key": "token"}}}});
        let agents = story.api::<asyncai_crds::Agent>();
        agents.patch("alice", &PatchParams::default(), &Patch::Merge(key)).await?;
        let what = "the agent to name the missing Secret";
        wait::until(&agents, "alice", what, |agent| {
            let conditions = agent.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
            condition(conditions, "ResolvedRefs")
                .is_ok_and(|found| found.status == "False" && found.message.contains("nowhere"))
        })
        .await?;
        Ok(())
    })
    .await
}

const READS: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: secrets}
rules: [{apiGroups: [''], resources: [secrets], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: alice-secrets}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: secrets}
subjects: [{kind: ServiceAccount, name: asyncai-agent-alice}]
";

async fn secret(story: &Story, value: &str) -> Result<()> {
    let metadata = json!({"name": "llm"});
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"token": value}});
    story.apply(&secret.to_string()).await?;
    Ok(())
}

fn shows(text: &str) -> bool {
    text.contains(CANARY) || text.contains(CANARY_BASE64)
}

/// All that people and programs can read without the right to read Secrets.
async fn public_places(story: &Story) -> Result<Vec<(&'static str, String)>> {
    Ok(vec![
        ("the agent's log", story.kubectl(&["logs", &fleet::pod("alice")]).await?),
        ("the agent's pod", story.kubectl(&["get", "pods,statefulsets,configmaps", "-o", "yaml"]).await?),
        ("a status", story.kubectl(&["get", "agents,watches", "-o", "yaml"]).await?),
        ("an event", story.kubectl(&["get", "events", "-o", "yaml"]).await?),
        (
            "the operator's log",
            story.cluster.kubectl(&["-n", chart::NAMESPACE, "logs", "-l", chart::OPERATOR_PODS, "--tail=-1"]).await?,
        ),
    ])
}
