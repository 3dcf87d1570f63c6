//! What is a path, and what is refused.

use super::*;

#[test]
fn a_path_survives_being_a_uri() {
    let raw = [b"/a b/".as_slice(), b"\xff", b"?#%\xc3\xa9/~x-._"].concat();
    for path in ["/", "/data/a.json", "/data/ä", "/a%20b"]
        .map(Path::new)
        .into_iter()
        .chain([Path::new(OsStr::from_bytes(&raw))])
    {
        let uri = of(path);
        assert!(uri.is_ascii() && !uri.contains(['?', '#', ' ']), "{uri}");
        assert_eq!(parse(&uri).expect("a path"), path);
    }
    assert_eq!(of(Path::new("/data/a b.json")), "file:///data/a%20b.json");
}

#[test]
fn other_spellings_of_a_path_are_understood() {
    for uri in ["file:///data/a", "file:///data/a/", "file:///data//a", "file:///data/./a", "file:///d%61ta/a"] {
        assert_eq!(parse(uri).expect("a path"), Path::new("/data/a"), "{uri}");
    }
}

#[test]
fn what_is_no_path_is_refused() {
    for (uri, says) in [
        ("memo://notes", "must be file://{+path}"),
        ("file://host/data", "must be absolute"),
        ("file://", "must be absolute"),
        ("file:///data/../etc", "must not have '..'"),
        ("file:///data/%2e%2e/etc", "must not have '..'"),
        ("file:///data/a%00b", "must be absolute"),
        ("file:///data/a?x=1", "%3F"),
        ("file:///data/a#x", "%23"),
    ] {
        let error = parse(uri).expect_err(uri).to_string();
        assert!(error.contains(says), "{error}");
    }
    assert!(parse(&format!("file:///{}", "x".repeat(LONGEST))).is_err());
}
