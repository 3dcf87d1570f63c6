//! Matching of URIs against RFC 6570 templates.
//!
//! Expanding a template is well served by crates; routing needs the reverse, which the RFC leaves
//! open. A template matches the URIs that it can expand to, read as people write them: a simple
//! variable takes any characters but `/`, `?` and `#` (servers show `root:app`, not `root%3Aapp`),
//! and query variables may come in any order or not at all.

use std::fmt::Write as _;

use regex::{Regex, RegexBuilder, escape};

#[cfg(test)]
mod tests;

const LONGEST: usize = 2048;

/// A parsed template.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    pattern: Regex,
}

impl Template {
    /// None if `text` is no template: an unclosed or empty expression, an operator that the RFC
    /// reserves, or more than 2,048 characters.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let mut pattern = String::from("^");
        let mut rest = text;
        while let Some((literal, tail)) = rest.split_once('{') {
            let (expression, tail) = tail.split_once('}')?;
            push_literal(&mut pattern, literal)?;
            push_expression(&mut pattern, expression)?;
            rest = tail;
        }
        push_literal(&mut pattern, rest)?;
        pattern.push('$');
        let pattern = RegexBuilder::new(&pattern).size_limit(1 << 20).build();
        Some(Self { pattern: pattern.ok()? })
    }

    pub(crate) fn matches(&self, uri: &str) -> bool {
        self.pattern.is_match(uri)
    }
}

fn push_literal(pattern: &mut String, literal: &str) -> Option<()> {
    if literal.contains('}') {
        return None;
    }
    pattern.push_str(&escape(literal));
    Some(())
}

/// One variable of an expression: its name, and whether `*` lets it repeat.
struct Variable<'a> {
    name: &'a str,
    explode: bool,
}

fn variables(list: &str) -> Option<Vec<Variable<'_>>> {
    list.split(',').map(variable).collect()
}

fn variable(text: &str) -> Option<Variable<'_>> {
    let (name, explode) = match text.strip_suffix('*') {
        Some(name) => (name, true),
        None => (text.split_once(':').map_or(text, |(name, _)| name), false),
    };
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '%');
    let valid = !name.is_empty() && name.chars().all(legal);
    valid.then_some(Variable { name, explode })
}

fn push_expression(pattern: &mut String, expression: &str) -> Option<()> {
    let operator = expression.chars().next()?;
    let list = &expression[operator.len_utf8()..];
    match operator {
        '+' => {
            variables(list)?;
            pattern.push_str("(?:.+)");
        }
        '#' => {
            variables(list)?;
            pattern.push_str("(?:#.*)?");
        }
        '.' => push_repeated(pattern, &variables(list)?, r"\.[^./?#]*"),
        '/' => push_repeated(pattern, &variables(list)?, "/[^/?#]*"),
        ';' => push_pairs(pattern, &variables(list)?, ";", ";"),
        '?' => push_pairs(pattern, &variables(list)?, r"\?", "&"),
        '&' => push_pairs(pattern, &variables(list)?, "&", "&"),
        _ => {
            variables(expression)?;
            pattern.push_str("[^/?#]+");
        }
    }
    Some(())
}

fn push_repeated(pattern: &mut String, variables: &[Variable<'_>], one: &str) {
    let most =
        if variables.iter().any(|variable| variable.explode) { String::new() } else { variables.len().to_string() };
    // Writing to a String cannot fail.
    let _ = write!(pattern, "(?:{one}){{0,{most}}}");
}

/// Name-value pairs in any order, `first` before the first and `next` before each other.
fn push_pairs(pattern: &mut String, variables: &[Variable<'_>], first: &str, next: &str) {
    let explode = variables.iter().any(|variable| variable.explode);
    let names: Vec<String> = variables.iter().map(|variable| escape(variable.name)).collect();
    let name = if explode { "[^=&;/?#]+".to_owned() } else { names.join("|") };
    let value = if next == ";" { "[^;/?#]*" } else { "[^&#]*" };
    let pair = format!("(?:{name})(?:={value})?");
    let _ = write!(pattern, "(?:{first}{pair}(?:{next}{pair})*)?");
}
