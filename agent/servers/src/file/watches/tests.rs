//! Changes of every kind, each told once it is over.

use std::fs;
use std::os::unix::fs::symlink;

use tokio::sync::mpsc;

use super::*;
use crate::file::roots::Roots;
use crate::file::uri;

const PATIENCE: Duration = Duration::from_secs(20);

/// A directory, the watches below it, and what they tell.
struct Tree {
    dir: PathBuf,
    watches: Watches,
    told: mpsc::UnboundedReceiver<String>,
    _folder: tempfile::TempDir,
}

impl Tree {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a directory");
        let dir = folder.path().canonicalize().expect("a path");
        let (tell, told) = mpsc::unbounded_channel();
        let watches = Watches::new(move |uri: &str| {
            let _ = tell.send(uri.to_owned());
        });
        Self { dir, watches, told, _folder: folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.at(name), text).expect("written");
    }

    fn make(&self, name: &str) {
        fs::create_dir_all(self.at(name)).expect("made");
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.at(from), self.at(to)).expect("renamed");
    }

    /// Watches a path below a root of this name.
    fn watch_below(&self, root: &str, name: &str) -> Lease {
        let path = self.at(root).join(name);
        let located = Roots::new([self.at(root)]).locate(&path).expect("inside");
        let uri = uri::of(&path);
        let lease = self.watches.lease(&uri, located).expect("a lease");
        assert!(self.watches.check(&uri).expect("it is watched"));
        lease
    }

    fn watch(&self, name: &str) -> Lease {
        self.watch_below("", name)
    }

    /// Waits until this path is told of; nothing else may be.
    async fn tells(&mut self, name: &str) {
        let told = tokio::time::timeout(PATIENCE, self.told.recv()).await;
        assert_eq!(
            told.unwrap_or_else(|_| panic!("waited in vain for {name}")).expect("a URI"),
            uri::of(&self.at(name))
        );
    }

    /// Nothing was told so far; shown by a change of another path, which is told next.
    async fn told_nothing(&mut self) {
        let _lease = self.watch("canary");
        self.write("canary", "");
        self.tells("canary").await;
        fs::remove_file(self.at("canary")).expect("removed");
        self.tells("canary").await;
    }

    fn descriptors(&self) -> usize {
        self.watches.lock().descriptors.len()
    }
}

#[tokio::test]
async fn a_file_is_told_of_when_it_is_written_replaced_removed_and_made_again() {
    let mut tree = Tree::new();
    let _lease = tree.watch("f");
    tree.told_nothing().await;
    tree.write("f", "1");
    tree.tells("f").await;
    tree.write("f", "2");
    tree.tells("f").await;
    tree.write("new", "3");
    tree.rename("new", "f");
    tree.tells("f").await;
    tree.write("f", "4");
    tree.tells("f").await;
    tree.rename("f", "old");
    tree.tells("f").await;
    tree.write("f", "5");
    tree.tells("f").await;
    fs::remove_file(tree.at("f")).expect("removed");
    tree.tells("f").await;
    tree.write("other", "");
    tree.write("old", "");
    tree.told_nothing().await;
}

#[tokio::test]
async fn reading_is_no_change() {
    let mut tree = Tree::new();
    tree.make("d");
    tree.write("d/f", "1");
    let _leases = [tree.watch("d"), tree.watch("d/f")];
    fs::read(tree.at("d/f")).expect("read");
    assert_eq!(fs::read_dir(tree.at("d")).expect("read").count(), 1);
    tree.told_nothing().await;
}

#[tokio::test]
async fn a_directory_is_told_of_when_an_entry_changes() {
    let mut tree = Tree::new();
    tree.make("d/sub");
    let _lease = tree.watch("d");
    tree.write("d/f", "1");
    tree.tells("d").await;
    tree.write("d/f", "22");
    tree.tells("d").await;
    tree.write("d/sub/deep", "");
    tree.told_nothing().await;
    fs::remove_dir_all(tree.at("d")).expect("removed");
    tree.tells("d").await;
    tree.make("d");
    tree.tells("d").await;
    tree.write("d/f", "1");
    tree.tells("d").await;
}

#[tokio::test]
async fn a_file_whose_directory_does_not_exist_yet_is_told_of() {
    let mut tree = Tree::new();
    let _lease = tree.watch("a/b/f");
    tree.make("a");
    tree.tells("a/b/f").await;
    tree.make("a/b");
    tree.tells("a/b/f").await;
    tree.write("a/b/f", "1");
    tree.tells("a/b/f").await;
    tree.rename("a", "z");
    tree.tells("a/b/f").await;
    tree.write("z/b/f", "2");
    tree.told_nothing().await;
    tree.rename("z", "a");
    tree.tells("a/b/f").await;
    tree.write("a/b/f", "3");
    tree.tells("a/b/f").await;
}

/// The kubelet writes a new version beside the old one and swaps one link.
#[tokio::test]
async fn a_new_version_of_a_config_map_is_told_of() {
    let mut tree = Tree::new();
    tree.make("v/..1");
    tree.write("v/..1/key", "1");
    symlink("..1", tree.at("v/..data")).expect("linked");
    symlink("..data/key", tree.at("v/key")).expect("linked");
    let _lease = tree.watch_below("v", "key");
    for version in 2..5 {
        let name = format!("v/..{version}");
        tree.make(&name);
        tree.write(&format!("{name}/key"), "next");
        tree.told_nothing().await;
        symlink(format!("..{version}"), tree.at("v/..tmp")).expect("linked");
        tree.rename("v/..tmp", "v/..data");
        tree.tells("v/key").await;
        fs::remove_dir_all(tree.at(&format!("v/..{}", version - 1))).expect("removed");
        tree.told_nothing().await;
        tree.write(&format!("{name}/key"), "in place");
        tree.tells("v/key").await;
    }
}

#[tokio::test]
async fn a_file_that_is_written_under_another_name_is_told_of() {
    let mut tree = Tree::new();
    tree.make("mounted");
    tree.make("elsewhere");
    tree.write("elsewhere/f", "1");
    fs::hard_link(tree.at("elsewhere/f"), tree.at("mounted/f")).expect("linked");
    let _lease = tree.watch("mounted/f");
    tree.write("elsewhere/f", "2");
    tree.tells("mounted/f").await;
}

#[tokio::test]
async fn a_burst_is_told_once_it_is_over() {
    let mut tree = Tree::new();
    let _lease = tree.watch("f");
    for _ in 0..100 {
        tree.write("f", "1");
    }
    tree.tells("f").await;
    tree.told_nothing().await;
}

#[tokio::test]
async fn what_nobody_watches_costs_nothing() {
    let mut tree = Tree::new();
    tree.make("d");
    let (one, two, other) = (tree.watch("d/f"), tree.watch("d/f"), tree.watch("d"));
    let all = tree.descriptors();
    assert_eq!(all, tree.dir.components().count() + 1, "each directory on the way, once");
    drop(one);
    drop(other);
    assert_eq!(tree.descriptors(), all);
    tree.write("d/f", "1");
    tree.tells("d/f").await;
    drop(two);
    assert_eq!(tree.descriptors(), 0);
    assert!(tree.watches.lock().running.is_none());
    assert!(!tree.watches.check(&uri::of(&tree.at("d/f"))).expect("not watched"));
    let _again = tree.watch("d/f");
    tree.write("d/f", "2");
    tree.tells("d/f").await;
}

#[tokio::test]
async fn what_the_system_refuses_is_said() {
    let tree = Tree::new();
    let failure = |errno, queue| Error::from(Failure { path: tree.at("f"), errno, queue }).to_string();
    assert!(failure(Errno::NOSPC, false).contains("fs.inotify.max_user_watches"));
    assert!(failure(Errno::MFILE, true).contains("fs.inotify.max_user_instances"));
    assert!(failure(Errno::ACCESS, false).contains("cannot be read"));
    let leases: Vec<_> = (0..MOST).map(|index| tree.watch(&format!("f{index}"))).collect();
    let located = Roots::new([tree.at("")]).locate(&tree.at("g")).expect("inside");
    assert!(tree.watches.lease(&uri::of(&tree.at("g")), located).is_none());
    drop(leases);
}
