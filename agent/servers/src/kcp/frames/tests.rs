//! Lines come out whole, however the bytes came in.

use super::*;

const STREAM: &str = "{\"a\":1}\n\n{\"b\":\"ü}\"}\r\n{\"c\":3}\n{\"rest\"";

fn cut(size: usize) -> Vec<String> {
    let mut frames = Frames::new(64);
    let mut lines = Vec::new();
    for chunk in STREAM.as_bytes().chunks(size) {
        frames.push(chunk);
        while let Some(line) = frames.next().expect("short lines") {
            lines.push(String::from_utf8(line.to_vec()).expect("UTF-8").trim_end().to_owned());
        }
    }
    lines
}

#[test]
fn chunks_of_any_size_give_the_same_lines() {
    for size in 1..=STREAM.len() {
        assert_eq!(cut(size), [r#"{"a":1}"#, r#"{"b":"ü}"}"#, r#"{"c":3}"#], "chunks of {size}");
    }
}

#[test]
fn a_line_that_never_ends_is_refused() {
    let mut frames = Frames::new(8);
    frames.push(b"12345678");
    assert_eq!(frames.next(), Ok(None));
    frames.push(b"9");
    assert_eq!(frames.next(), Err(TooLong));
}

#[test]
fn a_long_line_that_ends_is_refused_too() {
    let mut frames = Frames::new(8);
    frames.push(b"1234567890\n");
    assert_eq!(frames.next(), Err(TooLong));
}
