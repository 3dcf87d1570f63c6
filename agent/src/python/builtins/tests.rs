//! A filter may call what reads, and nothing else.

use super::*;

#[test]
fn only_what_reads_is_for_filters() {
    let readers: Vec<String> =
        functions().into_iter().filter(|function| function.read_only).map(|function| function.name).collect();
    assert_eq!(readers, [LIST_RESOURCES, READ_RESOURCE]);
}

#[test]
fn what_is_required_comes_first_and_exists() {
    for function in functions() {
        let required = function.schema["required"].as_array().unwrap();
        assert!(required.iter().all(|name| function.schema["properties"].get(name.as_str().unwrap()).is_some()));
    }
}
