//! Tests of checking manifests.

use std::path::Path;

use super::*;
use crate::manifest;

fn check(text: &str) -> Fleet {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.yaml");
    std::fs::write(&file, text).unwrap();
    let mut fleet = Fleet::new(manifest::read(&[file]));
    for problem in &mut fleet.problems {
        problem.file = Path::new("a.yaml").to_path_buf();
    }
    fleet
}

const WATCH: &str =
    "apiVersion: asyncai.dev/v1alpha1\nkind: Watch\nmetadata: {name: w}\nspec:\n  agentRef: {name: a}\n";

#[test]
fn a_finding_names_file_line_field_and_what_is_allowed() {
    let fleet = check(&format!("{WATCH}  uri: memo://notes\n  initial: skip\n"));
    let problems = fleet.problems.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("a.yaml:7: spec.initial: "), "{problems:?}");
    assert!(problems[0].contains("Skip") && problems[0].contains("Deliver"), "{problems:?}");
}

#[test]
fn two_objects_of_one_name_are_a_finding() {
    let fleet = check(&format!("{WATCH}  uri: memo://notes\n---\n{WATCH}  uri: memo://other\n"));
    assert_eq!(fleet.problems.len(), 1);
    assert!(fleet.problems[0].to_string().contains("stands at"), "{}", fleet.problems[0]);
}

#[test]
fn other_kinds_are_left_alone_and_secrets_are_read() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: YWI=, b: eA==}\nstringData: {b: why}\n";
    let fleet = check(&format!("{secret}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\n"));
    assert!(fleet.problems.is_empty(), "{:?}", fleet.problems);
    let secrets = crate::secrets::Secrets::given(fleet.secrets).unwrap();
    let get = |key: &str| secrets.get(&asyncai_crds::SecretKeyRef { name: "s".to_owned(), key: key.to_owned() });
    assert_eq!(get("a").as_deref(), Ok("ab"));
    assert_eq!(get("b").as_deref(), Ok("why"), "stringData wins");
    assert!(get("c").unwrap_err().contains("no key \"c\""));
}

#[test]
fn an_unknown_kind_of_our_group_names_the_known_ones() {
    let fleet = check("apiVersion: asyncai.dev/v1alpha1\nkind: Wach\nmetadata: {name: w}\n");
    assert!(fleet.problems[0].to_string().contains("Agent or Watch"), "{}", fleet.problems[0]);
}

#[test]
fn a_typo_in_the_group_is_a_finding_and_a_list_is_unpacked() {
    let fleet = check("apiVersion: asyncai.io/v1alpha1\nkind: Agent\nmetadata: {name: a}\n");
    assert!(fleet.problems[0].to_string().contains("asyncai.dev/v1alpha1"), "{}", fleet.problems[0]);
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: asyncai.dev/v1alpha1\n  kind: Agent\n  metadata: {name: a}\n  spec: {}\n";
    assert_eq!(check(list).agents.len(), 1);
}

#[test]
fn a_secret_that_cannot_be_decoded_is_a_finding() {
    let fleet = check("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata:\n  token: not base64!\n");
    assert_eq!(fleet.problems[0].to_string(), "a.yaml:5: data.token: must be base64");
}

#[test]
fn a_file_that_is_no_yaml_hides_no_other_finding() {
    let fleet = check(&format!("kind: [\n---\n{WATCH}  uri: memo://notes\n  initial: skip\n"));
    assert_eq!(fleet.problems.len(), 2, "{:?}", fleet.problems);
}

#[test]
fn a_run_needs_what_it_refers_to() {
    let agent = "apiVersion: asyncai.dev/v1alpha1\nkind: Agent\nmetadata: {name: a}\nspec: {model: {baseURL: 'http://x', name: m, apiKeySecretRef: {name: llm, key: token}}}\n";
    let wrong = check(&format!("{agent}---\n{WATCH}  uri: memo://notes\n  onEvent: '1'\n")).single().unwrap_err();
    assert!(wrong[0].contains("spec.model.apiKeySecretRef: no Secret \"llm\" with key \"token\""), "{wrong:?}");
}

#[test]
fn a_finding_in_a_filter_names_the_line_of_the_file() {
    let text = "apiVersion: asyncai.dev/v1alpha1\nkind: Watch\nmetadata: {name: cm}\nspec:\n  \
                agentRef: {name: a}\n  uri: memo://notes\n  onEvent: |\n    x = 1\n    y = (\n";
    let fleet = check(text);
    let filter = &fleet.filters[0];
    assert_eq!(filter.source, "x = 1\ny = (\n");
    assert_eq!(filter.problem(2, "broken".to_owned()).line, 9);
    assert_eq!(filter.problem(0, "too long".to_owned()).line, 7);
}
