//! Tests of reading manifests.

use super::*;

fn check(text: &str) -> Result<Vec<Document>, String> {
    let (mut documents, mut errors) = (Vec::new(), Vec::new());
    parse(Path::new("a.yaml"), text, &mut documents, &mut errors);
    errors.pop().map_or(Ok(documents), |error| Err(error.to_string()))
}

#[test]
fn splits_documents_and_keeps_their_first_line() {
    let documents = check("# head\n---\nkind: A\n---\n# only a comment\n---\n\nkind: B\n").unwrap();
    let found: Vec<_> = documents.iter().map(|d| (d.value["kind"].as_str().unwrap(), d.first_line)).collect();
    assert_eq!(found, [("A", 3), ("B", 7)]);
}

#[test]
fn names_the_line_of_a_syntax_error() {
    let error = check("kind: A\n---\nkind: B\nspec: [1\n").unwrap_err();
    assert!(error.starts_with("a.yaml:"), "{error}");
    let line: usize = error.split(':').nth(1).unwrap().parse().unwrap();
    assert!((4..=5).contains(&line), "{error}");
}

#[test]
fn finds_the_line_of_a_field() {
    let text = "---\nkind: Agent\nspec:\n  mcpServers:\n  - name: a\n    simple: {}\n  - name: b\n    http: {url: x}\n";
    let document = check(text).unwrap().remove(0);
    for (field, line) in [
        ("", 2),
        ("spec", 3),
        ("spec.mcpServers", 4),
        ("spec.mcpServers[0].simple", 6),
        ("spec.mcpServers[1]", 7),
        ("spec.mcpServers[1].http.url", 8),
        ("spec.mcpServers[2].http.url", 4),
        ("spec.nothing", 3),
    ] {
        assert_eq!(document.line(field), line, "{field}");
    }
}

#[test]
fn says_what_a_path_must_hold() {
    let folder = tempfile::tempdir().unwrap();
    let read = |path: PathBuf| super::read(&[path]).1.remove(0).to_string();
    let error = read(folder.path().to_path_buf());
    assert!(error.contains("expected a YAML file"), "{error}");
    let error = read(folder.path().join("none.yaml"));
    assert!(error.contains("cannot read"), "{error}");
}

#[test]
fn items_of_an_inner_list_are_not_those_of_the_outer() {
    let text =
        "spec:\n  servers:\n  - name: a\n    env:\n    - name: x\n    - name: y\n  - name: b\n    flow: [{name: z}]\n";
    let document = check(text).unwrap().remove(0);
    for (field, line) in
        [("spec.servers[1].name", 7), ("spec.servers[0].env[1].name", 6), ("spec.servers[1].flow[0].name", 8)]
    {
        assert_eq!(document.line(field), line, "{field}");
    }
}
