//! Tests of keeping status in files.

use asyncai_crds::watch::Cursor;
use serde_json::json;

use super::*;

fn agent() -> Agent {
    serde_json::from_value(json!({
        "apiVersion": "asyncai.dev/v1alpha1", "kind": "Agent", "metadata": {"name": "a"}, "spec": {"model": {"provider": "Relay"}},
    }))
    .unwrap()
}

fn watch(uri: &str) -> Watch {
    serde_json::from_value(json!({
        "apiVersion": "asyncai.dev/v1alpha1", "kind": "Watch", "metadata": {"name": "w"},
        "spec": {"agentRef": {"name": "a"}, "uri": uri},
    }))
    .unwrap()
}

fn open(folder: &Path, uri: &str) -> Store {
    Store::open(Some(folder.to_path_buf()), agent(), vec![watch(uri)]).unwrap()
}

#[test]
fn the_next_run_reads_what_this_one_saved() {
    let folder = tempfile::tempdir().unwrap();
    let status = WatchStatus { cursor: Some(Cursor { epoch: "e".to_owned(), seq: 7 }), ..WatchStatus::default() };
    open(folder.path(), "memo://notes").save_watch("w", status.clone());
    let store = open(folder.path(), "memo://notes");
    assert_eq!(store.objects().1[0].status, Some(status));
}

#[test]
fn the_generation_rises_with_the_spec() {
    let folder = tempfile::tempdir().unwrap();
    let generation = |store: &Store| store.objects().1[0].metadata.generation;
    let mut store = open(folder.path(), "memo://notes");
    assert_eq!(generation(&store), Some(1));
    store.save_watch("w", WatchStatus::default());
    drop(store);
    assert_eq!(generation(&open(folder.path(), "memo://notes")), Some(1));
    assert_eq!(generation(&open(folder.path(), "memo://other")), Some(2));
}

#[test]
fn a_spoilt_file_is_named_and_left() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("watch-w.yaml"), "- 1\n").unwrap();
    let error = Store::open(Some(folder.path().to_path_buf()), agent(), vec![watch("memo://notes")]).err().unwrap();
    assert!(error.to_string().contains("watch-w.yaml"), "{error}");
    assert!(folder.path().join("watch-w.yaml").exists());
}

#[test]
fn a_folder_is_for_one_run_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let _first = open(folder.path(), "memo://notes");
    let second = Store::open(Some(folder.path().to_path_buf()), agent(), Vec::new());
    assert!(second.err().unwrap().to_string().contains("in use"));
}

#[test]
fn nothing_is_written_without_a_folder() {
    let mut store = Store::open(None, agent(), vec![watch("memo://notes")]).unwrap();
    store.save_watch("w", WatchStatus::default());
    assert!(store.objects().1[0].status.is_some());
}

#[test]
fn an_edit_is_told_as_a_cluster_would() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path(), "memo://notes");
    store.save_watch("w", WatchStatus::default());
    assert!(store.take(agent(), vec![watch("memo://notes")]).is_empty(), "nothing changed");

    let changed = store.take(agent(), vec![watch("memo://other")]);
    let [Event::Watch(told)] = changed.as_slice() else { panic!("one watch changed") };
    assert_eq!((told.metadata.generation, told.status.is_some()), (Some(2), true));

    let gone = store.take(agent(), Vec::new());
    assert!(matches!(gone.as_slice(), [Event::WatchGone(name)] if name == "w"));
    assert!(!folder.path().join("watch-w.yaml").exists());
}
