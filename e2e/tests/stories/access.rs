//! Each account may do what the design says and no more: the golden file is the whole of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use asyncai_e2e::chart;
use asyncai_e2e::fleet;
use asyncai_e2e::story::{Story, story};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::authorization::v1::{ResourceRule, SelfSubjectRulesReview, SelfSubjectRulesReviewSpec};
use kube::api::{Api, PostParams};
use kube::{Client, Config};

const GOLDEN: &str = include_str!("access.golden");

#[tokio::test]
async fn accounts_may_do_what_the_design_says() -> Result<()> {
    story("access", async |story| {
        // Without the binding that lets her read: what the operator alone gives.
        let agent = fleet::relay("alice");
        story.apply(agent.split("---\n").next().context("no agent")?).await?;
        story.agent("alice", "Accepted", "True").await?;
        story.pod_ready(&fleet::pod("alice")).await?;

        let alice = account(&story.namespace, "asyncai-agent-alice");
        let operator = account(chart::NAMESPACE, &operator_account(story).await?);
        let mut table = String::new();
        for (title, account, namespace) in [
            ("the operator, in its own namespace", &operator, chart::NAMESPACE),
            ("the operator, in any other namespace", &operator, "default"),
            ("the agent alice, in her own namespace", &alice, &story.namespace),
            ("the agent alice, in any other namespace", &alice, "default"),
        ] {
            write!(table, "{title}\n{}\n", rights(account, namespace).await?)?;
        }
        compare(&table)
    })
    .await
}

#[tokio::test]
async fn nobody_of_ours_lists_secrets() -> Result<()> {
    story("cani", async |story| {
        story.apply(&fleet::relay("alice")).await?;
        story.agent("alice", "Accepted", "True").await?;
        let operator = account(chart::NAMESPACE, &operator_account(story).await?);
        for account in [operator, account(&story.namespace, "asyncai-agent-alice")] {
            for question in [["list", "secrets"], ["get", "secrets"], ["create", "pods"], ["create", "pods/exec"]] {
                let args = [&["auth", "can-i", "--as", &account], &question[..]].concat();
                // It exits 1 when the answer is no.
                let answer = story.kubectl(&args).await;
                assert!(answer.is_err(), "{account} can {}", question.join(" "));
            }
        }
        Ok(())
    })
    .await
}

fn account(namespace: &str, name: &str) -> String {
    format!("system:serviceaccount:{namespace}:{name}")
}

async fn operator_account(story: &Story) -> Result<String> {
    let deployments: Api<Deployment> = Api::namespaced(story.cluster.client.clone(), chart::NAMESPACE);
    let deployment = deployments.get(chart::OPERATOR).await?;
    let pod = deployment.spec.and_then(|spec| spec.template.spec);
    pod.and_then(|pod| pod.service_account_name).context("the operator has no account of its own")
}

/// What an account may do in a namespace beyond what every account may, one resource a line.
async fn rights(account: &str, namespace: &str) -> Result<String> {
    let everybody = rules(&format!("system:serviceaccount:{namespace}:nobody"), namespace).await?;
    let own = rules(account, namespace).await?;
    let mut verbs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (resource, verb) in own.difference(&everybody) {
        verbs.entry(resource).or_default().insert(verb);
    }
    if verbs.is_empty() {
        return Ok("  nothing\n".to_owned());
    }
    let lines = verbs
        .iter()
        .map(|(resource, verbs)| format!("  {resource}: {}\n", verbs.iter().copied().collect::<Vec<_>>().join(" ")));
    Ok(lines.collect())
}

/// Pairs of a resource, such as `agents.asyncai.dev [alice]`, and a verb.
async fn rules(account: &str, namespace: &str) -> Result<BTreeSet<(String, String)>> {
    let mut config = Config::infer().await?;
    config.auth_info.impersonate = Some(account.to_owned());
    let reviews: Api<SelfSubjectRulesReview> = Api::all(Client::try_from(config)?);
    let spec = SelfSubjectRulesReviewSpec { namespace: Some(namespace.to_owned()) };
    let review = SelfSubjectRulesReview { spec, ..SelfSubjectRulesReview::default() };
    let status = reviews.create(&PostParams::default(), &review).await?.status.context("a review without status")?;
    let urls = status.non_resource_rules.iter().flat_map(|rule| {
        let urls = rule.non_resource_urls.iter().flatten();
        urls.flat_map(|url| rule.verbs.iter().map(move |verb| (url.clone(), verb.clone())))
    });
    Ok(status.resource_rules.iter().flat_map(pairs).chain(urls).collect())
}

fn pairs(rule: &ResourceRule) -> Vec<(String, String)> {
    let names = rule.resource_names.iter().flatten().cloned().collect::<Vec<_>>().join(" ");
    let mut pairs = Vec::new();
    for group in rule.api_groups.iter().flatten() {
        for resource in rule.resources.iter().flatten() {
            let dot = if group.is_empty() { "" } else { "." };
            let names = if names.is_empty() { String::new() } else { format!(" [{names}]") };
            pairs.extend(rule.verbs.iter().map(|verb| (format!("{resource}{dot}{group}{names}"), verb.clone())));
        }
    }
    pairs
}

fn compare(table: &str) -> Result<()> {
    if std::env::var_os("ASYNCAI_UPDATE").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories/access.golden");
        return std::fs::write(path, table).context("cannot update the golden file");
    }
    assert!(table == GOLDEN, "rights differ from access.golden (ASYNCAI_UPDATE=1 rewrites it):\n{table}");
    Ok(())
}
