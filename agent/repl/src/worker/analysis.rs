//! A source as a syntax tree, and what can be known of it without running it.

use std::collections::HashSet;

use monty::source_within_nesting_bound;
use monty_types::SOURCE_SCAN_THRESHOLD;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ModModule, Stmt};
use ruff_python_parser::{Parsed, parse_module};

use crate::worker::{awaits, scopes};

/// The tree; none if the source does not parse, which the interpreter says better.
pub(super) fn parse(source: &str) -> Option<Parsed<ModModule>> {
    if !source_within_nesting_bound(source, SOURCE_SCAN_THRESHOLD) {
        return None;
    }
    parse_module(source).ok()
}

/// Line breaks as Python reads them.
pub(super) fn normalised(source: &str) -> String {
    source.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n")
}

/// Line and column of a byte, from 1, in characters.
pub(super) fn position(source: &str, offset: usize) -> (u32, u32) {
    let before = source.get(..offset).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

/// The places of the calls whose values are awaited.
pub(super) fn awaited(source: &str) -> HashSet<(u32, u32)> {
    parse(source).map(|parsed| awaits::awaited(parsed.suite())).unwrap_or_default()
}

/// The names that a source binds at the top, in order of appearance.
pub(super) fn assigned(source: &str) -> Vec<String> {
    parse(source).map(|parsed| scopes::bound(parsed.suite())).unwrap_or_default()
}

/// Whether something is awaited outside of every function.
pub(super) fn awaits_at_the_top(body: &[Stmt]) -> bool {
    struct Search(bool);
    impl<'a> Visitor<'a> for Search {
        fn visit_stmt(&mut self, stmt: &'a Stmt) {
            match stmt {
                Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
                Stmt::For(each) if each.is_async => self.0 = true,
                Stmt::With(with) if with.is_async => self.0 = true,
                _ => walk_stmt(self, stmt),
            }
        }
        fn visit_expr(&mut self, expr: &'a Expr) {
            match expr {
                Expr::Await(_) => self.0 = true,
                Expr::Lambda(_) => {}
                _ => walk_expr(self, expr),
            }
        }
    }
    let mut search = Search(false);
    search.visit_body(body);
    search.0
}
