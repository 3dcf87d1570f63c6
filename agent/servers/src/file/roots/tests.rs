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
fn a_link_that_comes_after_the_check_leads_nowhere() {
    let (dir, _) = tree();
    let root = || open(dir.path().join("root"), WAY, Mode::empty()).expect("opened");
    for rest in ["a.json", "sub/b", "sub", ""] {
        descend(root(), rest.as_ref(), READ).unwrap_or_else(|errno| panic!("{rest}: {errno}"));
    }
    for rest in
        ["out", "up", "up/outside", "up/rooted/c", "magic", "magic/Cargo.toml", "in", "../outside", "/etc/passwd"]
    {
        let errno = descend(root(), rest.as_ref(), READ).expect_err(rest);
        assert!(matches!(errno, Errno::XDEV | Errno::LOOP | Errno::NOTDIR), "{rest}: {errno}");
    }
}

#[test]
fn whoever_swaps_a_directory_for_a_link_gets_nothing_from_outside() {
    let (dir, _) = tree();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("rooted/b"), "outside").expect("written");
    symlink(at("rooted"), at("link")).expect("linked");
    let located = Located { root: at("root"), rest: "sub/b".into() };
    let stop = std::sync::atomic::AtomicBool::new(false);
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(relaxed) {
                fs::rename(at("root/sub"), at("aside")).expect("moved");
                fs::rename(at("link"), at("root/sub")).expect("moved");
                fs::rename(at("root/sub"), at("link")).expect("moved");
                fs::rename(at("aside"), at("root/sub")).expect("moved");
            }
        });
        let mut read = Vec::new();
        for _ in 0..5000 {
            if let Ok(file) = located.open_checked(READ) {
                read.extend(io::read_to_string(File::from(file)));
            }
        }
        stop.store(true, relaxed);
        assert!(read.iter().all(|text| text == "root/sub/b"), "{read:?}");
    });
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
