//! Filters made into functions, and their places kept.

use super::*;

#[track_caller]
fn embedded(source: &str) -> Embedded {
    Embedded::new(source).unwrap()
}

#[test]
fn the_last_expression_is_returned() {
    let text = embedded("x = 1\nx + 1").text;
    assert_eq!(text, "def __asyncai_filter():\n global x, event\n x = 1\n return (x + 1)\n pass\n");
    assert_eq!(
        embedded("await f(\n1)").text,
        "async def __asyncai_filter():\n global event\n return (await f(\n 1))\n pass\n"
    );
    assert_eq!(embedded("a; b  # c").text, "def __asyncai_filter():\n global event\n a; return (b)  # c\n pass\n");
}

#[test]
fn lines_inside_of_strings_stay_where_they_are() {
    let text = embedded("a = '''1\n2\n  '''\nb = f'''{a}\n{\n b }\n'''\nc = 'x\\\ny'").text;
    assert!(text.contains(" a = '''1\n2\n  '''\n b = f'''{a}\n{\n b }\n'''\n c = 'x\\\ny'\n"), "{text}");
}

#[test]
fn columns_are_moved_back() {
    let source = "x = 1\nif x:\n  y = '''\nz''' + x\né = 1; x + y\n";
    let it = embedded(source);
    for (line, column) in [(1, 1), (1, 5), (3, 3), (4, 8), (5, 8), (5, 12)] {
        let wanted = at(source, line, column);
        let mut found = 0;
        // Every place of the text that maps here shows the same character, or the return in front of it.
        for (n, text) in (1..).zip(it.text.split('\n')).skip(2) {
            for (m, character) in (1..).zip(text.chars()) {
                if it.original(n, m) == (line, column) && character == wanted {
                    found += 1;
                }
            }
        }
        assert!(found >= 1, "{line}:{column} {:?}", it.text);
    }
}

fn at(source: &str, line: u32, column: u32) -> char {
    let line = source.split('\n').nth(usize::try_from(line).unwrap() - 1).unwrap();
    line.chars().nth(usize::try_from(column).unwrap() - 1).unwrap()
}
