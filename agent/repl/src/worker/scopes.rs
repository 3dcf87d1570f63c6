//! The scopes of a source: which names it binds where, and which it uses without binding them.

use std::collections::HashSet;

use ruff_python_ast::visitor::{self, Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{
    Alias, Comprehension, ExceptHandler, Expr, ExprContext, Parameters, Pattern, Stmt, StmtClassDef, StmtFunctionDef,
};
use ruff_text_size::Ranged as _;

/// A name that is used, and that no scope around it binds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Free {
    pub(super) name: String,
    /// Where, in bytes.
    pub(super) offset: usize,
    pub(super) usage: Usage,
}

/// What is done with the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Usage {
    /// Its value is taken.
    Read,
    /// It is called.
    Called,
    /// This attribute of it is used, and called or not.
    Attribute(String),
}

/// The names that the statements bind in their own scope, in order, functions' `global` ones included.
pub(super) fn bound(body: &[Stmt]) -> Vec<String> {
    let mut names = bindings(body).names;
    let mut globals = Globals(Vec::new());
    globals.visit_body(body);
    names.append(&mut globals.0);
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// The names that are used without being bound, in order.
pub(super) fn free(body: &[Stmt]) -> Vec<Free> {
    let module = Scope { names: bound(body).into_iter().collect(), class: false };
    let mut walk = Walk { scopes: vec![module], free: Vec::new() };
    walk.visit_body(body);
    walk.free
}

fn bindings(body: &[Stmt]) -> Bindings {
    let mut bindings = Bindings::default();
    bindings.visit_body(body);
    bindings
}

/// What `global` makes the module's.
struct Globals(Vec<String>);

impl<'a> Visitor<'a> for Globals {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if let Stmt::Global(global) = stmt {
            self.0.extend(global.names.iter().map(ToString::to_string));
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, _: &'a Expr) {}
}

/// The names bound in one scope, not in those inside of it.
#[derive(Default)]
struct Bindings {
    names: Vec<String>,
    /// In a comprehension only `:=` binds for the scope around it.
    comprehension: bool,
}

impl Bindings {
    fn bind(&mut self, name: &str) {
        self.names.push(name.to_owned());
    }
}

impl<'a> Visitor<'a> for Bindings {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => self.bind(&function.name),
            Stmt::ClassDef(class) => self.bind(&class.name),
            Stmt::Global(names) => names.names.iter().for_each(|name| self.bind(name)),
            Stmt::Nonlocal(names) => names.names.iter().for_each(|name| self.bind(name)),
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        let name = alias.asname.as_ref().unwrap_or(&alias.name);
        self.bind(name.split('.').next().unwrap_or_default());
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.bind(name);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(name);
        }
        visitor::walk_pattern(self, pattern);
    }

    fn visit_annotation(&mut self, _: &'a Expr) {}

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) if name.ctx == ExprContext::Store && !self.comprehension => self.bind(&name.id),
            Expr::Named(named) => {
                if let Expr::Name(name) = &*named.target {
                    self.bind(&name.id);
                }
                self.visit_expr(&named.value);
            }
            Expr::Lambda(_) => {}
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                let outer = std::mem::replace(&mut self.comprehension, true);
                walk_expr(self, expr);
                self.comprehension = outer;
            }
            _ => walk_expr(self, expr),
        }
    }
}

struct Scope {
    names: HashSet<String>,
    /// Functions do not see the names of the class around them.
    class: bool,
}

struct Walk {
    scopes: Vec<Scope>,
    free: Vec<Free>,
}

impl Walk {
    fn used(&mut self, name: &str, offset: usize, usage: Usage) {
        let innermost = self.scopes.len().saturating_sub(1);
        let visible = |(n, scope): (usize, &Scope)| (!scope.class || n == innermost) && scope.names.contains(name);
        if !self.scopes.iter().enumerate().any(visible) {
            self.free.push(Free { name: name.to_owned(), offset, usage });
        }
    }

    fn inside(&mut self, names: impl IntoIterator<Item = String>, class: bool, walk: impl FnOnce(&mut Self)) {
        self.scopes.push(Scope { names: names.into_iter().collect(), class });
        walk(self);
        self.scopes.pop();
    }

    fn defaults(&mut self, parameters: &Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = &parameter.default {
                self.visit_expr(default);
            }
        }
    }

    fn function(&mut self, function: &StmtFunctionDef) {
        for decorator in &function.decorator_list {
            self.visit_expr(&decorator.expression);
        }
        self.defaults(&function.parameters);
        let names = parameters(&function.parameters).into_iter().chain(bindings(&function.body).names);
        self.inside(names, false, |walk| walk.visit_body(&function.body));
    }

    fn class(&mut self, class: &StmtClassDef) {
        for decorator in &class.decorator_list {
            self.visit_expr(&decorator.expression);
        }
        if let Some(arguments) = &class.arguments {
            self.visit_arguments(arguments);
        }
        self.inside(bindings(&class.body).names, true, |walk| walk.visit_body(&class.body));
    }

    /// The first source is evaluated outside, all else inside.
    fn comprehension(&mut self, generators: &[Comprehension], results: &[&Expr]) {
        let Some((first, others)) = generators.split_first() else { return };
        self.visit_expr(&first.iter);
        let mut targets = Bindings::default();
        for generator in generators {
            targets.visit_expr(&generator.target);
        }
        self.inside(targets.names, false, |walk| {
            for condition in &first.ifs {
                walk.visit_expr(condition);
            }
            for generator in others {
                walk.visit_expr(&generator.iter);
                for condition in &generator.ifs {
                    walk.visit_expr(condition);
                }
            }
            for result in results {
                walk.visit_expr(result);
            }
        });
    }
}

fn parameters(parameters: &Parameters) -> Vec<String> {
    parameters.iter().map(|parameter| parameter.name().to_string()).collect()
}

impl Visitor<'_> for Walk {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            _ => walk_stmt(self, stmt),
        }
    }

    /// They are not evaluated.
    fn visit_annotation(&mut self, _: &Expr) {}

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) if name.ctx == ExprContext::Load => {
                self.used(&name.id, name.start().to_usize(), Usage::Read);
            }
            Expr::Attribute(attribute) => match &*attribute.value {
                Expr::Name(name) => {
                    self.used(&name.id, name.start().to_usize(), Usage::Attribute(attribute.attr.to_string()));
                }
                base => self.visit_expr(base),
            },
            Expr::Call(call) => {
                match &*call.func {
                    Expr::Name(name) => self.used(&name.id, name.start().to_usize(), Usage::Called),
                    function => self.visit_expr(function),
                }
                self.visit_arguments(&call.arguments);
            }
            Expr::Lambda(lambda) => {
                let names = lambda.parameters.as_ref().map(|names| parameters(names)).unwrap_or_default();
                if let Some(parameters) = &lambda.parameters {
                    self.defaults(parameters);
                }
                self.inside(names, false, |walk| walk.visit_expr(&lambda.body));
            }
            Expr::ListComp(list) => self.comprehension(&list.generators, &[&list.elt]),
            Expr::SetComp(set) => self.comprehension(&set.generators, &[&set.elt]),
            Expr::Generator(generator) => self.comprehension(&generator.generators, &[&generator.elt]),
            Expr::DictComp(dict) => {
                let mut results: Vec<&Expr> = dict.key.iter().map(|key| &**key).collect();
                results.push(&dict.value);
                self.comprehension(&dict.generators, &results);
            }
            _ => walk_expr(self, expr),
        }
    }
}

#[cfg(test)]
mod tests;
