//! An agent that changes what it watches goes round a few times, not for ever; and what it says of itself wakes nobody.

use anyhow::Result;
use asyncai_e2e::fleet::{self, asking, configmaps};
use asyncai_e2e::model::Model;
use asyncai_e2e::story::story;
use serde_json::json;

const TURNS: usize = 4;

/// Case C6.
#[tokio::test]
async fn an_agent_that_edits_what_it_watches_is_bounded() -> Result<()> {
    story("feedback", async |story| {
        let namespace = &story.namespace;
        let patch = format!(
            "try:\n    n += 1\nexcept NameError:\n    n = 1\n\
             kcp.patch(resource='configmaps', name='loop', namespace='{namespace}', patch={{'data': {{'n': str(n)}}}})"
        );
        let scenario = json!({"rules": [{"contains": "name=\"cm\"", "code": patch}]});
        let model = Model::start(story, &scenario.to_string()).await?;
        let spec = json!({"limits": {"maxTurnsPerHour": TURNS},
            "mcpServers": [{"name": "kcp", "kcp": {"access": "ReadWrite"}}]});
        let quick = "debounceSeconds: 0, maxNoticesPerHour: 3600";
        let own = format!("kcp-events://watch/local/watches.asyncai.dev?namespace={namespace}");
        let watches =
            [fleet::watch("cm", "alice", &configmaps(namespace), quick), fleet::watch("own", "alice", &own, quick)];
        story.write("loop", "n", "0").await?;
        story.apply(&[fleet::with(&asking("alice"), &spec)?, WRITES.to_owned()].join("\n---\n")).await?;
        story.apply(&watches.join("---\n")).await?;
        story.watch("cm", "Ready", "True").await?;
        story.watch("own", "Ready", "True").await?;
        // The Watches themselves were applied in the meantime, and told of that; the rest is for the loop.
        let before = model.requests().await?.len();
        story.write("loop", "n", "start").await?;
        story.agent("alice", "Throttled", "True").await?;

        let requests = model.requests().await?;
        let first = |request: &asyncai_e2e::scripted_model::Recorded| request.result().is_none();
        assert_eq!(requests.iter().filter(|request| first(request)).count(), TURNS, "turns of the hour");
        assert!(requests.len() <= 2 * TURNS, "{} requests, {before} of them before", requests.len());
        let data = story.kubectl(&["get", "configmap", "loop", "-o", "jsonpath={.data.n}"]).await?;
        assert!(data.parse::<usize>().is_ok_and(|edits| edits <= TURNS), "edited {data} times");

        let told = story.events("alice", "watch.notice").await?;
        let statuses = told.iter().filter(|notice| notice["lines"].to_string().contains("status"));
        assert_eq!(statuses.count(), 0, "writes of our own statuses were told: {told:?}");
        assert!(told.len() <= 2 * TURNS + 4, "a hot loop: {} notices", told.len());
        let status = story.agent("alice", "Throttled", "True").await?.status.unwrap_or_default();
        assert_eq!(fleet::condition(&status.conditions, "Throttled")?.reason, "TurnLimit");
        model.script("{}").await?;
        Ok(())
    })
    .await
}

const WRITES: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: writes}
rules: [{apiGroups: [''], resources: [configmaps], verbs: [get, patch, update]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: alice-writes}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: writes}
subjects: [{kind: ServiceAccount, name: asyncai-agent-alice}]
";
