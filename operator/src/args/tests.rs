//! What the command line takes.

use asyncai_crds::agent::Provider;
use clap::{CommandFactory, Parser};

use super::Args;

fn parse(args: &[&str]) -> Result<Args, String> {
    let all = ["asyncai-operator", "--agent-image", "i"].iter().chain(args);
    Args::try_parse_from(all).map_err(|e| e.to_string())
}

#[test]
fn the_definition_is_sound() {
    Args::command().debug_assert();
}

#[test]
fn namespaces_are_separated_by_commas() {
    assert!(parse(&[]).unwrap().namespaces.is_empty());
    assert_eq!(parse(&["--namespaces", "a,b"]).unwrap().namespaces, ["a", "b"]);
}

#[test]
fn the_default_model_is_a_model() {
    let model = parse(&["--default-model", r#"{"provider": "Relay"}"#]).unwrap().default_model.unwrap();
    assert_eq!(model.provider, Provider::Relay);
    let error = parse(&["--default-model", r#"{"provider": "Other"}"#]).unwrap_err();
    assert!(error.contains("must be an Agent's spec.model as JSON") && error.contains("Relay"), "{error}");
}

#[test]
fn an_image_is_needed() {
    let error = Args::try_parse_from(["asyncai-operator"]).unwrap_err().to_string();
    assert!(error.contains("--agent-image"), "{error}");
}
