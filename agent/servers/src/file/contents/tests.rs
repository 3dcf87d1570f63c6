//! Files, directories and what is neither.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;
use crate::file::roots::Roots;

struct Tree(tempfile::TempDir);

impl Tree {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn located(&self, name: &str) -> Located {
        let roots = Roots::new([self.0.path().to_owned()]);
        roots.locate(&self.at(name)).expect("inside")
    }

    fn read(&self, name: &str) -> Result<Contents, String> {
        read(&self.located(name)).map_err(|error| error.to_string())
    }
}

#[test]
fn a_file_is_text_of_its_type_or_base64() {
    let tree = Tree::new();
    let text = |mime: &str, text: &str| Ok(Contents::Text(mime.to_owned(), text.to_owned()));
    for (name, content, mime) in [
        ("a.json", "{}", "application/json"),
        ("a.txt", "", "text/plain"),
        ("a.yaml", "a: 1", "text/x-yaml"),
        ("a.ts", "let a", "text/plain"),
        ("none", "ä", "text/plain"),
    ] {
        fs::write(tree.at(name), content).expect("written");
        assert_eq!(tree.read(name), text(mime, content), "{name}");
    }
    fs::write(tree.at("a.png"), [0xff, 0, 1]).expect("written");
    assert_eq!(tree.read("a.png"), Ok(Contents::Blob("image/png".to_owned(), "/wAB".to_owned())));
}

#[test]
fn a_file_that_is_too_large_is_refused_whole_and_read_in_parts() {
    let tree = Tree::new();
    let size = usize::try_from(LARGEST).expect("a size");
    fs::write(tree.at("fits"), vec![b'x'; size]).expect("written");
    assert!(tree.read("fits").is_ok());
    let mut bytes = vec![b'x'; size];
    bytes.extend_from_slice(b"end");
    fs::write(tree.at("large"), bytes).expect("written");
    let error = tree.read("large").expect_err("too large");
    assert!(error.contains("has 1048579 bytes, at most 1048576 can be read; the tool read_file"), "{error}");
    let part = |offset, most| match read_file(&tree.located("large"), Some((offset, most))) {
        Ok(Contents::Text(_, text)) => text,
        other => panic!("{other:?}"),
    };
    assert_eq!(part(-5, 100), "xxend");
    assert_eq!(part(0, 3), "xxx");
    assert_eq!(part(i64::try_from(size).expect("a size"), 2), "en");
    assert_eq!(part(1 << 40, 2), "");
    assert_eq!(part(-(1 << 40), 1), "x");
}

#[test]
fn a_part_that_is_cut_inside_of_a_character_stays_text() {
    let tree = Tree::new();
    let text = |text: &str| Contents::Text("text/plain".to_owned(), text.to_owned());
    let blob = |bytes: &[u8]| Contents::Blob("text/plain".to_owned(), STANDARD.encode(bytes));
    let part = |offset, most| read_file(&tree.located("a.txt"), Some((offset, most))).expect("read");
    fs::write(tree.at("a.txt"), "aä€😀z").expect("written");
    // a is at 0, ä at 1, € at 3, 😀 at 6, z at 10.
    for (offset, most, says) in [(0, 2, "aä"), (1, 5, "ä€"), (2, 5, "€😀"), (-2, 9, "z"), (0, 6, "aä€"), (8, 3, "z")]
    {
        assert_eq!(part(offset, most), text(says), "{offset} {most}");
    }
    let pages = (0..11).step_by(4).map(|offset| match part(offset, 4) {
        Contents::Text(_, text) => text,
        blob @ Contents::Blob(..) => panic!("{blob:?}"),
    });
    assert_eq!(pages.collect::<String>(), "aä€😀z");
    // No character begins there.
    assert_eq!(part(4, 2), blob(&[0x82, 0xac]));
    // No text: it is cut as asked. Also what ends early is told.
    fs::write(tree.at("a.txt"), b"\x80a\xff\xc3").expect("written");
    assert_eq!(part(0, 2), blob(b"\x80a"));
    assert_eq!(part(0, 9), blob(b"\x80a\xff\xc3"));
    fs::write(tree.at("a.txt"), b"a\xc3").expect("written");
    assert_eq!(part(0, 2), blob(b"a\xc3"));
    assert_eq!(read_file(&tree.located("a.txt"), None).expect("read"), blob(b"a\xc3"));
}

#[test]
fn a_directory_is_a_list_of_its_entries_by_name() {
    let tree = Tree::new();
    fs::create_dir(tree.at("b")).expect("made");
    fs::write(tree.at("c"), "123").expect("written");
    symlink("c", tree.at("a")).expect("linked");
    symlink("/etc/passwd", tree.at("out")).expect("linked");
    let Ok(Contents::Text(mime, text)) = tree.read("") else { panic!("a list") };
    assert_eq!(mime, "application/json");
    let mut list: Value = serde_json::from_str(&text).expect("JSON");
    for entry in list.as_array_mut().expect("a list") {
        let modified = entry.as_object_mut().expect("an object").remove("modified").expect("a time");
        modified.as_str().expect("a text").parse::<Timestamp>().expect("a time");
    }
    assert_eq!(
        list,
        json!([
            {"name": "a", "type": "file", "size": 3},
            {"name": "b", "type": "directory", "size": null},
            {"name": "c", "type": "file", "size": 3},
            {"name": "out", "type": "symlink", "size": null},
        ])
    );
}

#[test]
fn what_is_neither_is_refused_without_waiting() {
    let tree = Tree::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, tree.at("pipe"), rustix::fs::Mode::RWXU).expect("a pipe");
    let _socket = std::os::unix::net::UnixListener::bind(tree.at("socket")).expect("a socket");
    for name in ["pipe", "socket"] {
        assert!(tree.read(name).expect_err(name).contains("neither a file nor a directory"));
    }
    assert!(read_file(&tree.located(""), None).expect_err("a directory").to_string().contains("is a directory"));
    fs::write(tree.at("f"), "").expect("written");
    assert!(list(&tree.located("f")).expect_err("a file").to_string().contains("is no directory"));
}
