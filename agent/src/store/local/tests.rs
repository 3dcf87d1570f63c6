//! Tests of keeping status in files.

use asyncai_crds::watch::Cursor;
use serde_json::json;

use super::*;
use crate::fleet::Fleet;

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

fn open_with(folder: &Path, watches: Vec<Watch>) -> Result<Store, Error> {
    Store::open(Some(folder.to_path_buf()), Made::open(Some(folder))?, agent(), watches)
}

fn open(folder: &Path, uri: &str) -> Store {
    open_with(folder, vec![watch(uri)]).unwrap()
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
    let error = open_with(folder.path(), vec![watch("memo://notes")]).err().unwrap();
    assert!(error.to_string().contains("watch-w.yaml"), "{error}");
    assert!(folder.path().join("watch-w.yaml").exists());
}

#[test]
fn a_folder_is_for_one_run_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let _first = open(folder.path(), "memo://notes");
    let second = open_with(folder.path(), Vec::new());
    assert!(second.err().unwrap().to_string().contains("in use"));
}

#[test]
fn nothing_is_written_without_a_folder() {
    let mut store = Store::open(None, Made::open(None).unwrap(), agent(), vec![watch("memo://notes")]).unwrap();
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

/// What a follower of the folder would read.
fn made(folder: &Path) -> Vec<Watch> {
    Fleet::new(folder::read(&[], &folder.join("watches"))).watches
}

fn of_model(uri: &str) -> Watch {
    made::watch(&agent(), "cm", watch(uri).spec).unwrap()
}

#[test]
fn a_watch_of_the_model_is_a_manifest_that_is_read_back_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path(), "memo://notes");
    let source = "a = 1\nf'{a} {event[\"type\"]}: # no comment'\n";
    let mut wanted = of_model("memo://notes");
    wanted.spec.on_event = Some(source.to_owned());
    let (name, told) = store.create_watch(wanted.clone()).unwrap();
    assert!(name == "a.cm" && matches!(told.as_slice(), [Event::Watch(watch)] if watch.name_any() == "a.cm"));
    let read = made(folder.path());
    assert_eq!((read.len(), &read[0].spec, made::is_of_model(&read[0])), (1, &wanted.spec, true));
    let text = fs::read_to_string(folder.path().join("watches/a.cm.yaml")).unwrap();
    assert!(text.contains("    a = 1\n"), "people read and edit it: {text}");

    let told = store.take(agent(), [vec![watch("memo://notes")], read].concat());
    assert!(told.is_empty(), "it was told already");
    let ((), told) = store.delete_watch("a.cm").unwrap();
    assert!(matches!(told.as_slice(), [Event::WatchGone(name)] if name == "a.cm"));
    assert!(store.delete_watch("a.cm").unwrap().1.is_empty());
    assert_eq!(made(folder.path()), []);
    assert!(store.take(agent(), vec![watch("memo://notes")]).is_empty());
}

#[test]
fn one_that_is_replaced_is_another_even_if_it_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open_with(folder.path(), Vec::new()).unwrap();
    store.create_watch(of_model("memo://notes")).unwrap();
    let mut read = made(folder.path());
    store.take(agent(), read.clone());
    store.save_watch("a.cm", WatchStatus::default());
    assert!(store.take(agent(), read.clone()).is_empty());
    read[0].metadata.creation_timestamp = conditions::time(SystemTime::UNIX_EPOCH);
    let told = store.take(agent(), read);
    let [Event::WatchGone(name), Event::Watch(watch)] = told.as_slice() else { panic!("one goes, one comes") };
    assert_eq!((name.as_str(), watch.status.is_some()), ("a.cm", false));
}

#[test]
fn a_watch_of_people_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let mut declared = of_model("memo://notes");
    declared.metadata.labels = None;
    let mut store = open_with(folder.path(), vec![declared.clone()]).unwrap();
    let refused = store.create_watch(of_model("memo://other")).err().unwrap();
    assert!(refused.starts_with("there is a Watch a.cm already"), "{refused}");
    assert_eq!(made(folder.path()), []);
    // People take one over by its label: that is told.
    declared.metadata.labels = of_model("memo://notes").metadata.labels;
    assert_eq!(store.take(agent(), vec![declared.clone()]).len(), 1);
    declared.metadata.labels = None;
    assert_eq!(store.take(agent(), vec![declared]).len(), 1);
}

#[test]
fn without_a_state_folder_the_watches_of_the_model_go_with_the_run() {
    let mut store = Store::open(None, Made::open(None).unwrap(), agent(), Vec::new()).unwrap();
    store.create_watch(of_model("memo://notes")).unwrap();
    let folder = store.made.folder().to_path_buf();
    assert!(folder.join("a.cm.yaml").exists());
    drop(store);
    assert!(!folder.exists());
}
