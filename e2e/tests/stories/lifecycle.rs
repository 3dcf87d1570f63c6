//! A request for machines from bid to release, as three watches of the model's own tell it: the phases, each once.

use anyhow::{Context, Result};
use asyncai_e2e::apply;
use asyncai_e2e::fleet::{self, asking};
use asyncai_e2e::model::{Model, notices};
use asyncai_e2e::story::{Story, exclusive};
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

const WISH: &str = "Set up monitors for bidder compute contract events.";
const KINDS: [(&str, &str); 3] = [("Bid", "bids"), ("ComputeVM", "computevms"), ("StateSync", "statesyncs")];
const FILTER: &str = r#"
meta = event["object"]["metadata"]
new = (event["object"].get("status") or {}).get("phase")
old = ((event["old"] or {}).get("status") or {}).get("phase")
if event["type"] == "DELETED":
    print(meta["name"], "gone")
elif new != old:
    print(meta["name"], old, "->", new)
elif event["type"] == "ADDED":
    print(meta["name"], "ADDED")
"#;

#[tokio::test]
async fn each_phase_from_bid_to_release_is_told_once() -> Result<()> {
    // Alone, since kinds that come and go keep an API server busy for all others.
    exclusive("lifecycle", async |story, _| {
        for (kind, plural) in KINDS {
            story.apply(&definition(kind, plural)).await?;
            let name = format!("crd/{plural}.rfp.test");
            story.kubectl(&["wait", &name, "--for=condition=Established", "--timeout=60s"]).await?;
            // Which does not mean that it can be listed yet; kubectl waits for that.
            story.kubectl(&["get", &format!("{plural}.rfp.test")]).await?;
        }
        let mut model = Model::start(story, &scenario(&story.namespace)).await?;
        let agent = fleet::with(&asking("alice"), &json!({"onStart": WISH, "prompt": "Fleet"}))?;
        story.apply(&[agent, READS.to_owned()].join("\n---\n")).await?;
        let started = model.until("started 3").await?;
        assert_eq!(started.messages()[1], ("user", WISH));
        for (_, plural) in KINDS {
            story.watch(&format!("alice.{plural}"), "Ready", "True").await?;
        }

        let mut told = Told { story, model, seen: 0 };
        create(story, "Bid", "bid-1", &json!({})).await?;
        phases(story, "Bid", "bid-1", &["Deciding", "Published", "Won"]).await?;
        let bid = ["bid-1 ADDED", "bid-1 None -> Deciding", "bid-1 Deciding -> Published", "bid-1 Published -> Won"];
        told.next("bids", &bid).await?;
        create(story, "StateSync", "sync-1", &json!({"domain": "compute"})).await?;
        create(story, "StateSync", "sync-2", &json!({"domain": "other"})).await?;
        phases(story, "StateSync", "sync-1", &["Delivering", "Acked"]).await?;
        let sync = ["sync-1 ADDED", "sync-1 None -> Delivering", "sync-1 Delivering -> Acked"];
        told.next("statesyncs", &sync).await?;
        create(story, "ComputeVM", "vm-1", &json!({})).await?;
        let starts = ["Pending", "Preparing", "Booting", "Running"];
        phases(story, "ComputeVM", "vm-1", &starts).await?;
        let steps: Vec<String> = starts.windows(2).map(|pair| format!("vm-1 {} -> {}", pair[0], pair[1])).collect();
        let first = ["vm-1 ADDED", "vm-1 None -> Pending"].map(str::to_owned);
        let vm: Vec<String> = first.into_iter().chain(steps).collect();
        told.next("computevms", &vm.iter().map(String::as_str).collect::<Vec<_>>()).await?;
        phases(story, "ComputeVM", "vm-1", &["Releasing"]).await?;
        let vm = object("ComputeVM", "vm-1");
        let (api, name) = apply::api(&story.cluster.client, &story.namespace, &vm).await?;
        api.delete(&name, &DeleteParams::default()).await?;
        told.next("computevms", &["vm-1 Running -> Releasing", "vm-1 gone"]).await?;

        assert_eq!(story.events("alice", "watch.notice").await?.len(), 4);
        let replies = story.events("alice", "reply.published").await?;
        let texts: Vec<&str> = replies.iter().filter_map(|reply| reply["text"].as_str()).collect();
        assert_eq!(texts, ["Three monitors.", "bid-1 was won.", "vm-1 runs.", "vm-1 was released."]);
        story.kubectl(&["delete", "crd", "bids.rfp.test", "computevms.rfp.test", "statesyncs.rfp.test"]).await?;
        Ok(())
    })
    .await
}

/// The notices, one after the other.
struct Told<'a> {
    story: &'a Story,
    model: Model,
    seen: usize,
}

impl Told<'_> {
    async fn next(&mut self, watch: &str, lines: &[&str]) -> Result<()> {
        let last = lines.last().context("no lines")?;
        let told = notices(&self.model.until(last).await?);
        assert_eq!(told.len(), self.seen + 1, "{}: {told:?}", self.story.namespace);
        self.seen += 1;
        let notice = told.last().context("no notice")?;
        assert_eq!(
            (notice.watch.as_str(), notice.lines.iter().map(String::as_str).collect::<Vec<_>>().as_slice()),
            (watch, lines)
        );
        Ok(())
    }
}

fn scenario(namespace: &str) -> String {
    let code = format!(
        "f = '''{FILTER}'''\nfor resource, more in (('bids', ''), ('computevms', ''), ('statesyncs', '&labelSelector=domain%3Dcompute')):\n    \
         await watch_start(name=resource, uri=f'kcp-events://watch/local/{{resource}}.rfp.test?namespace={namespace}{{more}}', on_event=f)\n\
         print('started', len(watch_list()))"
    );
    let rules = json!([
        {"contains": WISH, "times": 1, "code": code},
        {"result": "started 3", "reply": "Three monitors."},
        {"contains": "-> Won", "reply": "bid-1 was won."},
        {"contains": "-> Running", "reply": "vm-1 runs."},
        {"contains": "vm-1 gone", "reply": "vm-1 was released."},
    ]);
    json!({"rules": rules}).to_string()
}

async fn create(story: &Story, kind: &str, name: &str, labels: &Value) -> Result<()> {
    let object = json!({"apiVersion": "rfp.test/v1", "kind": kind, "metadata": {"name": name, "labels": labels}});
    story.apply(&object.to_string()).await.map(drop)
}

fn object(kind: &str, name: &str) -> Value {
    json!({"apiVersion": "rfp.test/v1", "kind": kind, "metadata": {"name": name}})
}

/// One after the other, as its controller writes them.
async fn phases(story: &Story, kind: &str, name: &str, phases: &[&str]) -> Result<()> {
    let (api, name) = apply::api(&story.cluster.client, &story.namespace, &object(kind, name)).await?;
    for phase in phases {
        let status = Patch::Merge(json!({"status": {"phase": phase}}));
        api.patch_status(&name, &PatchParams::default(), &status).await?;
    }
    Ok(())
}

fn definition(kind: &str, plural: &str) -> String {
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}}}}});
    let version =
        json!({"name": "v1", "served": true, "storage": true, "schema": schema, "subresources": {"status": {}}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.rfp.test")},
        "spec": {"group": "rfp.test", "scope": "Namespaced", "versions": [version],
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase()}}})
    .to_string()
}

const READS: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: rfp}
rules: [{apiGroups: [rfp.test], resources: ['*'], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: alice-rfp}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: rfp}
subjects: [{kind: ServiceAccount, name: asyncai-agent-alice}]
";
