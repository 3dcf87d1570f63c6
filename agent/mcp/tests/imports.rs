//! The files of this crate stand in layers: none imports one that imports it.
#![expect(clippy::unwrap_used, reason = "a tree that cannot be read fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;

#[test]
fn no_file_imports_itself_around_others() {
    let mut imports = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(imports["servers"].contains("entry"), "the imports are not found: {imports:?}");
    // What imports nothing that is left lies below all circles; what nobody imports, above them.
    loop {
        let before = imports.len();
        let used: BTreeSet<String> = imports.values().flatten().cloned().collect();
        imports.retain(|file, below| used.contains(file) && !below.is_empty());
        let left: BTreeSet<String> = imports.keys().cloned().collect();
        for below in imports.values_mut() {
            below.retain(|file| left.contains(file));
        }
        if imports.len() == before {
            break;
        }
    }
    assert!(imports.is_empty(), "these import each other: {imports:?}");
}

/// Each file of a flat crate, but for its root, and the others that it imports.
fn imports(src: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let path = Regex::new(r"\bcrate::(?:(\w+)|\{([^}]*)\})").unwrap();
    let name = Regex::new(r"\w+").unwrap();
    let files = fs::read_dir(src).unwrap().map(|entry| entry.unwrap().path());
    let sources = files.filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    let texts: BTreeMap<String, String> = sources
        .filter(|file| !file.ends_with("lib.rs"))
        .map(|file| (file.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(file).unwrap()))
        .collect();
    let below = |text: &str| {
        let paths = path.captures_iter(text).filter_map(|found| found.get(1).or(found.get(2)));
        let names = paths.flat_map(|found| name.find_iter(found.as_str()).map(|name| name.as_str().to_owned()));
        names.filter(|name| texts.contains_key(name)).collect()
    };
    texts.iter().map(|(file, text)| (file.clone(), below(text))).collect()
}
