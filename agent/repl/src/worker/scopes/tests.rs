//! Names that are bound, and names that are not.

use ruff_python_parser::parse_module;

use super::*;

fn names(source: &str) -> String {
    let parsed = parse_module(source).unwrap();
    let free: Vec<String> = free(parsed.suite()).into_iter().map(|free| free.name).collect();
    free.join(" ")
}

#[test]
fn what_is_bound_somewhere_in_the_scope_is_not_free() {
    for source in [
        "import a.b, c as d\na, d",
        "from a import b as c\nc",
        "for i, (j, *k) in []: i, j, k",
        "with open_() as f: f\nopen_ = 1",
        "try: pass\nexcept E as e: e\nE = 1",
        "def f(a, /, b=1, *c, d, **e): return a, b, c, d, e, f, g\ng = 1",
        "lambda a, *b: (a, b)",
        "[x for xs in [] if xs for x in xs]",
        "{k: v for k, v in []}",
        "if (n := 1): n\n[m := 1 for _ in []]\nm",
        "match 1:\n  case [a, *b]: a, b\n  case {'k': c, **d}: c, d\n  case e: e",
        "def f():\n  global z\n  z = 1\nz",
        "class A:\n  x = 1\n  y = x\n  def m(self): return A",
        "def f(a: Unknown) -> Unknown: pass\nx: Unknown = 1",
        "def f():\n  x = 1\n  def g():\n    nonlocal x\n    x += 1\n  return g",
    ] {
        assert_eq!(names(source), "", "{source}");
    }
}

#[test]
fn what_no_scope_binds_is_free() {
    for (source, free) in [
        ("f'{a!r:>{b}}'", "a b"),
        ("x.y.z, f(g=h)", "x f h"),
        ("def f(): return a\ndef g():\n  a = 1", "a"),
        ("class A:\n  x = 1\n  def m(self): return x", "x"),
        ("[x for x in xs]\nx", "xs x"),
        ("def f(a=b): pass", "b"),
        ("@d\ndef f(): pass\nclass C(B): pass", "d B"),
        ("x[i:j]", "x i j"),
        ("async def f():\n  async for a in b: await c", "b c"),
    ] {
        assert_eq!(names(source), free, "{source}");
    }
}

#[test]
fn usage_tells_what_is_done_with_a_name() {
    let parsed = parse_module("a\nb()\nc.d()\ne.f").unwrap();
    let usages: Vec<Usage> = free(parsed.suite()).into_iter().map(|free| free.usage).collect();
    assert_eq!(
        usages,
        [Usage::Read, Usage::Called, Usage::Attribute("d".to_owned()), Usage::Attribute("f".to_owned())]
    );
}
