//! Which calls of a source are awaited: their functions give futures, all others give their values at once.
//!
//! So both `tool()` and `await tool()` work. A call counts as awaited where it stands after `await` or in `gather`, and
//! where it is put under a name, or into a list under a name, that is awaited or gathered later.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Comprehension, Expr, ExprCall, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged as _;

/// Names lead to names: so often is the tree walked at most.
const ROUNDS: usize = 5;

/// The places of the awaited calls: where each begins and ends, in bytes.
pub(super) fn awaited(body: &[Stmt]) -> HashSet<(u32, u32)> {
    let mut awaits = Awaits::default();
    for _ in 0..ROUNDS {
        let before = awaits.size();
        awaits.visit_body(body);
        if awaits.size() == before {
            break;
        }
    }
    awaits.calls
}

#[derive(Default)]
struct Awaits {
    calls: HashSet<(u32, u32)>,
    /// Names of awaitable values, and of collections of them.
    names: HashSet<String>,
    /// Functions whose value is awaited.
    functions: HashSet<String>,
}

impl Awaits {
    fn size(&self) -> usize {
        self.calls.len() + self.names.len() + self.functions.len()
    }

    /// The value is awaited, or each item of it.
    fn mark(&mut self, expr: &Expr) {
        match expr {
            Expr::Call(call) => self.mark_call(call),
            Expr::Name(name) => {
                self.names.insert(name.id.to_string());
            }
            Expr::Starred(starred) => self.mark(&starred.value),
            Expr::If(choice) => {
                self.mark(&choice.body);
                self.mark(&choice.orelse);
            }
            Expr::Named(named) => self.mark(&named.value),
            Expr::List(list) => list.elts.iter().for_each(|item| self.mark(item)),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|item| self.mark(item)),
            Expr::Set(set) => set.elts.iter().for_each(|item| self.mark(item)),
            Expr::Dict(dict) => dict.iter().for_each(|item| self.mark(&item.value)),
            Expr::ListComp(list) => self.mark_each(&list.elt, &list.generators),
            Expr::SetComp(set) => self.mark_each(&set.elt, &set.generators),
            Expr::Generator(generator) => self.mark_each(&generator.elt, &generator.generators),
            Expr::DictComp(dict) => self.mark_each(&dict.value, &dict.generators),
            _ => {}
        }
    }

    fn mark_each(&mut self, item: &Expr, generators: &[Comprehension]) {
        self.mark(item);
        self.follow(generators);
    }

    /// `await x for x in xs`: then `xs` holds what is awaited.
    fn follow(&mut self, generators: &[Comprehension]) {
        for generator in generators {
            if self.holds(&generator.target) {
                self.mark(&generator.iter);
            }
        }
    }

    fn mark_call(&mut self, call: &ExprCall) {
        match &*call.func {
            // The values of a dict, as `gather(*tasks.values())`.
            Expr::Attribute(method) if matches!(method.attr.as_str(), "values" | "copy") => {
                return self.mark(&method.value);
            }
            Expr::Name(name) => {
                self.functions.insert(name.id.to_string());
            }
            _ => {}
        }
        self.calls.insert((call.start().to_u32(), call.end().to_u32()));
    }

    fn holds(&self, target: &Expr) -> bool {
        match target {
            Expr::Name(name) => self.names.contains(name.id.as_str()),
            Expr::Subscript(item) => self.holds(&item.value),
            Expr::Tuple(tuple) => tuple.elts.iter().any(|item| self.holds(item)),
            _ => false,
        }
    }

    fn call(&mut self, call: &ExprCall) {
        let (name, base) = match &*call.func {
            Expr::Name(name) => (name.id.as_str(), None),
            Expr::Attribute(method) => (method.attr.as_str(), Some(&*method.value)),
            _ => return,
        };
        let kept = matches!(name, "append" | "add" | "extend" | "insert") && base.is_some_and(|base| self.holds(base));
        let asyncio = base.is_none_or(|base| matches!(base, Expr::Name(name) if name.id == "asyncio"));
        if kept || (asyncio && matches!(name, "gather" | "run")) {
            call.arguments.args.iter().for_each(|argument| self.mark(argument));
        }
    }

    /// What a plain function returns is awaited where its call is.
    fn returns(&mut self, function: &StmtFunctionDef) {
        struct Returns<'a>(Vec<&'a Expr>);
        impl<'a> Visitor<'a> for Returns<'a> {
            fn visit_stmt(&mut self, stmt: &'a Stmt) {
                match stmt {
                    Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
                    Stmt::Return(value) => self.0.extend(value.value.as_deref()),
                    _ => walk_stmt(self, stmt),
                }
            }
        }
        if !function.is_async && self.functions.contains(function.name.as_str()) {
            let mut returns = Returns(Vec::new());
            returns.visit_body(&function.body);
            returns.0.into_iter().for_each(|value| self.mark(value));
        }
    }
}

impl<'a> Visitor<'a> for Awaits {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Assign(assign) if assign.targets.iter().any(|target| self.holds(target)) => self.mark(&assign.value),
            Stmt::AugAssign(assign) if self.holds(&assign.target) => self.mark(&assign.value),
            Stmt::AnnAssign(assign) if self.holds(&assign.target) => {
                assign.value.iter().for_each(|value| self.mark(value));
            }
            Stmt::For(each) if self.holds(&each.target) => self.mark(&each.iter),
            Stmt::FunctionDef(function) => self.returns(function),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Await(awaited) => self.mark(&awaited.value),
            Expr::Call(call) => self.call(call),
            Expr::ListComp(list) => self.follow(&list.generators),
            Expr::SetComp(set) => self.follow(&set.generators),
            Expr::DictComp(dict) => self.follow(&dict.generators),
            Expr::Generator(generator) => self.follow(&generator.generators),
            _ => {}
        }
        walk_expr(self, expr);
    }
}
