//! Trails through links, and where they end.

use std::os::unix::fs::symlink;

use super::*;

/// The steps below the temporary directory, as `directory: entry`.
fn steps(dir: &Path, root: &str, rest: &str) -> Vec<String> {
    let dir = dir.canonicalize().expect("a path");
    let located = Located { root: dir.join(root), rest: rest.into() };
    let below = trail(&located).into_iter().filter_map(|step| {
        let at = step.at.strip_prefix(&dir).ok()?.display().to_string();
        Some(match step.part {
            Part::Entry(name) => format!("{at}: {}", name.display()),
            Part::Contents => format!("{at}!"),
        })
    });
    below.collect()
}

/// As the kubelet lays out a ConfigMap, below a root that is itself a link.
fn config_map() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("volume/..1")).expect("made");
    fs::write(at("volume/..1/key"), "1").expect("written");
    symlink("..1", at("volume/..data")).expect("linked");
    symlink("..data/key", at("volume/key")).expect("linked");
    symlink("volume", at("data")).expect("linked");
    symlink("../x", at("volume/up")).expect("linked");
    symlink("/etc", at("volume/out")).expect("linked");
    symlink("loop", at("volume/loop")).expect("linked");
    dir
}

#[test]
fn every_link_on_the_way_is_a_step() {
    let dir = config_map();
    let to_key =
        [": data", ": volume", "volume: key", "volume: ..data", "volume: ..1", "volume/..1: key", "volume/..1/key!"];
    assert_eq!(steps(dir.path(), "data", "key"), to_key);
    assert_eq!(steps(dir.path(), "volume", ""), [": volume", "volume!"]);
    assert_eq!(
        steps(dir.path(), "volume/..1/key", ""),
        [": volume", "volume: ..1", "volume/..1: key", "volume/..1/key!"]
    );
}

#[test]
fn it_ends_where_nothing_is_or_nothing_may_be_read() {
    let dir = config_map();
    assert_eq!(steps(dir.path(), "volume", "no/such/file"), [": volume", "volume: no"]);
    assert_eq!(steps(dir.path(), "volume", "key/x").last().map(String::as_str), Some("volume/..1: key"));
    assert_eq!(steps(dir.path(), "volume", "out/passwd"), [": volume", "volume: out"]);
    assert_eq!(steps(dir.path(), "volume", "up"), [": volume", "volume: up"]);
    assert_eq!(steps(dir.path(), "volume", "loop").len(), LINKS + 2);
    assert_eq!(steps(dir.path(), "gone", "x"), [": gone"]);
}

#[test]
fn only_what_is_above_the_root_is_outside() {
    let dir = config_map();
    let dir = dir.path().canonicalize().expect("a path");
    let located = Located { root: dir.join("data"), rest: "key".into() };
    for step in trail(&located) {
        assert_eq!(step.inside, step.at.starts_with(dir.join("volume")), "{step:?}");
    }
}
