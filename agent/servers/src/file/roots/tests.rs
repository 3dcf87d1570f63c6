//! Ways out, all of them shut.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

/// A root with a file, links that stay and links that leave, and something outside.
fn tree() -> (tempfile::TempDir, Roots) {
    let dir = tempfile::tempdir().expect("a directory");
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("root/sub")).expect("made");
    fs::create_dir_all(at("rooted")).expect("made");
    for name in ["root/a.json", "root/sub/b", "outside", "rooted/c"] {
        fs::write(at(name), name).expect("written");
    }
    for (target, link) in [
        ("a.json", "root/in"),
        ("../a.json", "root/sub/up"),
        ("../outside", "root/out"),
        ("..", "root/up"),
        ("/proc/self/cwd", "root/magic"),
        ("loop", "root/loop"),
    ] {
        symlink(target, at(link)).expect("linked");
    }
    symlink(at("root/a.json"), at("root/absolute")).expect("linked");
    let roots = Roots::new([at("root")]);
    (dir, roots)
}

type Open = fn(&Located) -> Result<OwnedFd, Errno>;

/// By the kernel's own means, and as where the kernel has none.
const WAYS: [Open; 2] = [|located| located.open_as(READ), |located| located.open_checked(READ)];

#[test]
fn what_is_inside_can_be_opened() {
    let (dir, roots) = tree();
    for rest in ["a.json", "sub", "sub/b", "in", "sub/up", ""] {
        let located = roots.locate(&dir.path().join("root").join(rest)).expect("inside");
        for open in WAYS {
            open(&located).unwrap_or_else(|errno| panic!("{rest}: {errno}"));
        }
    }
}

#[test]
fn no_link_leads_out() {
    let (dir, roots) = tree();
    for rest in ["out", "up", "up/outside", "up/rooted/c", "magic", "magic/Cargo.toml", "loop", "sub/up/../../outside"]
    {
        let located = Located { root: dir.path().join("root"), rest: rest.into() };
        for open in WAYS {
            let errno = open(&located).expect_err(rest);
            assert!(matches!(errno, Errno::XDEV | Errno::LOOP | Errno::NOTDIR), "{rest}: {errno}");
        }
    }
    let out = roots.locate(&dir.path().join("root/out")).expect("inside by name");
    assert!(out.open().expect_err("a way out").to_string().contains("leads out of"));
}

#[test]
fn a_path_belongs_to_the_innermost_root_or_to_none() {
    let (dir, _) = tree();
    let at = |name: &str| dir.path().join(name);
    let roots = Roots::new([at("root"), at("root/sub")]);
    assert_eq!(roots.locate(&at("root/sub/b")).expect("inside").root, at("root/sub"));
    assert_eq!(roots.locate(&at("root/sub")).expect("inside").path(), at("root/sub"));
    for outside in ["outside", "rooted/c", ""] {
        let error = roots.locate(&at(outside)).expect_err(outside).to_string();
        assert!(error.contains("is not served; there is") && error.contains("/root, "), "{error}");
    }
}

#[test]
fn what_is_missing_comes_with_similar_names() {
    let (dir, roots) = tree();
    let error = roots.locate(&dir.path().join("root/a.jsn")).expect("inside").open().expect_err("missing");
    assert!(error.to_string().ends_with("a.jsn does not exist; did you mean: a.json"), "{error}");
    let error = roots.locate(&dir.path().join("root/a.json/x")).expect("inside").open().expect_err("no directory");
    assert!(matches!(error, Error::Missing { .. }), "{error}");
}

#[test]
fn a_root_that_cannot_be_served_is_named() {
    let (dir, roots) = tree();
    roots.check().expect("it is there");
    for (root, says) in [("gone", "gone does not exist"), ("root/../gone", "must not have '..'")] {
        let error = Roots::new([dir.path().join(root)]).check().expect_err(root).to_string();
        assert!(error.contains(says), "{error}");
    }
}
